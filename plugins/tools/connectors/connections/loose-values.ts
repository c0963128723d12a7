/** Returns a value of a server as text; converting an object as such may throw, since its fields may have any names. */
export const toLooseText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)

/** Returns a number of a server, which may be a text; NaN for all others. */
export const toLooseNumber = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? Number(value) : Number.NaN
