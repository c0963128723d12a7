import { parseJson } from '#kernel'

/** A JSON object whose fields are not checked. */
export type Fields = Readonly<Record<string, unknown>>

/** Returns the value if it is an object, else an empty object. */
export const toFields = (value: unknown): Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {}

/** Returns the elements of a list as objects; empty if the value is not a list. */
export const toList = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(toFields) : [])

/** Returns a string that is not empty; undefined for other values. */
export const toText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Returns a number, also from a string: QQ sends both. */
export function toNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** Parses a JSON object; undefined if the text is not one, or nested too deeply. */
export function parseFields(text: string): Fields | undefined {
  try {
    const value = parseJson(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Fields)
      : undefined
  } catch {
    // The caller decides what invalid JSON means.
    return undefined
  }
}
