import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { SentFile } from '../../plugin-api/testing/fake-platform.ts'
import { BOT, type SyncQuery, type World } from './fake-matrix-world.ts'

/** The limit of a homeserver for an event. */
const MAX_EVENT_BYTES = 65_536

/** Elements that the specification lets clients show. */
const ELEMENTS = new Set(
  'del h1 h2 h3 h4 h5 h6 blockquote p a ul ol sup sub li b i u strong em s code hr br div table thead tbody tr th td caption pre span img details summary'.split(
    ' ',
  ),
)

/** Troubles that a test makes. */
export interface Troubles {
  limited: { calls: number; seconds: number }
  /** The next sent events are stored, but their answers are lost. */
  failing: number
  /** Answers the next request whose path contains these words. */
  answers: { path: string; status: number; body?: unknown; headers?: Record<string, string> }[]
  /** True for a homeserver before version 1.11, whose files need no token, and which pages beyond `to`. */
  is_old: boolean
  /** The address that `.well-known` names; the site is no homeserver then. */
  names?: string
}

/** A refusal in the form of the protocol. */
class Refused extends Error {
  readonly status: number
  readonly errcode: string
  readonly more: object

  constructor(status: number, errcode: string, more: object = {}) {
    super(errcode)
    this.status = status
    this.errcode = errcode
    this.more = more
  }
}

/** The state of the homeserver that requests use and change. */
export interface ApiState {
  world: World
  troubles: Troubles
  violations: string[]
  password: string
  /** The devices of the bot by token. */
  tokens: Map<string, string>
  files: Map<string, SentFile>
  /** The position up to which the bot has said that it has everything. */
  seen(position: number): void
  typed(): void
  receipts: string[]
  joinable: Set<string>
  /** The open requests for news. */
  polls: Set<IncomingMessage>
}

type Handler = (
  match: string[],
  request: { query: URLSearchParams; body: Buffer; raw: IncomingMessage; user: string },
) => Promise<unknown> | unknown

