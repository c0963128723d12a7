import type { Context, Middleware } from 'koa'
import { AppError } from '../errors.ts'

/** The error of raw-body, co-body or zlib for a body that cannot be read. */
interface BodyFailure extends Error {
  type?: string
  status?: number
  limit?: number
  code?: string
}

/** The most levels of a body. The database stores about a hundred, and code that walks a value has a stack. */
const MAX_LEVELS = 64

const JSON_TYPES = ['json', '+json']

/** Reads the JSON body of a request, of at most so many bytes; a missing body is {}. */
export type BodyReader = (context: Context, limit: number) => Promise<unknown>

/** Creates the reader of JSON bodies. */
export function createBodyReader(): BodyReader {
  /** The parsers by the limit of their bodies. */
  const parsers = new Map<number, Promise<Middleware>>()
  /** Imported with the first body: its parser of forms takes longer to load than everything else here. */
  const load = async (limit: number): Promise<Middleware> => {
    const { koaBody } = await import('koa-body')
    return koaBody({
      json: true,
      text: false,
      urlencoded: false,
      multipart: false,
      jsonTypes: JSON_TYPES,
      jsonLimit: limit,
      patchKoa: true,
      patchNode: false,
      parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
      onError: (error) => {
        throw explain(error as BodyFailure)
      },
    })
  }
  return async (context, limit) => {
    if (!hasBody(context)) return {}
    if (!context.is(JSON_TYPES))
      throw new AppError('UNSUPPORTED_MEDIA_TYPE', { expected: 'application/json' })
    const parser = parsers.get(limit) ?? load(limit)
    parsers.set(limit, parser)
    const parse = await parser
    await parse(context as never, async () => undefined)
    const { body } = context.request as { body?: unknown }
    assertShallow(body)
    return body
  }
}

/** Throws VALIDATION_FAILED for a body with too many levels; counts them without recursion. */
function assertShallow(body: unknown): void {
  let level = [body]
  for (let levels = 0; levels <= MAX_LEVELS; levels += 1) {
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    )
    if (level.length === 0) return
  }
  const message = `must have at most ${MAX_LEVELS} levels`
  throw new AppError('VALIDATION_FAILED', { issues: [{ path: '', rule: 'maxDepth', message }] })
}

const hasBody = ({ req }: Context) =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0

function explain(failure: BodyFailure): Error {
  if (failure.status === 413) return new AppError('BODY_TOO_LARGE', { limit: failure.limit })
  if (failure.status === 415)
    return new AppError('UNSUPPORTED_MEDIA_TYPE', { expected: 'identity, gzip, deflate or br' })
  return new AppError('BAD_JSON', {}, { cause: failure })
}
