import { createHash } from 'node:crypto'
import { AppError, type ChosenReply, listsTag, reply } from '#kernel'

/** Makes the entity tag of a stored object from the fields that clients change, so that nothing else changes the tag. */
export function makeTag<Stored extends object>(
  stored: Stored,
  fields: readonly (keyof Stored & string)[],
): string {
  const values = fields.map((field) => stored[field] ?? null)
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 22)
}

/** Replies with a row and the entity tag of the object that it shows. */
export const replyWithTag = <const Status extends number, Row>(
  status: Status,
  row: Row,
  tag: string,
): ChosenReply<Status, Row> => reply(status, row, { ETag: `"${tag}"` })

/** The part of a request that says on which version a change is based. */
export interface Conditional {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/**
 * Returns the condition under which a write leaves the changes of others intact: the fields as they are stored now if
 * the request has `If-Match`, else nothing. Throws PRECONDITION_FAILED if the request names another version.
 */
export function requireUnchanged<Stored extends object, const Field extends keyof Stored & string>(
  { headers }: Conditional,
  stored: Stored,
  fields: readonly Field[],
): Partial<Pick<Stored, Field>> {
  const expected = headers['if-match']?.toString()
  if (expected === undefined) return {}
  if (!listsTag(expected, makeTag(stored, fields), { weak: false })) throw new AppError('PRECONDITION_FAILED')
  // In a query, null also matches a field that is missing.
  return Object.fromEntries(fields.map((field) => [field, stored[field] ?? null])) as Pick<Stored, Field>
}

/** The error of a conditional write that found no object: somebody else changed it, or it does not exist. */
export const missOf = (condition: object, missing: ConstructorParameters<typeof AppError>[0]): AppError =>
  new AppError(Object.keys(condition).length > 0 ? 'PRECONDITION_FAILED' : missing)
