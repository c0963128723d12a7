import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type Answer, type BotState, bad, METHODS, type Parameters } from './fake-telegram-methods.ts'
import type { UpdateQueue } from './fake-telegram-queue.ts'
import { complaintAboutStrings, readForm } from './fake-telegram-rules.ts'

/** The faults of a Bot API that a test can enable. */
export interface Troubles {
  /** Cuts every connection. */
  drop(): void
  /** Answers the next calls that send or change messages with the rate limit. */
  limitRate(calls: number, retry_after_seconds: number): void
  /** Answers the next calls that send or change messages with a fault of the server, or of the socket. */
  fail(calls: number): void
  /** Answers the next calls of any method with these words in Telegram's place. */
  answerWith(calls: number, status: number, contentType: string, body: string): void
  /** Refuses the next calls that send or change messages, or show that the bot types, with these words. */
  refuse(
    calls: number,
    refusal: { status: number; description: string; parameters?: Record<string, unknown> },
  ): void
  /** Answers nothing any more. */
  silence(): void
  /** Sets a webhook, as another program would; polls are refused from then on. */
  setWebhook(url: string): void
  /** Another program polls: the bot's own poll is ended. */
  pollElsewhere(): void
  /** Makes the token invalid, as @BotFather does on request. */
  revoke(): void
}

/** The HTTP side of a fake of Telegram. */
interface BotApi {
  url: string
  troubles: Troubles
  close(): Promise<void>
}

/** A bot that gets odd answers polls no more often within a second. */
const MAX_STRANGE_POLLS = 6
const CHANGES = new Set(['sendMessage', 'editMessageText', 'sendDocument', 'sendPhoto'])
const CONFLICT =
  'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running'
const WEBHOOK =
  "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"

/** The faults of a server that breaks, one after the other. */
const FAULTS: ((response: ServerResponse) => void)[] = [
  (response) => sendJson(response, 502, { ok: false, error_code: 502, description: 'Bad Gateway' }),
  (response) => response.socket?.destroy(),
  (response) => send(response, 504, 'text/html', '<html><body>504 Gateway Time-out</body></html>'),
]

/** Serves the Bot API and the files of one bot on loopback; `calls` gets the name of each method that is called. */
export async function startBotApi({
  token,
  state,
  queue,
  bytesOf,
  calls,
}: {
  token: string
  state: BotState
  queue: UpdateQueue
  /** The bytes of files by their paths. */
  bytesOf: ReadonlyMap<string, Uint8Array>
  calls: string[]
}): Promise<BotApi> {
  const { violations } = state
  let limits = { calls: 0, seconds: 0 }
  let faults = 0
  let strange = { calls: 0, status: 0, contentType: '', body: '' }
  let strangePolls: number[] = []
  let refused: { calls: number; refusal: Answer } = { calls: 0, refusal: refusal(400, '') }
  let silent = false
  let revoked = false

  function noteStrangePoll(): void {
    const now = performance.now()
    strangePolls = [...strangePolls.filter((time) => now - time < 1000), now]
    if (strangePolls.length > MAX_STRANGE_POLLS) violations.push('polls without pause')
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await buffer(request)
    const { pathname } = new URL(request.url ?? '', 'http://fake')
    const [, sentToken, method = ''] = /^\/(?:file\/)?bot([^/]+)\/(.+)$/.exec(pathname) ?? []
    const isFile = pathname.startsWith('/file/')
    calls.push(isFile ? 'file' : method)
    if (silent) return
    if (strange.calls > 0) {
      strange.calls -= 1
      if (method === 'getUpdates') noteStrangePoll()
      return send(response, strange.status, strange.contentType, strange.body)
    }
    if (sentToken === undefined || !/^\d+:/.test(sentToken))
      return answer(response, refusal(404, 'Not Found'))
    if (sentToken !== token || revoked) return answer(response, refusal(401, 'Unauthorized'))
    if (isFile) return serveFile(method, response)
    if (method === 'getUpdates') return servePoll(readParameters(request, bytes), response)
    const run = METHODS[method]
    if (!run) {
      violations.push(`calls ${method}, which nobody knows`)
      return answer(response, refusal(404, 'Not Found'))
    }
    if (CHANGES.has(method) && faults > 0) {
      faults -= 1
      return FAULTS[faults % FAULTS.length]!(response)
    }
    if (CHANGES.has(method) && limits.calls > 0) {
      limits.calls -= 1
      const { seconds: retry_after } = limits
      return answer(response, refusal(429, `Too Many Requests: retry after ${retry_after}`, { retry_after }))
    }
    if ((CHANGES.has(method) || method === 'sendChatAction') && refused.calls > 0) {
      refused.calls -= 1
      return answer(response, refused.refusal)
    }
    const parameters = readParameters(request, bytes)
    const complaint = complaintAboutStrings(parameters)
    answer(response, complaint ? bad(complaint) : run(state, parameters))
  }

  function servePoll(poll: Parameters, response: ServerResponse): void {
    queue.interrupt((earlier) => answer(earlier, refusal(409, CONFLICT)))
    if (state.webhook) answer(response, refusal(409, WEBHOOK))
    else queue.poll(poll, response, (updates) => answer(response, { result: updates }))
  }

  function serveFile(path: string, response: ServerResponse): void {
    const bytes = bytesOf.get(decodeURIComponent(path))
    if (bytes) response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(bytes)
    else answer(response, refusal(404, 'Not Found'))
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error) => {
      if (!response.destroyed) violations.push(`breaks the fake: ${error}`)
      response.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const endPoll = (reply: Answer) => queue.interrupt((response) => answer(response, reply))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    troubles: {
      drop: () => server.closeAllConnections(),
      limitRate(calls, retry_after_seconds) {
        limits = { calls, seconds: retry_after_seconds }
      },
      fail(calls) {
        faults = calls
      },
      answerWith(calls, status, contentType, body) {
        strange = { calls, status, contentType, body }
      },
      refuse(calls, refusal) {
        refused = { calls, refusal }
      },
      silence() {
        silent = true
      },
      setWebhook(url) {
        state.webhook = url
        if (url) endPoll(refusal(409, WEBHOOK))
      },
      pollElsewhere: () => endPoll(refusal(409, CONFLICT)),
      revoke() {
        revoked = true
        endPoll(refusal(401, 'Unauthorized'))
      },
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

const refusal = (status: number, description: string, parameters?: Record<string, unknown>): Answer => ({
  status,
  description,
  ...(parameters && { parameters }),
})

function answer(response: ServerResponse, reply: Answer): void {
  const { status, ...fields } = 'result' in reply ? { status: 200, ...reply } : reply
  sendJson(
    response,
    status,
    status === 200 ? { ok: true, ...fields } : { ok: false, error_code: status, ...fields },
  )
}

const sendJson = (response: ServerResponse, status: number, body: unknown) =>
  send(response, status, 'application/json', JSON.stringify(body))

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { 'content-type': contentType }).end(body)
}

/** Reads the parameters of a call from JSON or a form with files. */
function readParameters({ headers }: IncomingMessage, body: Buffer): Parameters {
  const type = headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) return body.length > 0 ? JSON.parse(body.toString()) : {}
  const parts = readForm(body, type)
  const parameters: Parameters = {}
  for (const { name, filename, bytes } of parts) {
    if (filename !== undefined) continue
    const text = bytes.toString()
    const attached = parts.find((part) => `attach://${part.name}` === text)
    parameters[name] = attached ?? (/^[{[]|^-?\d+$/.test(text) ? JSON.parse(text) : text)
  }
  return parameters
}
