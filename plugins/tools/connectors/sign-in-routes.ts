import { parseCookie, stringifySetCookie } from 'cookie'
import { AppError, assertOwnPage, objectOf, reply, rowOf } from '#plugin-api'
import { digest } from './credentials/sign-ins.ts'
import { route } from './manifest.ts'
import { connectorParams, newCredentials } from './schemas.ts'

const nameOfCookie = (state: string) => `svc_connector_${digest(state).slice(0, 12)}`

/** Returns the only value of a parameter; undefined if it is missing, or repeated with other values. */
const readOne = (value: unknown): string | undefined => {
  const [first, ...others] = new Set([value].flat())
  return typeof first === 'string' && first !== '' && others.length === 0 ? first : undefined
}

/** The routes of sign-ins to servers. */
export const signInRoutes = [
  route({
    method: 'POST',
    path: '/connectors/:id/authorize',
    operation_id: 'authorizeConnector',
    summary: 'Begin to sign in to a connector',
    description:
      'Returns the page of the server on which the caller signs in with OAuth 2.1. The tokens are the caller’s alone; turns that wait for them continue. In the browser that sent this request no confirmation is asked afterwards.',
    guard: 'user',
    params: connectorParams,
    body: objectOf({
      redirect_after: {
        type: 'string',
        maxLength: 1024,
        pattern: '^/(?![/\\\\])[^\\\\\\p{Cc}]*$',
        description: 'The page of the console to show afterwards',
        examples: ['/connectors'],
      },
    }),
    response: {
      200: rowOf({
        authorization_url: { type: 'string', examples: ['https://id.example.com/authorize?client_id=svc'] },
      }),
    },
    errors: [
      'NOT_FOUND',
      'CONNECTOR_SIGN_IN_UNAVAILABLE',
      'CONNECTOR_SIGN_IN_FAILED',
      'CONNECTOR_SIGN_IN_UNREACHABLE',
      'CONNECTOR_SIGN_IN_METADATA',
      'CONNECTOR_SIGN_IN_REGISTRATION',
    ],
    audit: 'connector.authorize',
  }).handle(async ({ caller, params, body }, { redirectUri, signIns, usable }) => {
    if (body.redirect_after !== undefined) assertOwnPage(body.redirect_after)
    const connector = await usable.find(caller, params.id)
    const { authorization_url, state } = await signIns.begin(connector, caller.id, body)
    const cookie = stringifySetCookie({
      name: nameOfCookie(state),
      value: digest(`${state} of the browser`),
      httpOnly: true,
      sameSite: 'lax',
      path: '/api/connectors/oauth',
      secure: redirectUri?.startsWith('https:') ?? false,
      maxAge: 600,
    })
    return reply(200, { authorization_url }, { 'Set-Cookie': cookie })
  }),

  route({
    method: 'GET',
    path: '/connectors/oauth/callback',
    operation_id: 'receiveConnectorCallback',
    summary: 'Receive the callback of a sign-in',
    description:
      'For browsers that come back from a server, not for clients. Reads `state`, `code`, `iss`, `error` and `error_description`, ignores all other parameters, and redirects to the console in any case: with `connector_error` after a failure. In a browser that did not begin the sign-in, a page first names the account and asks for confirmation, so that nobody signs in for somebody else.',
    guard: 'public',
    // Open, because authorization servers add parameters of their own, which a client must ignore.
    query: { type: 'object', additionalProperties: true },
    stream: 'response',
    response: {
      200: {
        type: 'string',
        contentMediaType: 'text/html',
        description: 'A page that asks for confirmation',
      },
      302: null,
    },
  }).handle(async ({ query, headers }, { server, signIns, waitingTurns }) => {
    const [state = '', code, error, description] = [
      query.state,
      query.code,
      query.error,
      query.error_description,
    ].map(readOne)
    const issuers = [query.iss ?? []].flat().map(String)
    const cookies = parseCookie(headers.cookie?.toString() ?? '')
    const hasBegun = cookies[nameOfCookie(state)] === digest(`${state} of the browser`)
    const common = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }
    if (!hasBegun && readOne(query.confirm) !== 'yes' && code !== undefined) {
      const names = await signIns.describe(state)
      if (names) {
        const again = new URLSearchParams({ state, code, confirm: 'yes' })
        for (const issuer of issuers) again.append('iss', issuer)
        return new Response(confirmationPage(names, `?${again}`), {
          headers: {
            ...common,
            'content-type': 'text/html; charset=utf-8',
            'content-security-policy':
              "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
          },
        })
      }
    }
    const done = await signIns.complete({ state, code, issuers, error, description })
    if ('user_id' in done) await waitingTurns.notice(done)
    const page = 'reason' in done ? `/connectors?connector_error=${done.reason}` : done.redirect_after
    const location = `${server.public_url?.replace(/\/+$/, '') ?? ''}${page}`
    return new Response(null, { status: 302, headers: { ...common, location } })
  }),
]