/** Serves the Client-Server API to the bot. */
export function createFakeApi(state: ApiState) {
  const { world, troubles, violations, tokens, files, polls } = state
  const transactions = new Map<string, { event_id: string; content: string }>()

  const roomOf = (room_id: string, user: string) => {
    const room = world.rooms.get(room_id)
    if (room?.members.get(user) !== 'join')
      throw new Refused(403, 'M_FORBIDDEN', { error: `User not in room` })
    return room
  }

  const routes: [string, RegExp, Handler][] = [
    [
      'POST',
      /^\/client\/v3\/login$/,
      (_, { body }) => {
        const { type, identifier, password, device_id = randomUUID() } = JSON.parse(body.toString())
        if (type !== 'm.login.password') throw new Refused(400, 'M_UNKNOWN')
        if (identifier?.user !== BOT || password !== state.password) throw new Refused(403, 'M_FORBIDDEN')
        const access_token = `syt_${randomUUID()}`
        for (const [token, device] of tokens) if (device === device_id) tokens.delete(token)
        tokens.set(access_token, device_id)
        return { user_id: BOT, access_token, device_id }
      },
    ],
    [
      'POST',
      /^\/client\/v3\/logout$/,
      (_, { raw }) => {
        tokens.delete(tokenOf(raw) ?? '')
        return {}
      },
    ],
    ['GET', /^\/client\/v3\/account\/whoami$/, (_, { user }) => ({ user_id: user })],
    ['GET', /^\/client\/v3\/sync$/, (_, { query, raw, user }) => sync(query, raw, user)],
    [
      'GET',
      /^\/client\/v3\/rooms\/([^/]+)\/joined_members$/,
      ([room_id], { user }) => {
        const { members, names } = roomOf(room_id!, user)
        const joined = [...members].filter(([, membership]) => membership === 'join')
        return {
          joined: Object.fromEntries(joined.map(([id]) => [id, { display_name: names.get(id) ?? null }])),
        }
      },
    ],
    [
      'GET',
      /^\/client\/v3\/rooms\/([^/]+)\/event\/([^/]+)$/,
      ([room_id, event_id], { user }) => {
        roomOf(room_id!, user)
        const event = world.findEvent(room_id!, event_id!)
        if (!event) throw new Refused(404, 'M_NOT_FOUND')
        return event
      },
    ],
    [
      'GET',
      /^\/client\/v3\/rooms\/([^/]+)\/state\/([^/]+)$/,
      ([room_id, type], { user }) => {
        const { deliveries } = roomOf(room_id!, user)
        const state = deliveries.findLast(({ event }) => event.type === type && event.state_key === '')
        if (!state) throw new Refused(404, 'M_NOT_FOUND')
        return state.event.content
      },
    ],
    [
      'GET',
      /^\/client\/v3\/rooms\/([^/]+)\/messages$/,
      ([room_id], { query, user }) => {
        const room = roomOf(room_id!, user)
        if (query.get('dir') !== 'b') violations.push('messages were not requested backwards')
        const { types } = JSON.parse(query.get('filter') ?? '{}')
        const from = readPosition(query.get('from'))
        const all = world.between(room, troubles.is_old ? 0 : readPosition(query.get('to')), from, types)
        const page = all.slice(-Number(query.get('limit')))
        return {
          chunk: page.map(({ event }) => event).reverse(),
          start: query.get('from'),
          ...(page.length < all.length && { end: `t${page[0]!.at - 1}` }),
        }
      },
    ],
    [
      'PUT',
      /^\/client\/v3\/rooms\/([^/]+)\/send\/m\.room\.message\/([^/]+)$/,
      ([room_id, txn], { body, user }) => sendEvent(room_id!, txn!, body, user),
    ],
    [
      'PUT',
      /^\/client\/v3\/rooms\/([^/]+)\/typing\/([^/]+)$/,
      ([room_id, typist], { user }) => {
        roomOf(room_id!, user)
        if (typist !== user) throw new Refused(403, 'M_FORBIDDEN')
        state.typed()
        return {}
      },
    ],
    [
      'POST',
      /^\/client\/v3\/rooms\/([^/]+)\/receipt\/m\.read\/([^/]+)$/,
      ([room_id, event_id], { user }) => {
        roomOf(room_id!, user)
        state.receipts.push(event_id!)
        return {}
      },
    ],
    [
      'POST',
      /^\/client\/v3\/join\/([^/]+)$/,
      ([room_id], { user }) => {
        const room = world.rooms.get(room_id!)
        if (!room) throw new Refused(404, 'M_NOT_FOUND')
        if (room.members.get(user) !== 'join') {
          if (room.members.get(user) !== 'invite' && !state.joinable.has(room_id!))
            throw new Refused(403, 'M_FORBIDDEN')
          world.setMember(room_id!, user, 'join')
        }
        return { room_id }
      },
    ],
    [
      'POST',
      /^\/media\/v3\/upload$/,
      (_, { query, body, raw }) => {
        const id = randomUUID().replaceAll('-', '')
        const media_type = raw.headers['content-type'] ?? 'application/octet-stream'
        files.set(`/fake.test/${id}`, { filename: query.get('filename') ?? '', media_type, bytes: body })
        return { content_uri: `mxc://fake.test/${id}` }
      },
    ],
  ]

  function sendEvent(room_id: string, txn: string, body: Buffer, user: string) {
    const room = roomOf(room_id, user)
    if (troubles.limited.calls > 0) {
      troubles.limited.calls -= 1
      const retry_after_ms = troubles.limited.seconds * 1000
      throw new Refused(429, 'M_LIMIT_EXCEEDED', { error: 'Too Many Requests', retry_after_ms })
    }
    if (body.length > MAX_EVENT_BYTES - 1000)
      throw new Refused(413, 'M_TOO_LARGE', { error: 'event too large' })
    const text = body.toString()
    const earlier = transactions.get(txn)
    if (earlier) return { event_id: earlier.event_id }
    const content = JSON.parse(text)
    checkContent(room, content, user)
    const { event_id } = world.add(room_id, { sender: user, content })
    transactions.set(txn, { event_id, content: text })
    if (troubles.failing > 0) {
      troubles.failing -= 1
      throw new Refused(502, '')
    }
    return { event_id }
  }

  // biome-ignore lint/suspicious/noExplicitAny: the content of an event.
  function checkContent(room: { deliveries: { event: any }[] }, content: any, user: string): void {
    if (/\\ud[89a-f]/i.test(JSON.stringify(content))) violations.push('an event has half a character')
    if (!content['m.mentions']) violations.push('an event does not say whom it mentions')
    const relation = content['m.relates_to']
    if (relation?.rel_type === 'm.replace') {
      const original = room.deliveries.find(({ event }) => event.event_id === relation.event_id)?.event
      if (original?.sender !== user || original.content['m.relates_to']?.rel_type === 'm.replace')
        violations.push('an edit does not replace a message of the bot')
      if (!content['m.new_content']?.body) violations.push('an edit has no new content')
    }
    if (relation?.rel_type === 'm.thread' && !relation['m.in_reply_to'])
      violations.push('a message in a thread has no fallback')
    for (const { formatted_body, format } of [content, content['m.new_content'] ?? {}]) {
      if ((formatted_body === undefined) !== (format === undefined))
        violations.push('HTML without its format')
      for (const [, name] of String(formatted_body ?? '').matchAll(/<\/?([a-z][a-z0-9-]*)/gi))
        if (!ELEMENTS.has(name!)) violations.push(`HTML has the element ${name}`)
    }
  }

  async function sync(query: URLSearchParams, raw: IncomingMessage, user: string) {
    const since = query.get('since') ?? undefined
    if (since !== undefined && !/^s\d+$/.test(since)) throw new Refused(400, 'M_INVALID_PARAM')
    const filter = JSON.parse(query.get('filter') ?? '{}')
    const asked: SyncQuery = {
      since: since === undefined ? undefined : readPosition(since),
      types: filter.room?.timeline?.types ?? [],
      limit: filter.room?.timeline?.limit ?? 10,
    }
    if (asked.since !== undefined) state.seen(asked.since)
    const ended = new AbortController()
    const timer = setTimeout(() => ended.abort(), Number(query.get('timeout') ?? 0))
    const end = () => ended.abort()
    raw.socket.once('close', end)
    polls.add(raw)
    try {
      for (;;) {
        const news = world.readNews(asked, user)
        if (since === undefined || 'rooms' in news || ended.signal.aborted) return news
        await world.news(ended.signal)
      }
    } finally {
      clearTimeout(timer)
      raw.socket.off('close', end)
      polls.delete(raw)
    }
  }

  const download = (path: string, isAuthenticated: boolean, response: ServerResponse) => {
    const [, version, file] = /^\/(client\/v1\/media|media\/v3)\/download(\/.+)$/.exec(path) ?? []
    const isNew = version === 'client/v1/media'
    if (isNew && troubles.is_old) throw new Refused(404, 'M_UNRECOGNIZED')
    if (isNew && !isAuthenticated) throw new Refused(401, 'M_MISSING_TOKEN')
    const stored = files.get(file!)
    if (!stored || (!isNew && !troubles.is_old)) throw new Refused(404, 'M_NOT_FOUND')
    response.writeHead(200, { 'content-type': stored.media_type }).end(stored.bytes)
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const answer = (status: number, content: unknown, headers: Record<string, string> = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(typeof content === 'string' ? content : JSON.stringify(content))
    try {
      const { pathname, searchParams } = new URL(request.url!, 'http://x')
      const trouble = troubles.answers.findIndex(({ path }) => decodeURIComponent(pathname).includes(path))
      if (trouble !== -1) {
        const [{ status, body = {}, headers = {} }] = troubles.answers.splice(trouble, 1) as [
          Troubles['answers'][number],
        ]
        return void answer(status, body, headers)
      }
      if (troubles.names !== undefined) {
        if (pathname !== '/.well-known/matrix/client') return void answer(404, '<html>')
        return void answer(200, { 'm.homeserver': { base_url: troubles.names } })
      }
      if (pathname === '/_matrix/client/versions') return void answer(200, { versions: ['v1.1', 'v1.11'] })
      const path = pathname.replace(/^\/_matrix/, '')
      const isAuthenticated = tokens.has(tokenOf(request) ?? '')
      if (path.includes('/download/')) return download(path, isAuthenticated, response)
      if (path !== '/client/v3/login' && !isAuthenticated)
        throw new Refused(401, tokenOf(request) ? 'M_UNKNOWN_TOKEN' : 'M_MISSING_TOKEN')
      for (const [method, pattern, handle] of routes) {
        const match = method === request.method && pattern.exec(path)
        if (!match) continue
        const body = request.method === 'GET' ? Buffer.alloc(0) : await buffer(request)
        const parts = match.slice(1).map(decodeURIComponent)
        return void answer(200, await handle(parts, { query: searchParams, body, raw: request, user: BOT }))
      }
      violations.push(`${request.method} ${path} is not known`)
      throw new Refused(404, 'M_UNRECOGNIZED')
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (error.errcode === '') return void answer(error.status, '<html>Bad gateway</html>')
      answer(error.status, { errcode: error.errcode, error: error.errcode, ...error.more })
    }
  }
}

const tokenOf = ({ headers }: IncomingMessage) => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]

const readPosition = (token: string | null) => Number(token?.slice(1) ?? 0)
