import { createEventLines } from './event-lines.ts'
import { createMessageReader } from './message-reader.ts'
import { restoreVendorCalls } from './vendor-calls.ts'

/**
 * Wraps the fetch of a client of the Messages API: streams are repaired before the client reads them, because it fails a
 * whole answer for one unknown event or missing number, and the vendor's own calls return as they came.
 */
export function createMessagesFetch(
  fetch: typeof globalThis.fetch,
  options: { isClaude: boolean },
): typeof globalThis.fetch {
  return async (input, init) => {
    const body = typeof init?.body === 'string' ? restoreVendorCalls(init.body) : init?.body
    const response = await fetch(input, { ...init, body })
    if (!response.ok || !response.body) return response
    const { status, statusText, headers } = response
    return new Response(repair(response.body, init?.signal, options), { status, statusText, headers })
  }
}

function repair(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | null | undefined,
  options: { isClaude: boolean },
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let written = ''
  const message = createMessageReader((event) => {
    written += `data: ${JSON.stringify(event)}\n\n`
  }, options)
  const text = createBodyReader(message)

  async function readMore(): Promise<void> {
    const chunk = await reader.read().catch((error) => {
      signal?.throwIfAborted()
      message.fail({ type: 'api_error', message: `The answer was interrupted: ${describe(error)}.` })
    })
    if (chunk?.value) text.feed(decoder.decode(chunk.value, { stream: true }))
    else if (chunk) {
      text.end()
      message.end()
    }
  }

  return new ReadableStream({
    async pull(controller) {
      while (written === '' && !message.isOver) await readMore()
      controller.enqueue(encoder.encode(written))
      written = ''
      if (!message.isOver) return
      controller.close()
      void release(reader)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

const describe = (error: unknown): string => {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}

/** Reads to the end, so that the connection can be reused, unless the upstream leaves it open. */
async function release(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  // The answer is complete, so errors do not matter.
  const chunk = await reader.read().catch(() => undefined)
  if (chunk && !chunk.done) await reader.cancel().catch(() => undefined)
}

/** The longest answer that is not streamed. */
const MAX_WHOLE_CHARS = 16 * 1024 * 1024

/** Creates the reader of a body, which tells by its first character whether it is a stream, JSON or a page. */
function createBodyReader(message: ReturnType<typeof createMessageReader>) {
  let whole = ''
  let form: 'unknown' | 'events' | 'whole' = 'unknown'
  const lines = createEventLines({
    onEvent: message.read,
    onDone: message.readDone,
    onBroken: (reason) => message.fail({ type: 'api_error', message: reason }),
  })

  return {
    feed(text: string): void {
      whole += text
      if (form === 'unknown' && whole.trim() !== '') form = /^\s*[{<]/.test(whole) ? 'whole' : 'events'
      if (form === 'events') {
        lines.feed(whole)
        whole = ''
      } else if (whole.length > MAX_WHOLE_CHARS)
        message.fail({ type: 'api_error', message: 'The upstream sent an answer that is too long.' })
    },
    end(): void {
      if (form === 'whole') readWhole(whole)
      else lines.end()
    },
  }

  function readWhole(text: string): void {
    if (/^\s*</.test(text)) {
      message.fail({ type: 'invalid_request_error', message: 'The upstream answered with a page.' })
      return
    }
    let body: Record<string, unknown>
    try {
      body = JSON.parse(text)
    } catch {
      // Several lines of JSON are events without the names of their fields.
      lines.feed(text)
      lines.end()
      return
    }
    message.readWhole(body)
  }
}
