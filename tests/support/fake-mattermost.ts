import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type WebSocket, WebSocketServer } from 'ws'
import type { FakePlatform, Saying, SentFile, ShownMessage } from '../../plugin-api/testing/fake-platform.ts'

/** An id in Mattermost's form. */
const makeId = () => randomBytes(13).toString('hex')

/** The bot, and the public channel that it is a member of. */
export const BOT = { id: makeId(), username: 'helper', is_bot: true }
export const TOWN = 'town'
export const directChannel = (person: string) => `direct-${person}`

/** The limit of Mattermost for a message, in characters. */
const MAX_MESSAGE = 16_383

/** A post as the API shows it. */
export interface WirePost {
  id: string
  create_at: number
  update_at: number
  delete_at: number
  user_id: string
  channel_id: string
  root_id: string
  message: string
  type: string
  props: Record<string, unknown>
  file_ids: string[]
  metadata: Record<string, unknown>
  history: string[]
}

/** Troubles that a test makes. */
interface Troubles {
  limited: { calls: number; seconds: number }
  /** The next posts are stored, but their answers are lost. */
  failing: number
  /** Answers the next request whose path contains these words. */
  answers: { path: string; status: number; body?: unknown; headers?: Record<string, string> }[]
  /** Number of events that are lost on their way. */
  lost_events: number
}

/** The fake of Mattermost, with what only Mattermost has. */
export interface FakeMattermost extends FakePlatform {
  troubles: Troubles
  posts: Map<string, WirePost>
  /** Adds a post of any kind; resolves when the bot has it. */
  write(fields: Partial<WirePost>): Promise<string>
  /** Does the same without waiting for the bot. */
  writeUnseen(fields: Partial<WirePost>): string
  host(file: SentFile): string
  /** Takes the token of the bot away. */
  revoke(): void
}

