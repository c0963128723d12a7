import { createConverseReader } from './converse-reader.ts'
import { createFrameSplitter, encodeFrame, type Frame } from './frames.ts'

type Fetch = typeof globalThis.fetch
type Fields = Record<string, unknown>

/** The longest answer that is not streamed. */
const MAX_WHOLE_CHARS = 16 * 1024 * 1024

/**
 * Wraps the fetch of a client of the Converse API: streams are repaired before the client reads them, because it fails a
 * whole answer for one unknown delta or missing number. Of the results in the request, in their order, those in
 * `failures` are marked as errors, which the client does not do.
 */
export const createConverseFetch =
  (fetch: Fetch, failures: readonly boolean[] = []): Fetch =>
  async (input, init) => {
    const body = typeof init?.body === 'string' ? markFailures(init.body, failures) : init?.body
    const response = await fetch(input, { ...init, body })
    if (!response.ok || !response.body || !String(input).endsWith('/converse-stream')) return response
    const { status, statusText, headers } = response
    return new Response(repair(response.body, init?.signal), { status, statusText, headers })
  }

function markFailures(body: string, failures: readonly boolean[]): string {
  if (!failures.includes(true)) return body
  const request = JSON.parse(body) as { messages: { content: { toolResult?: Fields }[] }[] }
  const results = request.messages.flatMap(({ content }) =>
    content.flatMap(({ toolResult }) => (toolResult ? [toolResult] : [])),
  )
  // Without tools in the call, the client leaves out the results.
  if (results.length !== failures.length) return body
  for (const [index, result] of results.entries()) if (failures[index]) result.status = 'error'
  return JSON.stringify(request)
}

function repair(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | null | undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const frames = createFrameSplitter()
  let written: Uint8Array[] = []
  let isOver = false
  let whole: string | undefined
  let isFirst = true
  const decoder = new TextDecoder()
  const converse = createConverseReader((type, payload) => written.push(encodeFrame('event', type, payload)))

  function fail(exception: string, message: string): void {
    isOver = true
    written.push(encodeFrame('exception', exception, { message }))
  }

  function take(part: Frame | Uint8Array): void {
    if (isOver) return
    if (part instanceof Uint8Array) {
      written.push(part)
      return
    }
    const { headers, payload } = part
    const text = new TextDecoder().decode(payload)
    const event = parse(text)
    const code = headers[':exception-type'] ?? headers[':error-code']
    if (code) fail(toException(code), toMessage(event) || headers[':error-message'] || text || code)
    else if (event) converse.read(headers[':event-type'] ?? '', event)
    else fail('modelStreamErrorException', 'The upstream sent an event that is not JSON.')
  }

  /** Reads a body that is no event stream: an answer that was not streamed, an error, or a page. */
  function takeWhole(text: string): void {
    const answer = parse(text)
    if (answer?.output) converse.readWhole(answer)
    else if (answer) fail(toException(toText(answer.__type)), toMessage(answer) || text)
    else fail('validationException', 'The upstream answered with a page.')
    isOver = true
  }

  function feed(bytes: Uint8Array): void {
    // The first byte of a frame is zero, since no frame is that long.
    if (isFirst && bytes[0] !== 0) whole = ''
    isFirst = false
    if (whole === undefined) for (const part of frames.split(bytes)) take(part)
    else whole += decoder.decode(bytes, { stream: true })
    if ((whole?.length ?? 0) > MAX_WHOLE_CHARS)
      fail('modelStreamErrorException', 'The upstream sent an answer that is too long.')
  }

  function end(): void {
    if (whole !== undefined) takeWhole(whole)
    const tail = frames.end()
    if (tail && !isOver) written.push(tail)
    isOver = true
  }

  async function readMore(): Promise<void> {
    const chunk = await reader.read().catch((error) => {
      signal?.throwIfAborted()
      fail('modelStreamErrorException', `The answer was interrupted: ${(error as Error).message}.`)
    })
    if (chunk?.value) feed(chunk.value)
    else if (chunk) end()
  }

  return new ReadableStream({
    async pull(controller) {
      while (written.length === 0 && !isOver) await readMore()
      for (const bytes of written) controller.enqueue(bytes)
      written = []
      if (!isOver) return
      controller.close()
      // The answer is complete or has failed, so errors do not matter.
      void reader.cancel().catch(() => undefined)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

function parse(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined
  } catch {
    // The caller reports what is not JSON.
    return undefined
  }
}

const toText = (value: unknown) => (typeof value === 'string' ? value : '')

const toMessage = (event: Fields | undefined): string =>
  toText(event?.message) || toText(event?.Message) || toText(event?.originalMessage)

/** Returns the name of an exception in a stream, by its code, which may have the address of a namespace. */
function toException(code: string): string {
  const name = code.split('#').at(-1)!.split(':')[0]!
  if (name === '') return 'validationException'
  return /Exception$/.test(name) ? `${name[0]!.toLowerCase()}${name.slice(1)}` : 'modelStreamErrorException'
}
