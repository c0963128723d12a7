import type { Test } from '../run/file-test.ts'
import { type Oddity, startOddOAuth } from './odd-oauth.ts'
import { SSO_PUBLIC_URL } from './oidc-client.ts'
import { startServer } from './server.ts'

/** The deviations of a sign-in itself, besides the oddities of its servers. */
export interface OddSignIn {
  config?: object
  /** Parameters of the callback beside the right ones, or in place of them; blank ones are left out. */
  parameters?: Record<string, string | string[]>
  /** Changes the address of the server. */
  url?: (url: string) => string
}

/** Starts a server whose account signs in to connectors at an odd authorization server. */
export async function startOddSignIns(t: Test) {
  const odd = await startOddOAuth(`${SSO_PUBLIC_URL}/api/connectors/oauth/callback`)
  t.teardown(() => odd.close())
  const server = await startServer(t, {
    config: {
      http: { public_url: SSO_PUBLIC_URL },
      plugins: { connectors: { allow_hosts: ['127.0.0.1'], connect_seconds: 5 } },
    },
  })
  const call = (method: string, path: string, body?: unknown) => server.request(method, path, { body })

  /** Sends the browser back from the authorization server; returns the page that it ends on. */
  const comeBack = async (
    begun: Awaited<ReturnType<typeof call>>,
    parameters: OddSignIn['parameters'] = {},
  ) => {
    const cookie = begun.headers.get('set-cookie')!.split(';')[0]!
    const answer = { ...odd.authorize(begun.body.authorization_url), ...parameters }
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(answer))
      for (const text of [value].flat()) if (text !== '') query.append(name, text)
    const back = await fetch(`${server.url}/api/connectors/oauth/callback?${query}`, {
      redirect: 'manual',
      headers: { cookie },
    })
    return { status: back.status, location: back.headers.get('location') }
  }

  /** Creates a connector and signs in to it; returns the page that the browser ends on, or the refusal of its begin. */
  const signIn = async (oddity: Oddity, { config, parameters, url = (same) => same }: OddSignIn = {}) => {
    odd.reset(oddity)
    const made = await call('POST', '/connectors', {
      name: 'odd',
      kind: 'mcp',
      config: { url: url(odd.url), ...config },
    })
    const path = `/connectors/${made.body.id}`
    const begun = await call('POST', `${path}/authorize`, {})
    if (begun.status !== 200) return { path, refusal: begun }
    const { status, location } = await comeBack(begun, parameters)
    return { path, status, location }
  }

  return { odd, server, call, comeBack, signIn }
}
