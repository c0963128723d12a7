import type { JSONSchema } from '#kernel'
import { isObject, type Json } from './json.ts'

/** The depth to which references are followed; a schema may refer to itself. */
const MAX_DEPTH = 12
/** The most parts of a schema that are kept. */
const MAX_PARTS = 2000
/** The most characters that are kept, per character of the schema: each reference repeats what it refers to. */
const MAX_GROWTH = 4
const SPARE_CHARS = 4096

/** The most characters of a reference that is followed. */
const MAX_REFERENCE_CHARS = 1024

const SUBSCHEMA = ['items', 'additionalProperties']
const SUBSCHEMAS = ['anyOf', 'oneOf', 'allOf']
/** The other keywords that are kept. */
const PLAIN = [
  ...['type', 'title', 'description', 'required', 'enum', 'const', 'default', 'minimum', 'maximum'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'format', 'nullable'],
]
/** All keywords that are read; a schema may have thousands of others. */
const KEYWORDS = [...PLAIN, '$ref', 'properties', 'patternProperties', ...SUBSCHEMA, ...SUBSCHEMAS]

/**
 * Returns a schema of a bounded size without references. It accepts all that the original accepts: parts beyond the
 * bounds become `{}`.
 */
export function simplifySchema(original: unknown, original_chars: number): Json {
  let parts = MAX_PARTS
  let chars = MAX_GROWTH * original_chars + SPARE_CHARS
  const hasRoom = (value: unknown) => {
    chars -= JSON.stringify(value).length
    return chars >= 0
  }
  const simplify = (schema: unknown, depth: number): unknown => {
    parts -= 1
    if (!isObject(schema) || parts < 0 || chars < 0 || depth > MAX_DEPTH) return {}
    if (typeof schema.$ref === 'string') return simplify(resolveReference(original, schema), depth + 1)
    const simplifyPart = (part: unknown) => simplify(part, depth + 1)
    const entries = Object.entries(pickKeywords(schema)).flatMap(([keyword, value]): [string, unknown][] => {
      if (keyword === 'properties') return [[keyword, mapProperties(value, simplifyPart, hasRoom)]]
      // The names that patterns allow are not kept, and would count as additional ones.
      if (keyword === 'additionalProperties' && isObject(schema.patternProperties)) return []
      // The items of a tuple are not kept, and `items` says only what follows them.
      if (keyword === 'items' && Array.isArray(schema.prefixItems)) return []
      if (SUBSCHEMA.includes(keyword))
        return [[keyword, typeof value === 'boolean' ? value : simplifyPart(value)]]
      if (SUBSCHEMAS.includes(keyword))
        return Array.isArray(value) ? [[keyword, value.map(simplifyPart)]] : []
      return PLAIN.includes(keyword) && isFlat(value) && hasRoom(value) ? [[keyword, value]] : []
    })
    return Object.fromEntries(entries)
  }
  return simplify(original, 0) as Json
}

/** Returns a simplified schema as an object at its top; the kinds of providers convert it for their vendors. */
export const toModelSchema = (schema: Json): JSONSchema => ({ properties: {}, ...schema, type: 'object' })

const pickKeywords = (schema: Json): Json =>
  Object.fromEntries(
    KEYWORDS.filter((keyword) => Object.hasOwn(schema, keyword)).map((keyword) => [keyword, schema[keyword]]),
  )

/** Returns the schema that another one refers to, with the keywords beside the reference. */
function resolveReference(root: unknown, schema: Json): Json {
  const { $ref, ...beside } = pickKeywords(schema)
  const found = findTarget(root, $ref as string)
  if (!isObject(found)) return beside
  const target = pickKeywords(found)
  const hasBoth = isObject(target.properties) && isObject(beside.properties)
  if (hasBoth) beside.properties = { ...(target.properties as Json), ...(beside.properties as Json) }
  return { ...target, ...beside }
}

function findTarget(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#') || reference.length > MAX_REFERENCE_CHARS) return undefined
  const names = reference.slice(1).split('/').slice(1)
  return names.reduce<unknown>((part, name) => {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
    return isObject(part) && Object.hasOwn(part, key) ? part[key] : undefined
  }, root)
}

/** Maps properties while there is room for their names. */
function mapProperties(
  properties: unknown,
  map: (schema: unknown) => unknown,
  hasRoom: (name: string) => boolean,
): Json {
  const entries = isObject(properties) ? Object.entries(properties) : []
  return Object.fromEntries(
    entries.filter(([name]) => hasRoom(name)).map(([name, part]) => [name, map(part)]),
  )
}

/** False for a value that is nested so deeply that walking it may exhaust the stack. */
const isFlat = (value: unknown, depth = 0): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth < MAX_DEPTH && Object.values(value).every((part) => isFlat(part, depth + 1)))
