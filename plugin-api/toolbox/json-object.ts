import { JsonTooComplex, parseJson } from '#kernel'

/** An object as JSON has it. */
export type Json = Record<string, unknown>

/** True for an object as JSON has it. */
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns an object as it is; an empty object for other values. */
export const toObject = (value: unknown): Json => (isObject(value) ? value : {})

/** Returns the elements of a list as objects; an empty list for other values. */
export const toObjects = (value: unknown): Json[] => (Array.isArray(value) ? value.map(toObject) : [])

/** Returns a string as it is; an empty string for other values. */
export const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns a string that is not empty; undefined for other values. */
export const toFilledText = (value: unknown): string | undefined => toText(value) || undefined

/** Returns a string, or a number in digits; an empty string for other values. */
export const toScalarText = (value: unknown): string =>
  typeof value === 'number' ? String(value) : toText(value)

/** Returns a finite number, also from a string; undefined for other values. */
export function toNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** Parses JSON of strangers; undefined if the text is not JSON, or is nested too deeply or has too many values. */
export function parseLoosely(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonTooComplex) return undefined
    throw error
  }
}

/** Parses a JSON object of strangers; undefined if the value is not the text of one. */
export function parseObject(text: unknown): Json | undefined {
  const value = typeof text === 'string' ? parseLoosely(text) : undefined
  return isObject(value) ? value : undefined
}

/** Applies a JSON Merge Patch (RFC 7396): objects are merged, null removes a field, everything else replaces it. */
export function mergePatch(target: unknown, patch: Record<string, unknown>): Record<string, unknown> {
  const merged = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else merged[name] = isObject(value) ? mergePatch(merged[name], value) : value
  }
  return merged
}
