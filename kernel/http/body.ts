import type { IncomingMessage } from 'node:http'
import type { Context, Middleware } from 'koa'
import { AppError } from '../errors.ts'
import { JsonTooComplex, parseJson } from '../json-meter.ts'

/** The error of raw-body, co-body or zlib for a body that cannot be read. */
interface BodyFailure extends Error {
  type?: string
  status?: number
  limit?: number
  code?: string
}

/** The most values of a body, which are parsed in some tens of milliseconds; lists and objects count twice. */
const MAX_VALUES = 200_000

const JSON_TYPES = ['json', '+json']

/** Imports koa-body, whose parser of forms takes longer to load than everything else here. */
export const loadKoaBody = () => import('koa-body')

/** Creates the reader of JSON bodies, each of at most `limit` bytes; a missing body is {}. */
export function createBodyReader() {
  /** The parsers by the limit of their bodies. */
  const parsers = new Map<number, Promise<Middleware>>()
  const load = async (limit: number): Promise<Middleware> => {
    const { koaBody } = await loadKoaBody()
    return koaBody({
      // As text: its levels and values are counted before it is parsed.
      json: false,
      text: true,
      urlencoded: false,
      multipart: false,
      textTypes: JSON_TYPES,
      textLimit: limit,
      patchKoa: true,
      patchNode: false,
      parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
      onError: (error) => {
        throw explain(error as BodyFailure)
      },
    })
  }
  return async (context: Context, limit: number): Promise<unknown> => {
    if (!hasBody(context)) return {}
    if (!context.is(JSON_TYPES))
      throw new AppError('UNSUPPORTED_MEDIA_TYPE', { expected: 'application/json' })
    const parser = parsers.get(limit) ?? load(limit)
    parsers.set(limit, parser)
    const parse = await parser
    await parse(context as never, async () => undefined)
    const { body: text } = context.request as { body?: string }
    return text ? parseBody(text) : {}
  }
}

/** Parses a list or an object. Throws BAD_JSON, or VALIDATION_FAILED for one with too many levels or values. */
function parseBody(text: string): unknown {
  try {
    if (!/^\s*[[{]/.test(text)) throw new SyntaxError('it is neither a list nor an object')
    return parseJson(text, { max_values: MAX_VALUES })
  } catch (cause) {
    if (!(cause instanceof JsonTooComplex)) throw new AppError('BAD_JSON', {}, { cause })
    const { limit, unit } = cause
    const rule = unit === 'levels' ? 'maxDepth' : 'maxValues'
    const message = `must have at most ${limit} ${unit}`
    throw new AppError('VALIDATION_FAILED', { issues: [{ path: '', rule, message }] }, { cause })
  }
}

const hasBody = ({ req }: Context) =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0

function explain(failure: BodyFailure): Error {
  if (failure.status === 413) return new AppError('BODY_TOO_LARGE', { limit: failure.limit })
  if (failure.status === 415)
    return new AppError('UNSUPPORTED_MEDIA_TYPE', { expected: 'identity, gzip, deflate or br' })
  return new AppError('BAD_JSON', {}, { cause: failure })
}

/** Reads a body as it comes; throws BODY_TOO_LARGE if it has more than `limit` bytes. */
export async function readBytes(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  const tooLarge = () => new AppError('BODY_TOO_LARGE', { limit })
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge()
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > limit) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('CLIENT_LEFT', {}, { cause: error })
  }
  return Buffer.concat(chunks, length)
}
