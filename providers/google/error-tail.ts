/** Characters of an error that is looked for at the end of a stream. */
const MAX_TAIL = 65_536

/**
 * Gives an answer whose errors can be read like the rest of it: Google ends a stream that fails half-way with a bare
 * JSON object, which is no event and would be passed over.
 */
export function turnErrorsIntoEvents(response: Response): Response {
  if (!response.body || !response.headers.get('content-type')?.includes('text/event-stream')) return response
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(createTailReader()), { status, statusText, headers })
}

function createTailReader(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  let tail = ''
  return new TransformStream({
    transform(bytes, controller) {
      controller.enqueue(bytes)
      // Every event ends with an empty line, and the object has none inside.
      tail = (tail + decoder.decode(bytes, { stream: true })).split(/\r?\n\r?\n/).at(-1)!
      if (!tail.trimStart().startsWith('{') || tail.length > MAX_TAIL) tail = ''
    },
    flush(controller) {
      const error = toLine(tail)
      if (error) controller.enqueue(new TextEncoder().encode(`\n\ndata: ${error}\n\n`))
    },
  })
}

function toLine(text: string): string | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    // A connection that is cut within the object leaves an answer without an end, which is an error as well.
    return undefined
  }
}
