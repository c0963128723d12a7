import type { TestServer } from './server.ts'

/** The client that issuers of tests know. */
export const CLIENT = { id: 'svc', secret: 'a-client-secret-of-a-test' }

/** The public address of the server under test; nothing listens there. */
export const SSO_PUBLIC_URL = 'https://agents.example'

/** The configuration of a server whose issuers are on loopback. */
export const ssoConfig = (config: { plugins?: object; http?: object } = {}) => ({
  ...config,
  http: { public_url: SSO_PUBLIC_URL, ...config.http },
  plugins: { sso: { allow_hosts: ['127.0.0.1'] }, ...config.plugins },
})

/** Enables sign-in with an issuer on a server. */
export async function useIssuer(server: TestServer, issuer: string, more: object = {}): Promise<void> {
  const body = {
    enabled: true,
    issuer,
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    rules: [],
    ...more,
  }
  const reply = await server.request('PUT', '/auth/oauth/providers/oidc', { body })
  if (reply.status !== 200) throw new Error(`the settings were answered ${JSON.stringify(reply.body)}`)
}
