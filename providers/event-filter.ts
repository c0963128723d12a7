import { randomUUID } from 'node:crypto'

/** The longest event that is read. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024

// biome-ignore lint/suspicious/noExplicitAny: an event as its upstream wrote it
export type Json = any

/** Mends the events of one answer, for a client library that would fail at odd ones. */
export interface EventMender {
  /** Returns the events to read instead of one, whose name is that of the line before it. */
  mend(event: Json, name: string): Json[]
  /** Returns the events to read before the end; `isDone` if the upstream has written `[DONE]`. */
  end?(isDone: boolean): Json[]
}

/**
 * Wraps a fetch so that the events of its answers are mended. Each line of data is read by itself if it is whole, and
 * an answer or its end that is bare JSON is an event as well.
 */
export const withMendedEvents =
  (fetch: typeof globalThis.fetch, createMender: () => EventMender): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    if (!response.ok || !response.body) return response
    const { status, statusText, headers } = response
    const body = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(createEventFilter(createMender()))
      .pipeThrough(new TextEncoderStream())
    return new Response(body, { status, statusText, headers })
  }

function createEventFilter(mender: EventMender): TransformStream<string, string> {
  let line = ''
  let data = ''
  let bare = ''
  let name = ''
  let isDone = false

  const write = (events: Json[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')

  /** Mends an event, or a list of events. */
  const read = (value: Json) =>
    write([value].flat().flatMap((event) => (isObject(event) ? mender.mend(event, name) : [])))

  /** Reads one line; returns the events that it completes. */
  function readLine(text: string): string {
    if (text.startsWith('event:')) name = text.slice('event:'.length).trim()
    else if (text.startsWith('data:')) return readData(text.slice('data:'.length).trim())
    else if (text === '') {
      // The library reports data that is not JSON.
      const unread = data === '' ? '' : `data: ${data.replaceAll('\n', '\ndata: ')}\n\n`
      data = ''
      if (bare === '') name = ''
      return unread
    } else if (bare !== '' || /^\s*[{[]/.test(text)) bare += `${text}\n`
    if (bare.length > MAX_EVENT_CHARS) bare = ''
    return ''
  }

  function readData(text: string): string {
    if (text === '') return ''
    if (text === '[DONE]') {
      isDone = true
      return ''
    }
    // A ping may be a value that is no object.
    if (data === '' && /^(?:null|true|false|-?\d+|"[^"]*")$/.test(text)) return ''
    data = data === '' ? text : `${data}\n${text}`
    if (data.length > MAX_EVENT_CHARS) throw new Error('an event of the answer is too long')
    const event = parse(data)
    if (event === undefined) return ''
    data = ''
    return read(event)
  }

  return new TransformStream({
    transform(text, controller) {
      // A long line, such as a picture, is put together once.
      if (!/[\r\n]/.test(text)) {
        line += text
        if (line.length > MAX_EVENT_CHARS) throw new Error('an event of the answer is too long')
        return
      }
      const lines = (line + text).split(/\r\n|\n|\r(?!$)/)
      line = lines.pop()!
      const events = lines.map(readLine).join('')
      if (events !== '') controller.enqueue(events)
    },
    flush(controller) {
      const last = readLine(line) + readLine('')
      // If the connection closes within the JSON, the answer ends too early, which is an error as well.
      name = ''
      const mended = read(parse(bare))
      controller.enqueue(
        `${last}${mended}${write(mender.end?.(isDone) ?? [])}${isDone ? 'data: [DONE]\n\n' : ''}`,
      )
    },
  })
}

function parse(text: string): Json {
  // Only a whole value is parsed: a long one may come in many lines.
  if (!/^\s*[{[]/.test(text) || !/[}\]]\s*$/.test(text.slice(-100))) return undefined
  try {
    return JSON.parse(text)
  } catch {
    // More lines may follow; at its end, an incomplete event is reported.
    return undefined
  }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Returns a value if it is an object, and an empty one otherwise. */
export const toObject = (value: unknown): Json => (isObject(value) && !Array.isArray(value) ? value : {})

/** Returns a number of tokens, if it is one: some upstreams write them as text, and some write nonsense. */
export function toCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return Number.isSafeInteger(count) && Number(count) >= 0 ? Number(count) : undefined
}

/** Returns a part of a number of tokens, which is not more than all of them. */
export const toShare = (value: unknown, total: number): number => Math.min(toCount(value) ?? 0, total)

/** Returns a text, or a number as one. */
export const toText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined

/** Creates an id for what came without one; it is unique in a conversation, of which other answers are a part. */
export const createId = (prefix: string): string =>
  `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 24)}`

/** Returns the arguments of a call as JSON, also if they came as an object. */
export const toArguments = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : (toText(value) ?? '')

/** Returns the error in an event, in whatever form it is: an object, a text, or fields of the event itself. */
export function findError(
  event: Json,
  name: string,
): { message: string; type?: string; code?: string } | undefined {
  const isError =
    typeof event.error === 'object' ? Object.keys(event.error ?? {}).length > 0 : toText(event.error)
  if (
    !isError &&
    name !== 'error' &&
    event.object !== 'error' &&
    event.type !== 'error' &&
    !event.error_message
  )
    return undefined
  const error = isError && typeof event.error === 'object' ? event.error : event
  const text = typeof event.error === 'string' ? event.error : undefined
  const message = error.message ?? error.error_message ?? text ?? error.detail ?? error.msg
  const type = toText(error.type ?? error.error_type)
  const code = toText(error.code ?? error.status)
  return {
    message: toText(message) || 'The upstream reported an error.',
    ...(type !== undefined && { type }),
    ...(code !== undefined && { code }),
  }
}
