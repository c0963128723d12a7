import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../errors.ts'
import { deferSchema, type JSONSchema } from '../schema.ts'

const REQUEST_ID = /^[\w-]{1,64}$/

/** Returns the client's own request id if it has the agreed form, otherwise a new one. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const clientId = headers['x-request-id']
  return typeof clientId === 'string' && REQUEST_ID.test(clientId) ? clientId : randomUUID()
}

const PARAMETER = deferSchema<string>(
  { type: 'string', maxLength: 256, pattern: '^[^\\u0000-\\u001f\\u007f]+$' },
  'text',
)

/**
 * Path parameters as they are; one that cannot be the name of anything is answered like one that is not there. Only a
 * parameter whose schema has a `pattern` that allows it may contain a slash, which clients write as `%2F`.
 */
export function assertParams(params: Record<string, string>, schema?: JSONSchema): Record<string, string> {
  try {
    for (const value of Object.values(params)) PARAMETER(value)
  } catch (error) {
    throw new AppError('NOT_FOUND', {}, { cause: error })
  }
  const patterns = schema?.properties as Record<string, { pattern?: string }> | undefined
  for (const [name, value] of Object.entries(params)) {
    const pattern = patterns?.[name]?.pattern
    if (value.includes('/') && !(pattern && new RegExp(pattern, 'u').test(value)))
      throw new AppError('NOT_FOUND')
  }
  return params
}

/** True if a condition lists this entity tag, or any; weak tags count only with `weak` (RFC 9110, 8.8.3.2). */
export function listsTag(list: string, etag: string, { weak }: { weak: boolean }): boolean {
  const tags = list.split(',').map((tag) => (weak ? tag.trim().replace(/^W\//, '') : tag.trim()))
  return tags.includes('*') || tags.includes(`"${etag}"`)
}
