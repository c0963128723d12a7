/** An object of JSON whose fields nobody has checked yet. */
export type Fields = Readonly<Record<string, unknown>>

/** The fields of what should be an object; none where it is something else. */
export const fieldsOf = (value: unknown): Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {}

/** The objects of what should be a list of them. */
export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])

/** A text that says something. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** A number, which QQ sometimes writes as a text. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** The fields of a JSON object; undefined where the text is none. */
export function parseFields(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Fields)
      : undefined
  } catch {
    // What is no JSON is for the caller to name: only they know where it came from.
    return undefined
  }
}
