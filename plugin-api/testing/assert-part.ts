import assert from 'node:assert/strict'

/**
 * Asserts that a value has this part: objects have at least these fields, lists have exactly these items, texts match
 * regular expressions, and all else is equal.
 */
export function assertPart(value: unknown, part: unknown, path = 'the value'): void {
  if (part instanceof RegExp) assert.match(String(value), part, undefined)
  else if (Array.isArray(part)) {
    assert.ok(Array.isArray(value), `${path} is a list`)
    assert.equal(value.length, part.length, `${path} has ${part.length} items`)
    for (const [index, item] of part.entries()) assertPart(value[index], item, `${path}[${index}]`)
  } else if (typeof part === 'object' && part !== null) {
    assert.ok(typeof value === 'object' && value !== null, `${path} is an object`)
    for (const [name, item] of Object.entries(part))
      assertPart((value as Record<string, unknown>)[name], item, `${path}.${name}`)
  } else assert.equal(value, part, path)
}
