const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Describes the first part of an expectation that a value does not contain. Objects may have more fields; the elements
 * of an expected list are found in the same order, with others between them; a text `/…/` is a pattern.
 */
export function findMissing(value: unknown, expected: unknown, path = ''): string | undefined {
  if (Array.isArray(expected)) {
    if (!Array.isArray(value)) return `${path} is ${show(value)}, not a list`
    if (expected.length === 0 && value.length > 0) return `${path} is ${show(value)}, not empty`
    let from = 0
    for (const [index, element] of expected.entries()) {
      const offset = value.slice(from).findIndex((other) => findMissing(other, element) === undefined)
      if (offset < 0) return `${path}.${index}: ${show(element)} is not in ${show(value.slice(from))}`
      from += offset + 1
    }
    return undefined
  }
  if (isObject(expected)) {
    if (!isObject(value)) return `${path} is ${show(value)}, not ${show(expected)}`
    for (const [field, wanted] of Object.entries(expected)) {
      const missing = findMissing(value[field], wanted, `${path}.${field}`)
      if (missing !== undefined) return missing
    }
    return undefined
  }
  const [, pattern] = typeof expected === 'string' ? (/^\/(.+)\/$/s.exec(expected) ?? []) : []
  const isEqual =
    pattern === undefined
      ? value === expected
      : typeof value === 'string' && new RegExp(pattern, 'su').test(value)
  return isEqual ? undefined : `${path} is ${show(value)}, not ${show(expected)}`
}

/** Returns the value at a path of dots, with numbers for elements of lists; undefined if there is none. */
export const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (inner, field) =>
        typeof inner === 'object' && inner !== null
          ? Array.isArray(inner)
            ? inner.at(Number(field))
            : (inner as Record<string, unknown>)[field]
          : undefined,
      value,
    )

/** Returns a value as JSON that is short enough for a message. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing'
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}… (${text.length})` : text
}

const SHOWN_CHARS = 600
