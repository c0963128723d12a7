/** A reply of the client; `data` or `error` is set. */
interface Reply<Data> {
  data?: Data
  error?: unknown
  response: Response
}

/** A refusal of the server, with its own sentence. */
export class RefusedError extends Error {
  code: string
  status: number

  constructor(status: number, body: unknown) {
    const { error } = (body ?? {}) as {
      error?: { code?: string; message?: string; details?: { issues?: { path: string; message: string }[] } }
    }
    const issues = (error?.details?.issues ?? []).map(({ path, message }) => ` ${path} ${message}`)
    super((error?.message ?? `The server responded with status ${status}.`) + issues.join(';'))
    this.name = 'RefusedError'
    this.code = error?.code ?? `HTTP_${status}`
    this.status = status
  }
}

/** Returns the data of a reply, and the cursor of the next page. Throws a RefusedError. */
export async function readReply<Data>(reply: Promise<Reply<Data>>): Promise<{ rows: Data; next?: string }> {
  const { data, error, response } = await reply.catch((error: unknown) => {
    throw error instanceof TypeError ? new Error('The server does not respond.', { cause: error }) : error
  })
  if (!response.ok) throw new RefusedError(response.status, error)
  const [, target] = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '') ?? []
  const next = target === undefined ? null : new URL(target, 'http://server').searchParams.get('cursor')
  return { rows: data as Data, ...(next !== null && { next }) }
}

/** Returns the data of a reply. Throws a RefusedError. */
export const readData = async <Data>(reply: Promise<Reply<Data>>): Promise<Data> =>
  (await readReply(reply)).rows
