/** Thrown for a status other than 2xx, with the server's own message in the user's language. */
export class RefusedError extends Error {
  status: number
  code: string
  /** The fields that are not valid: their place in the body, and the reason. */
  issues: { path: string; message: string }[]

  constructor({ status, body }: { status: number; body: string }) {
    const { code, message, details } = readError(body)
    super(message ?? `The server responded with status ${status}.`)
    this.name = 'RefusedError'
    this.status = status
    this.code = code ?? `HTTP_${status}`
    this.issues = details?.issues ?? []
  }
}

/** True for a refusal of the server with one of these codes. */
export const isRefusal = (error: unknown, ...codes: string[]): error is RefusedError =>
  error instanceof RefusedError && codes.includes(error.code)

/** Thrown if nothing answers at the address. */
export class UnreachableError extends Error {
  constructor(url: string, cause: unknown) {
    super(`No server responds at ${url}.`, { cause })
    this.name = 'UnreachableError'
  }
}

/** One call of the HTTP API; `path` is the part after `/api`. */
export interface Call {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  body?: unknown
  token?: string
}

/** The JSON of an answer, with the path of the next page of a list and the renewed token, if the answer has them. */
export interface Answer {
  data: unknown
  next?: string
  renewed: string | undefined
}

/** Creates the function that calls one server; it throws a `RefusedError` or an `UnreachableError`. */
export const createApi =
  ({ url, language, signal }: { url: string; language: string; signal: AbortSignal }) =>
  async ({ method, path, body, token }: Call): Promise<Answer> => {
    const headers: Record<string, string> = { accept: 'application/json', 'accept-language': language }
    if (token) headers.authorization = `Bearer ${token}`
    if (body !== undefined) headers['content-type'] = 'application/json'
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal,
    }).catch((error: unknown) => {
      if (signal.aborted) throw error
      throw new UnreachableError(url, error)
    })
    const renewed = response.headers.get('x-access-token') ?? undefined
    if (!response.ok) throw new RefusedError({ status: response.status, body: await response.text() })
    if (isJSON(response)) return { data: await response.json(), renewed, ...readNext(response, path) }
    // The events of this stream also arrive on the socket, and closing it cancels nothing.
    await response.body?.cancel()
    return { data: undefined, renewed }
  }

/** Calls one server. */
export type Api = ReturnType<typeof createApi>

const isJSON = (response: Response) => response.headers.get('content-type')?.includes('json') ?? false

/** Reads the header Link, whose address is relative to that of the request. */
function readNext({ headers }: Response, path: string): { next?: string } {
  const [, target] = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '') ?? []
  if (target === undefined) return {}
  const { pathname, search } = new URL(target, new URL(path, 'http://server'))
  return { next: pathname + search }
}

interface ErrorBody {
  code?: string
  message?: string
  details?: { issues?: RefusedError['issues'] }
}

function readError(body: string): ErrorBody {
  try {
    return (JSON.parse(body) as { error?: ErrorBody }).error ?? {}
  } catch {
    // Something other than this service answered, for example a proxy with a page of its own; only the status is known.
    return {}
  }
}
