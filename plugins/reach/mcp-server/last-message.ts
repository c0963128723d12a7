import { AppError } from '#kernel'

/** The code of JSON-RPC for a request whose connection has ended. */
const CONNECTION_ENDED = -32_000

/** The parts of a reply that may need a last message. */
interface EndedReply {
  /** The message of the client, as parsed. */
  message: unknown
  /** Aborted when the reply ends early: with an AppError if the server has ended it. */
  signal: AbortSignal
  /** Returns an error as the client sees it. */
  explain(error: AppError): { code: string; message: string }
}

/** Adds a last message to the stream of a reply, with the reason why the server ended it before the answer. */
export function withLastMessage(response: Response, ended: EndedReply): Response {
  if (!response.body) return response
  return new Response(ReadableStream.from(withReason(response.body, ended)), response)
}

async function* withReason(
  body: ReadableStream<Uint8Array>,
  { message, signal, explain }: EndedReply,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  // The library learns of the end by a signal that may be lost, so its stream is not waited for.
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  try {
    for (let next = await reader.read(); !next.done; ) {
      yield next.value
      const following = await Promise.race([reader.read(), aborted])
      if (!following) break
      next = following
    }
  } finally {
    await reader.cancel()
  }
  const { reason } = signal
  if (!(reason instanceof AppError) || reason.code === 'CLIENT_LEFT') return
  const { code, message: sentence } = explain(reason)
  const error = { code: CONNECTION_ENDED, message: sentence, data: { code } }
  const text = JSON.stringify({ jsonrpc: '2.0', id: idOf(message), error })
  yield new TextEncoder().encode(`event: message\ndata: ${text}\n\n`)
}

/** Returns the id of a message; null if it has none. */
export const idOf = (message: unknown) => (message as { id?: string | number } | undefined)?.id ?? null
