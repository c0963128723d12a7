import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { SentFile } from '../../plugin-api/testing/fake-platform.ts'
import type { FakeInteractions } from './fake-discord-interactions.ts'
import { type FakeMessages, isRefusal, type MessageBody, type Refusal } from './fake-discord-messages.ts'
import { BOT, CHANNELS, type WireMessage } from './fake-discord-world.ts'

/** The current faults of the API; counters decrease with each call that sends or changes a message. */
export interface Troubles {
  limited: { calls: number; seconds: number; isGlobal: boolean }
  failing: number
  /** The answers to the next calls that send or change messages. */
  answers: { status: number; body?: unknown; headers?: Record<string, string> }[]
  isSilent: boolean
  /** Sessions that may still be begun today. */
  sessionsLeft: number
  /** The advertised address of the gateway; the real one unless set. */
  gatewayUrl?: string
  /** Called when the address of the gateway is given out. */
  onGateway?(): void
  /** Flags of the application: that it may read what is written. */
  flags: number
}

interface Request {
  method: string
  path: string
  query: URLSearchParams
  body: MessageBody & { type?: number; data?: MessageBody }
  file: SentFile | undefined
}

type Answer = { status: number; body?: unknown; headers?: Record<string, string> }

const refuse = ({ status, ...body }: Refusal): Answer => ({ status, body })
const UNKNOWN: Answer = { status: 404, body: { code: 0, message: '404: Not Found' } }

