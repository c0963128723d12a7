import { AssertionError } from 'node:assert'
import { inspect, isDeepStrictEqual } from 'node:util'

/** Writes a value in one line and cuts long ones. */
const show = (value: unknown) =>
  inspect(value, {
    compact: true,
    breakLength: Number.POSITIVE_INFINITY,
    depth: 5,
    maxStringLength: 200,
    maxArrayLength: 20,
  })

const fail = (message: string, actual: unknown, expected: unknown): never => {
  throw new AssertionError({ message, actual, expected, operator: 'equal' })
}

/** Asserts that a value is equal to another; the error says in one sentence what came, and what was expected. */
export function assertSame(value: unknown, expected: unknown, subject: string): void {
  if (isDeepStrictEqual(value, expected)) return
  fail(`${subject}: expected ${show(expected)}, but it is ${show(value)}`, value, expected)
}

/**
 * Asserts that a value has this part: objects have at least these fields, lists have exactly these items, texts match
 * regular expressions, and all else is equal. The error says in one sentence what came, and what was expected.
 */
export function assertPart(value: unknown, part: unknown, path = 'the value'): void {
  if (part instanceof RegExp) {
    if (!part.test(String(value)))
      fail(`${path}: expected a text that matches ${part}, but it is ${show(value)}`, value, part)
  } else if (Array.isArray(part)) {
    if (!Array.isArray(value) || value.length !== part.length)
      fail(
        `${path}: expected a list of ${part.length}, like ${show(part)}, but it is ${show(value)}`,
        value,
        part,
      )
    for (const [index, item] of part.entries())
      assertPart((value as unknown[])[index], item, `${path}[${index}]`)
  } else if (typeof part === 'object' && part !== null) {
    if (typeof value !== 'object' || value === null)
      fail(`${path}: expected an object like ${show(part)}, but it is ${show(value)}`, value, part)
    for (const [name, item] of Object.entries(part))
      assertPart((value as Record<string, unknown>)[name], item, `${path}.${name}`)
  } else assertSame(value, part, path)
}