const escapeHtml = (text: string) =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)

const confirmationPage = ({ connector, username }: { connector: string; username: string }, link: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(connector)}</title>
<body style="font-family:system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem;line-height:1.5">
<h1 style="font-size:1.25rem">${escapeHtml(connector)}</h1>
<p>The agents of the account <b>${escapeHtml(username)}</b> will have access to the service that you have signed in to.
Continue only if this account is yours.</p>
<p lang="zh">这将允许账号 <b>${escapeHtml(username)}</b> 的智能体访问您刚刚登录的服务。仅当该账号属于您时才继续。</p>
<p><a href="${escapeHtml(link)}">Continue · 继续</a></p></body></html>`

const CREDENTIALS_PATH = '/connectors/:id/credentials'

/** The routes of the credentials of accounts. */
export const credentialRoutes = [
  route({
    method: 'PUT',
    path: CREDENTIALS_PATH,
    operation_id: 'putConnectorCredentials',
    summary: 'Enter credentials of your own',
    description:
      'Stores headers that are sent for the caller alone, with a connector that the caller sees or that an agent which the caller may open has. They are sent to the present origin of the connector only: once it leads elsewhere, they are missing. Turns of the caller that wait for them continue.',
    guard: 'user',
    params: connectorParams,
    body: newCredentials,
    response: { 204: null },
    errors: ['NOT_FOUND', 'CONNECTOR_SIGN_IN_UNAVAILABLE', 'CONNECTOR_MOVED'],
    audit: 'connector.credentials',
  }).handle(async ({ caller, params, body }, { usable, credentialAudiences, credentials, waitingTurns }) => {
    const { origin: expected, ...entered } = body
    const connector = await usable.find(caller, params.id)
    const audiences = credentialAudiences.of(connector)
    if (!audiences) throw new AppError('CONNECTOR_SIGN_IN_UNAVAILABLE')
    const { origin } = audiences
    if (expected !== undefined && expected !== origin) throw new AppError('CONNECTOR_MOVED', { origin })
    const key = { connector_id: connector._id, user_id: caller.id }
    await credentials.put(key, entered, origin)
    await waitingTurns.notice({ user_id: caller.id })
  }),

  route({
    method: 'DELETE',
    path: CREDENTIALS_PATH,
    operation_id: 'deleteConnectorCredentials',
    summary: 'Delete your credentials',
    description:
      'Forgets the headers or the sign-in of the caller for this connector, which also ends at its server if that can revoke tokens, and closes its connection.',
    guard: 'user',
    params: connectorParams,
    response: { 204: null },
    errors: ['NOT_FOUND'],
    audit: 'connector.credentials_delete',
  }).handle(async ({ caller, params }, { usable, credentials, connectionPool, revocation }) => {
    const connector = await usable.find(caller, params.id)
    const connector_id = connector._id
    await revocation.end(connector, caller.id)
    await credentials.remove({ connector_id, user_id: caller.id })
    await connectionPool.drop(`${connector_id}:${caller.id}`)
  }),
]
