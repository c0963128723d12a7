import { AppError } from '#kernel'

/** The most characters of a schema of a caller; its levels are bounded like those of every body. */
const MAX_CHARS = 262_144
/** Throws PARAMETER_INVALID unless a value is a JSON schema of bounded size; it is never compiled here. */
export function assertSchema(schema: unknown, parameter: string): asserts schema is object {
  const refuse = (reason: string) => new AppError('PARAMETER_INVALID', { parameter, reason })
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw refuse('it must be a JSON schema')
  if (JSON.stringify(schema).length > MAX_CHARS) throw refuse(`it has more than ${MAX_CHARS} characters`)
}
