import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

/** Starts a real authorization server that registers clients by itself and issues tokens for one resource. */
export async function startOAuthIssuer(resource: () => string) {
  let answer = async (_request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.writeHead(503).end()
  }
  const http = createServer((request, response) => void answer(request, response))
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const provider = new Provider(url, {
    cookies: { keys: ['a key of a test'] },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource(),
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'mcp:tools mcp:write',
          audience: resource(),
          accessTokenFormat: 'opaque' as const,
          accessTokenTTL: 600,
        }),
      },
    },
    scopes: ['openid', 'offline_access', 'mcp:tools', 'mcp:write'],
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    rotateRefreshToken: true,
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      Interaction: 600,
      RefreshToken: 600,
      Session: 600,
    },
  })
  const serve = provider.callback()
  const issuer = {
    url,
    person: 'ada',
    /** The requests to the token endpoint. */
    tokens: 0,
    /** True while requests to the token endpoint are answered by an outage. */
    isDown: false,
    provider,
    /** Follows a sign-in as a browser does; returns the address to which it is sent back. */
    async visit(authorization_url: string): Promise<URL> {
      const cookies = new Map<string, string>()
      let next = new URL(authorization_url)
      for (let steps = 0; next.origin === url && steps < 12; steps += 1) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const response = await fetch(next, { redirect: 'manual', headers: { cookie } })
        for (const set of response.headers.getSetCookie()) {
          const [pair] = set.split(';')
          const [name, ...value] = pair!.split('=')
          cookies.set(name!, value.join('='))
        }
        const location = response.headers.get('location')
        if (!location) throw new Error(`no redirect: ${response.status} ${await response.text()}`)
        next = new URL(location, next)
      }
      return next
    },
    /** Ends every grant, as a person does who withdraws the access. */
    async revoke(token: string) {
      const accessToken = await provider.AccessToken.find(token)
      if (accessToken?.grantId) await (await provider.Grant.find(accessToken.grantId))?.destroy()
      await accessToken?.destroy()
    },
    async close() {
      http.close()
      http.closeAllConnections()
    },
  }
  const interact = async (request: IncomingMessage, response: ServerResponse) => {
    const { prompt, params, session } = await provider.interactionDetails(request, response)
    if (prompt.name === 'login')
      return provider.interactionFinished(request, response, { login: { accountId: issuer.person } })
    const grant = new provider.Grant({ accountId: session!.accountId, clientId: String(params.client_id) })
    grant.addResourceScope(resource(), 'mcp:tools mcp:write')
    if (params.scope) grant.addOIDCScope(String(params.scope))
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
  }
  answer = async (request, response) => {
    if (request.url!.startsWith('/token')) {
      issuer.tokens += 1
      if (issuer.isDown) return void response.writeHead(503, { 'content-type': 'text/html' }).end('<html>')
    }
    return request.url!.startsWith('/interaction/') ? interact(request, response) : serve(request, response)
  }
  return issuer
}
