import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { SentFile } from '../../plugin-api/testing/fake-platform.ts'
import type { createFakeCards } from './fake-feishu-cards.ts'
import type { createFakeMessages, Uploads } from './fake-feishu-messages.ts'
import { FakeRefusal, must } from './fake-feishu-refusal.ts'
import type { createFakeRegistration } from './fake-feishu-registration.ts'

// biome-ignore lint/suspicious/noExplicitAny: a body is what the bot sends, and this is where its form is looked at
type Loose = any

/** A call as it arrived. */
export interface FeishuCall {
  method: string
  /** Without `/open-apis` and query. */
  path: string
  body: Loose
}

/** The controls of the API for tests. */
export interface FaultSwitches {
  /** Calls that send or change messages: how many are answered with the rate limit, or not as they should. */
  limited: number
  retryAfter: number
  failing: number
  /** Refusals to come, by a part of the call's method and path; status 0 is no answer at all. */
  refusals: {
    of: string
    code: number
    status: number
    times: number
    location?: string | undefined
    /** The message; a text that begins with `<` is the whole answer. */
    words?: string | undefined
  }[]
  /** True to leave all calls unanswered. */
  isSilent: boolean
  /** The settings of the long connection. */
  clientConfig: unknown
}

interface Request extends FeishuCall {
  query: URLSearchParams
  form(): Promise<FormData>
}

type Handler = (request: Request, parts: string[]) => unknown

const MEGABYTE = 1024 * 1024

