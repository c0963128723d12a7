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

/** Parses a JSON object; empty if the text is not one. */
export function parseObject(text: string): WireObject {
  try {
    return toObject(JSON.parse(text))
  } catch {
    // Callers check the fields that they need.
    return {}
  }
}
