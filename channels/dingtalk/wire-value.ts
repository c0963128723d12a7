import { JsonTooComplex, parseJson } from '#kernel'

/** A JSON object whose fields are not checked. */
export type WireObject = Record<string, unknown>

/** Returns the value if it is an object, else an empty object. */
export function toObject(value: unknown): WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as WireObject) : {}
}

/** Returns the elements of a list as objects; empty if the value is not a list. */
export function toObjects(value: unknown): WireObject[] {
  return Array.isArray(value) ? value.map(toObject) : []
}

/** Returns a string or a number as text; empty for other values. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** Returns a number, also from a text; 0 for other values. */
export function toNumber(value: unknown): number {
  const number = Number(toText(value))
  return Number.isFinite(number) ? number : 0
}

/** Parses JSON; undefined if the text is none, or has too many parts, as strangers may write it. */
export function parseWire(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonTooComplex) return undefined
    throw error
  }
}

/** Parses a JSON object; empty if the text is not one. Callers check the fields that they need. */
export const parseObject = (text: string): WireObject => toObject(parseWire(text))
