import type { Json } from '#plugin-api'

/** Returns a value of a server as text; converting an object as such may throw, since its fields may have any names. */
export const toLooseText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)

/** True for a value that is not left out: some servers write null for nothing. */
export const isPresent = (value: unknown): boolean => value !== undefined && value !== null

/** Returns the fields of an object that are not null. */
export const withoutNulls = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

/** Returns a number of a server, which may be a text; NaN for all others. */
export const toLooseNumber = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? Number(value) : Number.NaN
