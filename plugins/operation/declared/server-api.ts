import { SentenceError } from './sentence-error.ts'

/** A JSON object of the API or of a file. */
export type Json = Record<string, unknown>

/** The rows of a page; the server brings a larger number down. */
const PAGE_ROWS = 200

interface ApiCall {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  body?: unknown
  /** The file for which an apply makes the change. */
  file?: string
  /** True for a call that is made even if the person has interrupted the command. */
  isLast?: boolean
}

/** The subset of the session of a command that is used here. */
interface Login {
  readToken(): Promise<string>
  renewLogin(): Promise<string>
  keep(token: string): Promise<void>
}

/** Calls one server as the account that is signed in. */
export type ServerApi = ReturnType<typeof createServerApi>

/** A refusal of the server, in its words. */
export class RefusalError extends SentenceError {
  status: number
  code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Creates the calls of one server; they throw a `RefusalError`. */
export function createServerApi(url: string, session: Login, signal: AbortSignal) {
  const send = async (path: string, { method = 'GET', body, file, isLast }: ApiCall, token: string) => {
    const isBinary = body instanceof Uint8Array
    return fetch(`${url}/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && {
          'content-type': isBinary ? 'application/octet-stream' : 'application/json',
        }),
        ...(file !== undefined && { 'x-svc-apply': encodeURIComponent(file) }),
      },
      ...(body !== undefined && { body: isBinary ? new Uint8Array(body) : JSON.stringify(body) }),
      ...(!isLast && { signal }),
    })
  }

  const call = async (path: string, request: ApiCall = {}): Promise<Response> => {
    let response = await send(path, request, await session.readToken())
    if (response.status === 401) response = await send(path, request, await session.renewLogin())
    const renewed = response.headers.get('x-access-token')
    if (renewed) await session.keep(renewed)
    if (!response.ok) throw await toRefusal(response)
    return response
  }

  const request = async <Reply = Json>(path: string, options?: ApiCall): Promise<Reply> => {
    const response = await call(path, options)
    return (response.status === 204 ? undefined : await response.json()) as Reply
  }

  return {
    request,

    /** Reads a file. */
    readBytes: async (path: string): Promise<Buffer> => Buffer.from(await (await call(path)).arrayBuffer()),

    /** Reads all pages of a list; an empty list if no plugin of the server has it. */
    async list(path: string): Promise<Json[]> {
      const rows: Json[] = []
      const first = `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE_ROWS}`
      for (let next: string | undefined = first; next !== undefined; ) {
        const response: Response = await call(next)
        rows.push(...((await response.json()) as Json[]))
        const [, target] = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '') ?? []
        const { pathname, search } = new URL(target ?? '', new URL(next, 'http://server'))
        next = target === undefined ? undefined : pathname + search
      }
      return rows
    },

    /** Reads a part of an object; undefined if no plugin of the server has such parts, or the object is gone. */
    find: <Reply = Json>(path: string): Promise<Reply | undefined> =>
      request<Reply>(path).catch((error: unknown) => {
        if (error instanceof RefusalError && error.status === 404) return undefined
        throw error
      }),
  }
}

async function toRefusal(response: Response): Promise<RefusalError> {
  const text = await response.text()
  try {
    const { code, message, details } = (JSON.parse(text) as { error: Refusal }).error
    const issues = (details?.issues ?? []).map(({ path, message: reason }) => ` ${path} ${reason}.`)
    return new RefusalError(response.status, code, message + issues.join(''))
  } catch {
    // Something other than this service answered, for example a proxy with a page of its own.
    return new RefusalError(
      response.status,
      `HTTP_${response.status}`,
      `The server responded with ${response.status}.`,
    )
  }
}

interface Refusal {
  code: string
  message: string
  details?: { issues?: { path: string; message: string }[] }
}
