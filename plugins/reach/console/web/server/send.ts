import { queries } from './queries.ts'

/** The answer of a call by the client. */
export interface Reply<T> {
  data?: T
  error?: unknown
  response: Response
}

/** Returns what a call answers, or throws its error. */
export async function send<T>(reply: Promise<Reply<T>>): Promise<T> {
  return (await sendTagged(reply)).data
}

/** Returns what a call answers, with the tag of its version that a change sends back in `If-Match`. */
export async function sendTagged<T>(reply: Promise<Reply<T>>): Promise<{ data: T; tag: string | null }> {
  const { data, error, response } = await reply
  if (error !== undefined || !response.ok)
    throw error ?? new TypeError(`The server answered ${response.status}.`)
  return { data: data as T, tag: response.headers.get('etag') }
}

/** The header of a change that is refused if somebody else was faster. */
export const ifMatch = (tag: string | null | undefined) => (tag ? { 'If-Match': tag } : {})

/** Refetches the queries whose path begins with one of these. */
export const refresh = (...paths: string[]) =>
  queries.invalidateQueries({
    predicate: ({ queryKey: [, path] }) => paths.some((start) => String(path).startsWith(start)),
  })

/** Settings whose names only a schema of the server knows; the types of the client have no names for them. */
export const settings = (values: Record<string, unknown>) => values as Record<string, undefined>