/** Starts a Mattermost server on loopback. */
export async function startFakeMattermost(): Promise<FakeMattermost> {
  const violations: string[] = []
  const posts = new Map<string, WirePost>()
  const files = new Map<string, SentFile>()
  const pending = new Map<string, string>()
  const channels = new Map<string, 'D' | 'O'>([[TOWN, 'O']])
  const sockets = new Map<WebSocket, number>()
  const token = makeId()
  const tokens = new Set([token])
  const troubles: Troubles = { limited: { calls: 0, seconds: 0 }, failing: 0, answers: [], lost_events: 0 }
  let last = Date.now() - 100_000
  let typings = 0

  const server = createServer((request, response) => {
    serve(request, response).catch((error) => {
      violations.push(String(error))
      response.destroy()
    })
  })
  const events = new WebSocketServer({ server, path: '/api/v4/websocket' })
  events.on('connection', (socket) => {
    socket.on('message', (bytes) => {
      const { action, data, seq } = JSON.parse(String(bytes))
      if (action !== 'authentication_challenge' || !tokens.has(data?.token)) {
        socket.send(JSON.stringify({ status: 'FAIL', seq_reply: seq, error: { id: 'api.web_socket.auth' } }))
        return socket.close()
      }
      socket.send(JSON.stringify({ status: 'OK', seq_reply: seq }))
      sockets.set(socket, 0)
      emit(socket, 'hello', { connection_id: makeId(), server_version: '10.5.0' })
    })
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const server_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  function emit(socket: WebSocket, event: string, data: object): void {
    const seq = sockets.get(socket)!
    sockets.set(socket, seq + 1)
    if (event !== 'hello' && troubles.lost_events > 0) {
      troubles.lost_events -= 1
      return
    }
    socket.send(JSON.stringify({ event, data, broadcast: {}, seq }))
  }

  const show = ({ history: _, ...post }: WirePost) => post

  function announce(post: WirePost): void {
    const channel_type = channels.get(post.channel_id)
    for (const socket of sockets.keys())
      emit(socket, 'posted', {
        channel_type,
        post: JSON.stringify(show(post)),
        sender_name: `@${post.user_id}`,
      })
  }

  function add(fields: Partial<WirePost>): WirePost {
    last = Math.max(last + 1, Date.now(), fields.create_at ?? 0)
    const post: WirePost = {
      id: makeId(),
      create_at: last,
      update_at: last,
      delete_at: 0,
      user_id: 'ann',
      channel_id: TOWN,
      root_id: '',
      message: '',
      type: '',
      props: {},
      file_ids: [],
      metadata: {},
      history: [],
      ...fields,
    }
    if (post.file_ids.length > 0)
      post.metadata.files = post.file_ids.map((id) => {
        const { filename, media_type, bytes } = files.get(id)!
        return { id, name: filename, mime_type: media_type, size: bytes.length }
      })
    posts.set(post.id, post)
    announce(post)
    return post
  }

  function fail(response: ServerResponse, status: number, id: string, headers = {}): void {
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ id, message: `refused: ${id}`, status_code: status }))
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, 'http://x')
    const path = pathname.replace(/^\/api\/v4/, '')
    const name = `${request.method} ${path}`
    const answer = (content: object) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(content))
    const trouble = troubles.answers.findIndex((one) => path.includes(one.path))
    if (trouble !== -1) {
      const { status, body = '<html>', headers } = troubles.answers.splice(trouble, 1)[0]!
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      return void response.writeHead(status, headers).end(text)
    }
    const bearer = request.headers.authorization?.replace('Bearer ', '')
    if (!tokens.has(bearer ?? '')) return fail(response, 401, 'api.context.session_expired.app_error')
    const [, user] = /^GET \/users\/([^/]+)$/.exec(name) ?? []
    if (user) return answer(user === 'me' ? BOT : { id: user, username: user, nickname: '' })
    const [, channel] = /^GET \/channels\/([^/]+)$/.exec(name) ?? []
    if (channel) {
      const type = channels.get(channel)
      return type ? answer({ id: channel, type }) : fail(response, 404, 'app.channel.get.existing.app_error')
    }
    if (name === `GET /users/${BOT.id}/channels`)
      return answer(
        [...channels.keys()].map((id) => ({
          id,
          last_post_at: Math.max(0, ...listPosts(id).map(({ create_at }) => create_at)),
        })),
      )
    const [, listed] = /^GET \/channels\/([^/]+)\/posts$/.exec(name) ?? []
    if (listed) {
      const since = searchParams.get('since')
      const newer = listPosts(listed).filter(({ update_at }) => since === null || update_at > Number(since))
      return answer({ order: [], posts: Object.fromEntries(newer.map((post) => [post.id, show(post)])) })
    }
    const [, read] = /^GET \/posts\/([^/]+)$/.exec(name) ?? []
    if (read) {
      const post = posts.get(read)
      return post ? answer(show(post)) : fail(response, 404, 'app.post.get.app_error')
    }
    const [, file] = /^GET \/files\/([^/]+)$/.exec(name) ?? []
    if (file) {
      const stored = files.get(file)
      if (!stored) return fail(response, 404, 'app.file_info.get.app_error')
      return void response.writeHead(200, { 'content-type': stored.media_type }).end(stored.bytes)
    }
    const body = await buffer(request)
    if (name === `POST /users/${BOT.id}/typing`) {
      typings += 1
      return answer({ status: 'OK' })
    }
    if (name === 'POST /files') {
      const form = await new Response(body, {
        headers: { 'content-type': request.headers['content-type']! },
      }).formData()
      const sent = form.get('files') as File
      const bytes = Buffer.from(await sent.arrayBuffer())
      const id = host({ filename: sent.name, media_type: sent.type, bytes })
      return answer({ file_infos: [{ id, name: sent.name }] })
    }
    const [, patched] = /^PUT \/posts\/([^/]+)\/patch$/.exec(name) ?? []
    if (name !== 'POST /posts' && !patched) {
      violations.push(`${name} is not known`)
      return fail(response, 404, 'api.context.404.app_error')
    }
    if (troubles.limited.calls > 0) {
      troubles.limited.calls -= 1
      return fail(response, 429, 'limited', { 'x-ratelimit-reset': String(troubles.limited.seconds) })
    }
    if (/\\ud[89a-f]/i.test(String(body))) violations.push('a post has half a character')
    const content = JSON.parse(String(body))
    if ([...(content.message ?? '')].length > MAX_MESSAGE)
      return fail(response, 400, 'model.post.is_valid.message_length.app_error')
    if (/@(all|channel|here)\b/.test(content.message ?? '')) violations.push('a post notifies everybody')
    if (patched) {
      const post = posts.get(patched)
      if (post?.user_id !== BOT.id) return fail(response, 403, 'api.context.permissions.app_error')
      if (post.message !== content.message) post.history.push(post.message)
      Object.assign(post, { message: content.message, update_at: Date.now() })
      return answer(show(post))
    }
    const root = content.root_id ? posts.get(content.root_id) : undefined
    if (content.root_id && (!root || root.delete_at > 0 || root.root_id))
      return fail(response, 400, 'api.post.create_post.root_id.app_error')
    const earlier = posts.get(pending.get(content.pending_post_id) ?? '')
    const { pending_post_id, ...fields } = content
    const post = earlier ?? add({ ...fields, user_id: BOT.id })
    pending.set(pending_post_id, post.id)
    if (troubles.failing > 0) {
      troubles.failing -= 1
      // As after the seconds for which Mattermost knows repeated posts.
      pending.clear()
      return void response.writeHead(502).end('<html>Bad gateway</html>')
    }
    return answer(show(post))
  }

  const listPosts = (channel_id: string) =>
    [...posts.values()].filter((post) => post.channel_id === channel_id)

  function host(file: SentFile): string {
    const id = makeId()
    files.set(id, file)
    return id
  }

  function compose({
    text,
    place = 'direct',
    sender = 'ann',
    mention = true,
    ...more
  }: Saying): Partial<WirePost> {
    const channel_id = place === 'group' ? TOWN : directChannel(sender)
    if (!channels.has(channel_id)) channels.set(channel_id, 'D')
    const quoted = more.quote === undefined ? undefined : makeId()
    if (quoted)
      posts.set(quoted, {
        ...add({ type: 'system_fake', channel_id }),
        id: quoted,
        type: '',
        user_id: 'ben',
        message: more.quote!,
        create_at: 1,
        update_at: 1,
      })
    return {
      channel_id,
      user_id: sender,
      message: place === 'group' && mention ? `@${BOT.username} ${text}` : text,
      ...(quoted && { root_id: quoted }),
      ...(more.id !== undefined && { id: more.id }),
      ...(more.sent_at !== undefined && { create_at: more.sent_at }),
      ...(more.file && { file_ids: [host(more.file)] }),
    }
  }

  async function connected(): Promise<void> {
    for (
      const end = Date.now() + 40_000;
      sockets.size === 0;
      await new Promise((wake) => setTimeout(wake, 5))
    )
      if (Date.now() > end) throw new Error('the bot never connects')
  }

  async function write(fields: Partial<WirePost>): Promise<string> {
    await connected()
    return add(fields).id
  }

  return {
    endpoints: {},
    allow_hosts: ['127.0.0.1'],
    config: { server_url, bot_token: token },
    wrong_config: { server_url, bot_token: makeId() },
    troubles,
    posts,
    violations,
    write,
    writeUnseen: (fields) => add(fields).id,
    host,
    revoke: () => tokens.clear(),
    say: (saying) => write(compose(saying)),
    sayUnheard: async (saying) => add(compose(saying)).id,
    redeliver: async (id) => announce(posts.get(id)!),
    shown: (place) =>
      [...posts.values()]
        .filter(({ user_id }) => user_id === BOT.id)
        .map(({ id, channel_id, message, history, file_ids }): ShownMessage => {
          const file = file_ids[0] && files.get(file_ids[0])
          return {
            id,
            place: channels.get(channel_id) === 'D' ? 'direct' : 'group',
            text: message,
            history,
            is_live: false,
            buttons: [],
            ...(file && { file }),
          }
        })
        .filter((message) => !place || message.place === place),
    press: async () => undefined,
    connections: () => sockets.size,
    drop() {
      for (const socket of sockets.keys()) socket.terminate()
      sockets.clear()
    },
    limitRate(calls, seconds) {
      Object.assign(troubles.limited, { calls, seconds })
    },
    fail(calls) {
      troubles.failing = calls
    },
    typings: () => typings,
    async close() {
      for (const socket of events.clients) socket.terminate()
      events.close()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
