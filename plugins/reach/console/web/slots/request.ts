import { client } from '../server/client.ts'
import { readFailure } from '../server/failure.ts'

type Call = (method: string, path: string, init: object) => Promise<{ error?: unknown; response: Response }>

/**
 * Calls a route for the module of a plugin; resolves to what its reply has: JSON, a `Blob`, or undefined for none. Rejects
 * with an error that has the `code` and the `message` of the refusal.
 */
export async function request(
  method: string,
  path: string,
  body?: object | FormData,
  { signal }: { signal?: AbortSignal } = {},
): Promise<unknown> {
  try {
    const init = { parseAs: 'stream', ...(body && { body }), ...(signal && { signal }) }
    const { error, response } = await (client.request as Call)(method.toLowerCase(), path, init)
    if (!response.ok) throw error
    if (response.status === 204 || response.body === null) return undefined
    const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '')
    return await (isJson ? response.json() : response.blob())
  } catch (error) {
    const { code = 'UNREACHABLE', message } = readFailure(error)
    throw Object.assign(new Error(message, { cause: error }), { code })
  }
}
