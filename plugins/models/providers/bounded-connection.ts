import { encodeForm, type ProviderConnection } from '#plugin-api'

type Fetch = ProviderConnection['fetch']

/**
 * Returns a connection whose answers have at most `maxBytes`; `refuse` makes the error for one that is larger. Forms are
 * sent encoded, which every fetch accepts.
 */
export function withBounds(
  connection: ProviderConnection,
  { maxBytes, refuse }: { maxBytes: number; refuse: () => Error },
): ProviderConnection {
  const fetch: Fetch = async (input, init) => {
    const answer = await connection.fetch(input, await withEncodedForm(init))
    if (!answer.body) return answer
    if (Number(answer.headers.get('content-length')) > maxBytes) {
      await answer.body.cancel()
      throw refuse()
    }
    let bytes = 0
    const body = answer.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, controller) {
          bytes += piece.byteLength
          if (bytes > maxBytes) throw refuse()
          controller.enqueue(piece)
        },
      }),
    )
    const { status, statusText, headers } = answer
    return new Response(body, { status, statusText, headers })
  }
  return { ...connection, fetch, request: undefined }
}

async function withEncodedForm(init: RequestInit | undefined): Promise<RequestInit | undefined> {
  if (!(init?.body instanceof FormData)) return init
  const { headers, body } = await encodeForm(init.body)
  return { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), ...headers }, body }
}
