import { createReferenceSearch, isObject, type JSONSchema, type Json, withPlainConditions } from '#plugin-api'

/** The depth to which references are followed; a schema may refer to itself. */
const MAX_DEPTH = 12
/** The most parts of a schema that are kept. */
const MAX_PARTS = 2000
/** The most characters that are kept, per character of the schema: each reference repeats its target. */
const MAX_GROWTH = 4
const SPARE_CHARS = 4096

const SUBSCHEMA = ['items', 'additionalProperties']
const SUBSCHEMAS = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
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
  const findSchema = createReferenceSearch(original)
  const simplify = (written: unknown, depth: number, references: readonly string[]): unknown => {
    parts -= 1
    if (!isObject(written) || parts < 0 || chars < 0 || depth > MAX_DEPTH) return {}
    const schema = withPlainConditions(written)
    if (typeof schema.$ref === 'string') {
      const { $ref } = schema
      const resolved = resolveReference(findSchema($ref), schema, references.includes($ref))
      return simplify(resolved, depth + 1, [...references, $ref])
    }
    const simplifyPart = (part: unknown) => simplify(part, depth + 1, references)
    const hasTuple = Array.isArray(schema.prefixItems) || Array.isArray(schema.items)
    const entries = Object.entries(pickKeywords(schema)).flatMap(([keyword, value]): [string, unknown][] => {
      if (keyword === 'properties') return [[keyword, mapProperties(value, simplifyPart, hasRoom)]]
      // The names that patterns allow are not kept, and would count as additional ones.
      if (keyword === 'additionalProperties' && isObject(schema.patternProperties)) return []
      // The items of a tuple are kept for the model; `items` beside them says only what follows them.
      if (keyword === 'items' && hasTuple)
        return Array.isArray(value) ? [['prefixItems', value.map(simplifyPart)]] : []
      if (SUBSCHEMA.includes(keyword))
        return [[keyword, typeof value === 'boolean' ? value : simplifyPart(value)]]
      if (SUBSCHEMAS.includes(keyword))
        return Array.isArray(value) ? [[keyword, value.map(simplifyPart)]] : []
      return PLAIN.includes(keyword) && isFlat(value) && hasRoom(value) ? [[keyword, value]] : []
    })
    return Object.fromEntries(entries)
  }
  return simplify(original, 0, []) as Json
}

/** Returns a simplified schema as an object at its top; the kinds of providers convert it for their vendors. */
export const toModelSchema = (schema: Json): JSONSchema => ({ properties: {}, ...schema, type: 'object' })

const pick = (schema: Json, keywords: readonly string[]): Json =>
  Object.fromEntries(
    keywords.filter((keyword) => Object.hasOwn(schema, keyword)).map((keyword) => [keyword, schema[keyword]]),
  )

const pickKeywords = (schema: Json): Json => pick(schema, KEYWORDS)

/**
 * Returns a schema that another one refers to, with the keywords beside the reference. Of a schema that contains
 * itself, the second level has only its type.
 */
function resolveReference(referred: unknown, schema: Json, isRecursive: boolean): Json {
  const { $ref, ...beside } = pickKeywords(schema)
  if (!isObject(referred)) return beside
  if (isRecursive) return { ...pick(referred, ['type', 'title', 'description']), ...beside }
  const target = pickKeywords(withPlainConditions(referred))
  const hasBoth = isObject(target.properties) && isObject(beside.properties)
  if (hasBoth) beside.properties = { ...(target.properties as Json), ...(beside.properties as Json) }
  return { ...target, ...beside }
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
