import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { CLIENT, SSO_PUBLIC_URL } from './oidc-client.ts'
import { signingKey } from './oidc-keys.ts'

/** A user with an account at the issuer. */
interface Person {
  sub: string
  [claim: string]: unknown
}

/** An issuer of OpenID Connect whose next visitor is chosen by the test. */
interface OidcIssuer {
  url: string
  /** The next user, in a browser without cookies; null for a user who refuses. */
  person: Person | null
  close(): Promise<void>
}

/** Starts a real issuer with one client. */
export async function startOidcIssuer(client: Record<string, unknown> = {}): Promise<OidcIssuer> {
  let answer = async (_request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.writeHead(503).end()
  }
  const http = createServer((request, response) => void answer(request, response))
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`

  const people = new Map<string, Person>()
  const provider = new Provider(url, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: ['oauth', 'oidc'].map((entry) => `${SSO_PUBLIC_URL}/api/auth/${entry}/callback`),
        ...client,
      },
    ],
    jwks: { keys: [{ ...signingKey.export({ format: 'jwk' }), kid: 'test', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['a key of a test'] },
    claims: {
      openid: ['sub', 'groups'],
      profile: ['name', 'preferred_username'],
      email: ['email', 'email_verified'],
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => people.get(sub)! }),
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
  })
  const serve = provider.callback()
  // The steps of a person in front of the pages.
  const interact = async (request: IncomingMessage, response: ServerResponse) => {
    const { prompt, params, session } = await provider.interactionDetails(request, response)
    const { person } = issuer
    if (!person) return provider.interactionFinished(request, response, { error: 'access_denied' })
    if (prompt.name === 'login') {
      people.set(person.sub, person)
      return provider.interactionFinished(request, response, { login: { accountId: person.sub } })
    }
    const grant = new provider.Grant({ accountId: session!.accountId, clientId: String(params.client_id) })
    grant.addOIDCScope(String(params.scope))
    const consent = { grantId: await grant.save() }
    return provider.interactionFinished(request, response, { consent })
  }
  answer = async (request, response) =>
    request.url!.startsWith('/interaction/') ? interact(request, response) : serve(request, response)

  const issuer: OidcIssuer = {
    url,
    person: { sub: 'ada' },
    async close() {
      http.close()
      http.closeAllConnections()
    },
  }
  return issuer
}
