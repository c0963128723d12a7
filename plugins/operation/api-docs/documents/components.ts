import { isDeepStrictEqual } from 'node:util'

type Json = Record<string, unknown>

/** The named schemas of a document, which its operations refer to. */
export type Components = ReturnType<typeof createComponents>

/** Creates the components of one document. */
export function createComponents() {
  const schemas: Json = {}

  /**
   * Names a schema; keywords about a single use of it stay beside the reference. Of two different schemas with one name,
   * the second stays inline.
   */
  const refer = (name: string, described: Json): Json => {
    const keywordsOfUse = described.enum ? KEYWORDS_OF_ENUM_USE : KEYWORDS_OF_USE
    const pick = (isOfUse: boolean) =>
      Object.fromEntries(Object.entries(described).filter(([key]) => keywordsOfUse.has(key) === isOfUse))
    const shared = pick(false)
    schemas[name] ??= shared
    if (!isDeepStrictEqual(schemas[name], shared)) return described
    return { $ref: `#/components/schemas/${name}`, ...pick(true) }
  }

  /**
   * Returns a schema as documents show it: schemas with a title, enums, and members of unions become components, with
   * references in their place, at any depth. `name` is for a schema without a title, and the beginning of the names
   * within it.
   */
  const describe = (schema: unknown, name: string): unknown => {
    // `true` admits anything, as an empty schema does, which more generators know.
    if (schema === true) return {}
    if (schema === false) return schema
    const { title } = schema as Json
    const ownName = isName(title) ? title : name
    const parts = Object.entries(schema as Json).map(([key, part]) => [key, describePart(key, part, ownName)])
    const described = withMapping(withFreedom(withType(withNull(Object.fromEntries(parts)))), schemas)
    if (described.type === undefined && !described.oneOf && !described.anyOf) return described
    if (isName(title)) return refer(title, described)
    return Array.isArray(described.enum) && described.enum.length > 1 ? refer(name, described) : described
  }

  const describePart = (key: string, part: unknown, name: string): unknown => {
    switch (key) {
      case 'properties':
        return mapValues(part as Json, (property, field) => describe(property, name + toPascalCase(field)))
      case 'oneOf':
      case 'anyOf':
        return (part as unknown[]).map((member) => describeMember(member, name))
      case 'prefixItems':
        return (part as unknown[]).map((item) => describe(item, `${name}Item`))
      case 'items':
        return describe(part, `${name}Item`)
      case 'additionalProperties':
        return part === true ? part : describe(part, `${name}Value`)
      case 'pattern':
        return toPortable(part as string)
      case 'format':
        return part === 'url' ? 'uri' : part
      default:
        return part
    }
  }

  /** Names a member of a union by its first constant, if it has one. */
  const describeMember = (member: unknown, name: string): unknown => {
    const { title, properties } = member as { title?: unknown; properties?: Json }
    const sign = Object.values(properties ?? {}).find(
      (property) => typeof (property as Json).const === 'string',
    ) as { const: string } | undefined
    if (title !== undefined || !sign) return describe(member, name)
    const ownName = toPascalCase(sign.const) + name
    return refer(ownName, describe(member, ownName) as Json)
  }

  return { schemas, describe }
}

/** The keywords of a named schema that are about a single use of it. */
const KEYWORDS_OF_USE = new Set(['default', 'examples'])
const KEYWORDS_OF_ENUM_USE = new Set(['description', ...KEYWORDS_OF_USE])

/** Writes a name of a field, a path or a constant in PascalCase. */
export const toPascalCase = (name: string) =>
  name.replace(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** True for a title that may name a component. */
export const isName = (title: unknown): title is string =>
  typeof title === 'string' && /^[\w.-]+$/.test(title)

const mapValues = (object: Json, map: (value: unknown, key: string) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]))

/**
 * Writes "a text, a number or the like, or null" as two types of one schema: openapi-generator lets null into other
 * properties if such a property is a union, and out of it if an object has two types.
 */
function withNull(schema: Json): Json {
  const { anyOf, ...keywordsOfUse } = schema
  const [value, none, ...others] = (anyOf ?? []) as Json[]
  const isNullable = none?.type === 'null' && others.length === 0
  const isPlain =
    typeof value?.type === 'string' && value.type !== 'object' && !value.enum && value.const === undefined
  return isNullable && isPlain ? { ...value, type: [value.type, 'null'], ...keywordsOfUse } : schema
}

/** Adds the type of an enum or a constant, which validation does not need but generators of clients do. */
function withType(schema: Json): Json {
  if (schema.type !== undefined || !(schema.enum || 'const' in schema)) return schema
  const values = (schema.enum as unknown[] | undefined) ?? [schema.const]
  const types = [...new Set(values.map(typeOf))]
  return { type: types.length === 1 ? types[0] : types, ...schema }
}

/** Says of an object without properties that it may have any, as some generators take it for empty. */
function withFreedom(schema: Json): Json {
  const { type, properties, additionalProperties, oneOf, anyOf } = schema
  if (type !== 'object' || properties || additionalProperties !== undefined || oneOf || anyOf) return schema
  return { ...schema, additionalProperties: true }
}

/** Adds the member of a union that each value of its discriminator selects, which some generators cannot derive. */
function withMapping(schema: Json, components: Json): Json {
  const { discriminator, oneOf } = schema as { discriminator?: { propertyName: string }; oneOf: Json[] }
  // AsyncAPI has only the name of the property.
  if (typeof discriminator !== 'object') return schema
  const resolve = (part: Json) =>
    typeof part.$ref === 'string' ? (components[part.$ref.split('/').at(-1)!] as Json) : part
  const mapping = oneOf.flatMap((member) => {
    const properties = resolve(member).properties as Record<string, Json>
    const { const: value, enum: values = [value] } = resolve(properties[discriminator.propertyName]!)
    return member.$ref ? (values as string[]).map((one) => [one, member.$ref]) : []
  })
  return { ...schema, discriminator: { ...discriminator, mapping: Object.fromEntries(mapping) } }
}

const typeOf = (value: unknown) =>
  value === null ? 'null' : Number.isInteger(value) ? 'integer' : typeof value

/** The control characters, as they are written within brackets. */
const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f'

/** Writes a pattern so that Python and Java read it as JavaScript does; undefined if it cannot be written so. */
function toPortable(pattern: string): string | undefined {
  const portable = pattern
    .replaceAll('\\P{Cc}', `[^${CONTROLS}]`)
    .replaceAll('\\p{Cc}', CONTROLS)
    // No JSON in UTF-8 has halves of surrogate pairs.
    .replaceAll('\\p{Cs}', '')
    .replaceAll('\\ud800-\\udfff', '')
  return /\\[pP]\{|\\u\{|\(\?</.test(portable) ? undefined : portable
}
