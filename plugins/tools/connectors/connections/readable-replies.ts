import { AsyncLocalStorage } from 'node:async_hooks'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { type Json, parseObject } from '#plugin-api'
import { replaceBody } from './bounded-fetch.ts'
import { readEvents } from './event-lines.ts'
import { exchanges } from './exchange.ts'
import { ConnectorFailure, ILL_FORMED, NO_PROTOCOL, NOT_JSON } from './failure.ts'
import { toLooseText } from './loose-values.ts'
import { isAnswer, type MessageReader, type SentRequest } from './readable-messages.ts'
import { HttpRefusal, toRefusal } from './refusal.ts'
import { findWords, isAboutSession } from './server-words.ts'

/** The message that code sends. The library does not pass it to `fetch`, but for its text. */
const sentMessages = new AsyncLocalStorage<JSONRPCMessage>()

/** The requests that are answered before any other stream is open on which an answer could come. */
const GREETINGS = new Set(['server/discover', 'initialize'])
/** True for a status that the library handles: a sign-in, or a redirect. */
const isForLibrary = (status: number) => status === 403 || (status >= 300 && status < 400)

/** Makes the messages that a transport sends known to a reader, and to the `fetch` of `readableFetch`. */
export function noteMessages(transport: Transport, reader: MessageReader): void {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    for (const each of [message].flat()) reader.note(each)
    return sentMessages.run(message, () => send(message, options))
  }
}

/**
 * Returns a `fetch` for a transport whose replies are read in any form: by their first character if their type is
 * missing or another one, with all messages as `reader` reads them. A reply that refuses a request is thrown as a
 * ConnectorFailure with the words of the server, unless it is an error of JSON-RPC for that request.
 */
export function readableFetch(
  fetch: typeof globalThis.fetch,
  reader: MessageReader,
  {
    hasSession,
    isAnsweredElsewhere = false,
  }: {
    hasSession(headers: Headers): boolean
    /** True if the answers to requests come on another stream than their replies. */
    isAnsweredElsewhere?: boolean
  },
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const message = sentMessages.getStore()
    if (init?.method === 'POST' && message) {
      const request = isRequest(message) ? message : undefined
      if (!response.ok) return refuse(response, request, hasSession(new Headers(init.headers)))
      return request && !isAnsweredElsewhere ? readReply(response, request) : response
    }
    return isEvents(response) ? withBody(response, readStream(response.body!)) : response
  }

  async function refuse(
    response: Response,
    request: SentRequest | undefined,
    hasSession: boolean,
  ): Promise<Response> {
    const { status } = response
    if (isForLibrary(status)) return response
    const body = await response.text()
    const isGreeting = request && GREETINGS.has(request.method)
    if (status === 401) {
      // Some servers refuse a method, or a session, that they do not know like a request without a key.
      const isUnclear = request?.method === 'server/discover' || isAboutSession(findWords(body))
      if (response.headers.has('www-authenticate') || !isUnclear) return replaceBody(response, body)
    }
    const refusal = isGreeting
      ? new HttpRefusal(status, findWords(body))
      : toRefusal(status, body, hasSession)
    const answer = request && !isAnsweredElsewhere && parseAnswer(body)
    if (!answer || toLooseText(answer.id) !== String(request!.id)) throw refusal
    return toJson(response, reader.read(answer, request))
  }

  async function readReply(response: Response, request: SentRequest): Promise<Response> {
    if (isEvents(response)) return withBody(response, readStream(response.body!, request))
    if (response.status === 202 && !GREETINGS.has(request.method)) return response
    const { text, rest: whole } = await readBeginning(response)
    if (/^(?:data|event|id|retry)?:/.test(text)) return withBody(response, readStream(whole, request))
    if (text === '')
      throw new ConnectorFailure(
        'protocol',
        `The server did not answer the request: its reply with the status ${response.status} is empty.`,
      )
    if (!/^[[{"]/.test(text)) {
      await whole.cancel()
      throw new ConnectorFailure('protocol', NO_PROTOCOL)
    }
    return toJson(response, readMessages(parse(await new Response(whole).text()), request))
  }

  function readMessages(value: unknown, request: SentRequest): unknown {
    const messages = [value].flat().map((message) => reader.read(message, request))
    const isOfRequest = (message: unknown) => isAnswer(message) && Object(message).id === request.id
    if (messages.some(isOfRequest)) return messages
    // The only answer in the reply to a request belongs to it, also with another id.
    const answers = messages.filter(isAnswer)
    if (answers.length !== 1) throw new ConnectorFailure('protocol', ILL_FORMED)
    return [...messages.filter((message) => !isAnswer(message)), { ...Object(answers[0]), id: request.id }]
  }

  /** Reads a stream of events. With a request, the stream that ends without a readable answer fails its exchange. */
  function readStream(stream: ReadableStream<Uint8Array>, request?: SentRequest) {
    const exchange = exchanges.getStore()
    let isReadable = true
    const events = readEvents((data) => {
      try {
        return JSON.stringify(reader.read(JSON.parse(data), request))
      } catch {
        isReadable = false
        return undefined
      }
    })
    const end = new TransformStream<Uint8Array, Uint8Array>({
      flush() {
        if (request && !isReadable && reader.isUnanswered(request))
          exchange?.fail(new ConnectorFailure('protocol', NOT_JSON))
      },
    })
    return stream.pipeThrough(events).pipeThrough(end)
  }
}

const isRequest = (message: JSONRPCMessage): message is JSONRPCMessage & SentRequest =>
  'method' in message && 'id' in message && message.id !== undefined

const isEvents = ({ body, headers }: Response) =>
  body !== null && /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ConnectorFailure('protocol', NOT_JSON, { cause: error })
  }
}

/** Returns the error of JSON-RPC that a body consists of. */
function parseAnswer(body: string): Json | undefined {
  const value = parseObject(body)
  return isAnswer(value) && value?.error ? value : undefined
}

/** Reads a body until it says something; returns that, and the whole body. */
async function readBeginning(response: Response) {
  const { body } = response
  if (!body) return { text: '', rest: new ReadableStream<Uint8Array>() }
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const chunks: Uint8Array[] = []
  let text = ''
  let isOver = false
  while (text === '' && !isOver) {
    const { done, value } = await reader.read()
    isOver = done
    if (value) {
      chunks.push(value)
      text = (text + decoder.decode(value, { stream: true })).trimStart().slice(0, 16)
    }
  }
  const whole = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = chunks.shift()
      if (chunk) return controller.enqueue(chunk)
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return { text, rest: whole }
}

function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const headers = new Headers(response.headers)
  headers.set('content-type', 'text/event-stream')
  return replaceBody(response, body, { headers, ...(response.status === 202 && { status: 200 }) })
}

/** Returns a reply with these messages, which are not written and parsed again. */
function toJson(response: Response, messages: unknown): Response {
  const headers = new Headers(response.headers)
  headers.set('content-type', 'application/json')
  const reply = replaceBody(response, null, { headers, status: 200 })
  return Object.defineProperty(reply, 'json', { value: async () => messages })
}
