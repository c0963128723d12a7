/** The longest error at the end of a stream. */
const MAX_TAIL_CHARS = 65_536

/**
 * Turns the error at the end of a stream into an event: Google ends a stream that fails halfway with a bare JSON object,
 * which is not an event and would be ignored.
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
      // Every event ends with an empty line, and the object contains none.
      tail = (tail + decoder.decode(bytes, { stream: true })).split(/\r?\n\r?\n/).at(-1)!
      if (!tail.trimStart().startsWith('{') || tail.length > MAX_TAIL_CHARS) tail = ''
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
    // If the connection closes within the object, the answer ends too early, which is an error as well.
    return undefined
  }
}
