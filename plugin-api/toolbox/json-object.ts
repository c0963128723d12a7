/** An object as JSON has it. */
export type Json = Record<string, unknown>

/** True for an object as JSON has it. */
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