/** The subset of Discord's REST API, version 10, that a chat bot uses. */
export function createFakeApi({
  token,
  gatewayUrl,
  messages,
  interactions,
  troubles,
  typing,
  violations,
}: {
  token: () => string
  gatewayUrl: () => string
  messages: FakeMessages
  interactions: FakeInteractions
  troubles: Troubles
  typing(): void
  violations: string[]
}) {
  let faults = 0

  /** Faults take turns: of the server, and of a socket after the call was carried out. */
  function disturb(): 'fault' | 'cut' | Answer | undefined {
    const { limited, answers } = troubles
    const answer = answers.shift()
    if (answer) return answer
    if (limited.calls > 0) {
      limited.calls--
      return tooMany(limited)
    }
    if (troubles.failing > 0) {
      troubles.failing--
      return faults++ % 2 === 0 ? 'fault' : 'cut'
    }
    return undefined
  }

  function writeMessage(request: Request, channel_id: string, id?: string): Answer {
    const closed = messages.checkChannel(channel_id)
    if (closed) return refuse(closed)
    const message = id
      ? messages.patch(channel_id, id, request.body)
      : messages.post(channel_id, request.body, request.file)
    return isRefusal(message) ? refuse(message) : { status: 200, body: message }
  }

  function readMessages(request: Request, channel_id: string, id?: string): Answer {
    const closed = messages.checkChannel(channel_id)
    if (closed) return refuse(closed)
    const here = [...messages.all.values()].filter((message) => message.channel_id === channel_id)
    if (id) {
      const message = here.find((message) => message.id === id)
      return message
        ? { status: 200, body: withoutPlace(message) }
        : refuse({ status: 404, code: 10008, message: 'Unknown Message' })
    }
    const after = here.findIndex((message) => message.id === request.query.get('after'))
    const limit = Number(request.query.get('limit') ?? 50)
    // Newest first, although it is asked for what comes after.
    return {
      status: 200,
      body: here
        .slice(after + 1, after + 1 + limit)
        .reverse()
        .map(withoutPlace),
    }
  }

  const nothingOr = (wrong: Refusal | undefined): Answer => (wrong ? refuse(wrong) : { status: 204 })

  const routes: [method: string, path: RegExp, serve: (request: Request, ...parts: string[]) => Answer][] = [
    ['GET', /^\/users\/@me$/, () => ({ status: 200, body: BOT })],
    ['GET', /^\/applications\/@me$/, () => ({ status: 200, body: { id: BOT.id, flags: troubles.flags } })],
    [
      'GET',
      /^\/gateway\/bot$/,
      () => {
        troubles.onGateway?.()
        return {
          status: 200,
          body: {
            url: troubles.gatewayUrl ?? gatewayUrl(),
            shards: 1,
            session_start_limit: {
              total: 1000,
              remaining: troubles.sessionsLeft,
              reset_after: troubles.sessionsLeft < 1000 ? 3_600_000 : 0,
              max_concurrency: 1,
            },
          },
        }
      },
    ],
    ['GET', /^\/channels\/(\w+)\/messages(?:\/(\w+))?$/, readMessages],
    ['POST', /^\/channels\/(\w+)\/messages$/, writeMessage],
    ['PATCH', /^\/channels\/(\w+)\/messages\/(\w+)$/, writeMessage],
    [
      'PATCH',
      /^\/channels\/(\w+)$/,
      ({ body }, channel_id) => {
        const refusal = messages.changeChannel(channel_id, body)
        return refusal ? refuse(refusal) : { status: 200, body: { id: channel_id } }
      },
    ],
    [
      'POST',
      /^\/channels\/(\w+)\/typing$/,
      (_request, channel_id) => {
        if (!Object.values(CHANNELS).includes(channel_id)) return UNKNOWN
        typing()
        return { status: 204 }
      },
    ],
    [
      'POST',
      /^\/interactions\/(\w+)\/([\w-]+)\/callback$/,
      ({ body }, id, secret) =>
        nothingOr(
          interactions.answer(id, secret, { type: body.type!, ...(body.data && { data: body.data }) }),
        ),
    ],
    [
      'POST',
      /^\/webhooks\/\w+\/([\w-]+)$/,
      ({ body }, secret) => nothingOr(interactions.follow(secret, body, false)),
    ],
    [
      'PATCH',
      /^\/webhooks\/\w+\/([\w-]+)\/messages\/@original$/,
      ({ body }, secret) => nothingOr(interactions.follow(secret, body, true)),
    ],
  ]

  return async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const bytes = await buffer(incoming)
    if (troubles.isSilent) return
    const { headers, method = '' } = incoming
    const { pathname, searchParams } = new URL(incoming.url!, 'http://x')
    const reply = ({ status, body, headers: more }: Answer) => {
      // A text is the page of a server in front of Discord.
      const type = typeof body === 'string' ? 'text/html; charset=UTF-8' : 'application/json'
      response.writeHead(status, { ...(body !== undefined && { 'content-type': type }), ...more })
      response.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body))
    }
    if (headers.authorization !== `Bot ${token()}`)
      return reply({ status: 401, body: { message: '401: Unauthorized', code: 0 } })
    if (!/^DiscordBot \(/.test(headers['user-agent'] ?? ''))
      violations.push('a request that does not name its client')
    const path = pathname.replace(/^\/api\/v10/, '')
    const route = routes.find(([verb, pattern]) => verb === method && pattern.test(path))
    if (!route) return reply(UNKNOWN)
    const isWriting = method !== 'GET' && path.includes('/messages')
    const trouble = isWriting ? disturb() : undefined
    if (trouble === 'fault')
      return reply({ status: 503, body: { message: 'upstream connect error', code: 0 } })
    if (typeof trouble === 'object') return reply(trouble)
    const request = { method, path, query: searchParams, ...(await parse(bytes, headers['content-type'])) }
    const answer = route[2](request, ...route[1].exec(path)!.slice(1))
    if (trouble === 'cut') response.socket?.destroy()
    else reply(answer)
  }
}

function tooMany({ seconds, isGlobal }: Troubles['limited']): Answer {
  return {
    status: 429,
    body: { message: 'You are being rate limited.', retry_after: seconds, global: isGlobal },
    headers: {
      'retry-after': String(seconds),
      'x-ratelimit-scope': isGlobal ? 'global' : 'user',
      ...(isGlobal && { 'x-ratelimit-global': 'true' }),
    },
  }
}

async function parse(
  bytes: Buffer,
  type = '',
): Promise<{ body: Request['body']; file: SentFile | undefined }> {
  if (bytes.length === 0) return { body: {}, file: undefined }
  if (!type.startsWith('multipart/')) return { body: JSON.parse(bytes.toString()), file: undefined }
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
  const file = form.get('files[0]') as File
  return {
    body: JSON.parse(String(form.get('payload_json'))),
    file: { filename: file.name, media_type: file.type, bytes: new Uint8Array(await file.arrayBuffer()) },
  }
}

const withoutPlace = ({ guild_id: _, ...message }: WireMessage) => message