/** Serves the API and what belongs to it; `secrets` collects all that was given out and nobody else may see. */
export function createFakeApi({
  app,
  bot,
  socketAddress,
  cards,
  messages,
  uploads,
  resources,
  registration,
  secrets,
  violations,
}: {
  app: { app_id: string; app_secret: string }
  bot: string
  socketAddress(): string
  cards: ReturnType<typeof createFakeCards>
  messages: ReturnType<typeof createFakeMessages>
  uploads: Uploads
  resources: Map<string, { message_id: string; type: string; file: SentFile }>
  registration: ReturnType<typeof createFakeRegistration>
  secrets: string[]
  violations: string[]
}) {
  const calls: FeishuCall[] = []
  const tokens = new Set<string>()
  const tickets = new Set<string>()
  const faults: FaultSwitches = {
    limited: 0,
    retryAfter: 1,
    failing: 0,
    refusals: [],
    isSilent: false,
    clientConfig: { ReconnectCount: -1, ReconnectInterval: 1, ReconnectNonce: 0, PingInterval: 1 },
  }

  function grant(kind: Set<string>, prefix: string) {
    const secret = `${prefix}${randomBytes(16).toString('hex')}`
    kind.add(secret)
    secrets.push(secret)
    return secret
  }

  const handlers: [call: RegExp, handler: Handler][] = [
    [
      /^POST \/auth\/v3\/tenant_access_token\/internal$/,
      ({ body }) => {
        if (body.app_id !== app.app_id) return { code: 10003, msg: 'invalid param' }
        if (body.app_secret !== app.app_secret)
          return { code: 10014, msg: `app secret invalid: ${body.app_secret}` }
        return { code: 0, msg: 'ok', tenant_access_token: grant(tokens, 't-'), expire: 7200 }
      },
    ],
    [
      /^GET \/bot\/v3\/info$/,
      () => ({ code: 0, msg: 'ok', bot: { activate_status: 2, app_name: 'Bot', open_id: bot } }),
    ],
    [
      /^POST \/im\/v1\/messages$/,
      ({ query, body }) => sent(messages.create(query.get('receive_id_type'), body).id),
    ],
    [/^POST \/im\/v1\/messages\/(\w+)\/reply$/, ({ body }, [id]) => sent(messages.reply(id!, body).id)],
    [/^PATCH \/im\/v1\/messages\/(\w+)$/, ({ body }, [id]) => messages.patch(id!, body)],
    [
      /^GET \/im\/v1\/messages\/(\w+)$/,
      ({ query }, [id]) => {
        const isWhole = query.get('card_msg_content_type') === 'user_card_content'
        const items = messages.withParts(id!).map((message) => messages.view(message, isWhole))
        return { code: 0, msg: 'success', data: { items } }
      },
    ],
    [
      /^GET \/im\/v1\/messages\/(\w+)\/resources\/(\w+)$/,
      ({ query }, [id, key]) => {
        const resource = resources.get(key!)
        must(resource?.message_id === id, 234003, 'File not in msg.')
        must(resource?.type === query.get('type'), 234001, 'Invalid request param.')
        return resource.file
      },
    ],
    [/^POST \/im\/v1\/(image|file)s$/, (request, [kind]) => upload(request, kind as 'image' | 'file')],
    [
      /^POST \/cardkit\/v1\/cards$/,
      ({ body }) => ({ code: 0, msg: 'success', data: { card_id: cards.create(body).id } }),
    ],
    [/^PUT \/cardkit\/v1\/cards\/(\w+)$/, ({ body }, [id]) => cards.replaceCard(id!, body)],
    [/^PATCH \/cardkit\/v1\/cards\/(\w+)\/settings$/, ({ body }, [id]) => cards.changeSettings(id!, body)],
    [
      /^PUT \/cardkit\/v1\/cards\/(\w+)\/elements\/(\w+)\/content$/,
      ({ body }, [id, element]) => cards.changeText(id!, element!, body),
    ],
  ]

  const sent = (message_id: string) => ({ code: 0, msg: 'success', data: { message_id } })

  async function upload({ form }: Request, kind: 'image' | 'file') {
    const fields = await form()
    const file = fields.get(kind) as unknown as File | null
    must(file && typeof file !== 'string', 234001, 'Invalid request param.')
    must(fields.get(kind === 'image' ? 'image_type' : 'file_type'), 234001, 'Invalid request param.')
    const bytes = new Uint8Array(await file.arrayBuffer())
    must(bytes.length > 0, 234010, "File's size can't be 0.")
    must(
      bytes.length <= (kind === 'image' ? 10 : 30) * MEGABYTE,
      234006,
      'The file size exceed the max value.',
    )
    if (kind === 'image')
      must(bytes[0] === 0x89 || bytes[0] === 0xff, 234011, "Can't recognize the image format.")
    const filename = String(fields.get('file_name') ?? file.name)
    const key = `${kind}_v3_${uploads.size + 1}`
    uploads.set(key, { kind, file: { filename, media_type: file.type, bytes } })
    return { code: 0, msg: 'success', data: { [`${kind}_key`]: key } }
  }

  function assertToken(authorization: string | undefined) {
    must(authorization, 99991661, 'Missing access token for authorization.')
    const token = authorization.replace(/^Bearer /, '')
    must(tokens.has(token), 99991663, `Invalid access token for authorization: ${token}`)
  }

  /** True if a fault handled the call, by an answer like that of a proxy or by none. */
  function takeFault(call: FeishuCall, response: ServerResponse): boolean {
    const isChange = /^(POST|PUT|PATCH) \/(im\/v1\/messages|cardkit)/.test(`${call.method} ${call.path}`)
    if (isChange && faults.limited > 0) {
      faults.limited -= 1
      const headers = { 'x-ogw-ratelimit-limit': '5', 'x-ogw-ratelimit-reset': String(faults.retryAfter) }
      send(response, 400, { code: 99991400, msg: 'request trigger frequency limit' }, headers)
      return true
    }
    if (isChange && faults.failing > 0) {
      faults.failing -= 1
      if (faults.failing % 2 === 0) send(response, 502, '<html>Bad Gateway</html>')
      else response.socket!.destroy()
      return true
    }
    const refusal = faults.refusals.find(
      ({ of, times }) => times > 0 && `${call.method} ${call.path}`.includes(of),
    )
    if (!refusal) return false
    refusal.times -= 1
    if (refusal.status === 0) return true
    const { status, code, location, words = `refused for ${app.app_secret}` } = refusal
    const answer = words.startsWith('<') ? words : { code, msg: words }
    send(response, status, answer, { ...(location && { location }) })
    return true
  }

  async function serveApi(request: Request, authorization: string | undefined, response: ServerResponse) {
    const { method, path, body } = request
    calls.push({ method, path, body })
    if (takeFault(request, response)) return
    for (const [pattern, handler] of handlers) {
      const match = `${method} ${path}`.match(pattern)
      if (!match) continue
      if (!path.startsWith('/auth/')) assertToken(authorization)
      const result = (await handler(request, match.slice(1))) as Loose
      if (!result?.bytes) return send(response, 200, result ?? { code: 0, msg: 'success', data: {} })
      response.writeHead(200, { 'content-type': result.media_type })
      return void response.end(result.bytes)
    }
    send(response, 404, '404 page not found')
  }

  /** Says where to connect to. */
  function serveEndpoint({ AppID, AppSecret }: Loose, response: ServerResponse) {
    if (AppID !== app.app_id || AppSecret !== app.app_secret)
      return send(response, 200, { code: 514, msg: `auth failed for ${AppSecret}` })
    const query = `device_id=7&service_id=33&ticket=${grant(tickets, 'ticket-')}`
    send(response, 200, {
      code: 0,
      msg: '',
      data: { URL: `${socketAddress()}/ws/v2?fpid=493&${query}`, ClientConfig: faults.clientConfig },
    })
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse) {
    const bytes = await buffer(incoming)
    if (faults.isSilent) return
    const { method = '', headers } = incoming
    const { pathname, searchParams } = new URL(incoming.url!, 'http://fake')
    const type = headers['content-type']
    if (pathname === '/oauth/v1/app/registration') {
      const { status, body } = registration.answer(type, bytes.toString())
      return send(response, status, body)
    }
    if (/\\ud[89a-f][0-9a-f]{2}/i.test(bytes.toString())) violations.push('half a character was sent')
    const body = type?.startsWith('application/json') ? JSON.parse(bytes.toString()) : undefined
    const path = pathname.replace('/open-apis', '')
    if (pathname === '/callback/ws/endpoint') {
      calls.push({ method, path, body })
      return takeFault({ method, path, body }, response) || serveEndpoint(body, response)
    }
    const form = () => new Response(bytes, { headers: { 'content-type': type ?? '' } }).formData()
    await serveApi({ method, path, body, query: searchParams, form }, headers.authorization, response)
  }

  return {
    calls,
    faults,
    tokens,
    isTicket: (ticket: string | null) => tickets.delete(ticket ?? ''),

    serve(incoming: IncomingMessage, response: ServerResponse) {
      serve(incoming, response).catch((error) => {
        if (!(error instanceof FakeRefusal)) return response.destroy(error)
        send(response, error.status, { code: error.code, msg: error.message })
      })
    },
  }
}

function send(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
  response.end(isText ? body : JSON.stringify(body))
}
