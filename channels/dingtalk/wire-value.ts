/** A JSON object as it came, of which nothing is known yet. */
export type WireObject = Record<string, unknown>

/** The value where it is an object, else an empty one. */
export function objectOf(value: unknown): WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as WireObject) : {}
}

/** The elements that are objects, where the value is a list. */
export function objectsOf(value: unknown): WireObject[] {
  return Array.isArray(value) ? value.map(objectOf) : []
}

/** The value as text where it is text or a number, else nothing. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** The object that a JSON text holds; an empty one where it is no JSON or something else. */
export function parseObject(text: string): WireObject {
  try {
    return objectOf(JSON.parse(text))
  } catch {
    // What is no JSON says nothing, and whoever looks for a field does not find it.
    return {}
  }
}
