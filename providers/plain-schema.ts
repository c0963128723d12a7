import type { JSONSchema7 } from '@ai-sdk/provider'
import { createReferenceSearch, withPlainConditions } from '#plugin-api'

/** The depth to which a schema is read; deeper parts accept anything. */
const MAX_DEPTH = 12
const MAX_PARTS = 2000
/** The most characters of names, texts and values that a schema may have. */
const MAX_CHARS = 100_000
const MAX_VALUE_DEPTH = 8

type Json = Record<string, unknown>

/** A schema without references, whose keywords all have the type that JSON Schema requires. */
export type PlainSchema = Omit<
  JSONSchema7,
  'properties' | 'items' | 'additionalProperties' | 'anyOf' | 'oneOf' | 'allOf'
> & {
  properties?: Record<string, PlainSchema>
  items?: PlainSchema
  additionalProperties?: PlainSchema | boolean
  anyOf?: PlainSchema[]
  oneOf?: PlainSchema[]
  allOf?: PlainSchema[]
}

const TYPES: readonly string[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']
const TEXTS = ['title', 'description', 'format', 'pattern']
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf'] as const

/**
 * Returns the schema of a tool's input as an object without references, alternatives at its top and broken keywords; it
 * accepts at least what the original accepts. Returns undefined if the original is no object or too large.
 */
export function toPlainSchema(original: unknown): PlainSchema | undefined {
  let parts = MAX_PARTS
  let chars = MAX_CHARS
  const findSchema = createReferenceSearch(original)

  const fit = (written: unknown, depth: number, references: readonly string[]): PlainSchema => {
    parts -= 1
    if (!isObject(written) || depth > MAX_DEPTH || parts < 0 || chars < 0) return {}
    const schema = withPlainConditions(written)
    const { $ref } = schema
    if (typeof $ref === 'string') {
      const { $ref: _, ...beside } = schema
      const target = findSchema($ref)
      const schemaOfTarget = isObject(target) ? target : {}
      // Of a schema that contains itself, the second level has only its type.
      const { type, title, description } = schemaOfTarget
      const referred = references.includes($ref) ? { type, title, description } : schemaOfTarget
      return fit({ ...referred, ...beside }, depth + 1, [...references, $ref])
    }
    const fitPart = (part: unknown) => fit(part, depth + 1, references)
    const types = readTypes(schema)
    const plain: Json = { ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }) }
    for (const [keyword, value] of pickValues(schema, types)) {
      chars -= JSON.stringify(value).length
      plain[keyword] = value
    }
    if (types.includes('object')) Object.assign(plain, fitObject(schema, fitPart))
    if (types.includes('array')) plain.items = fitItems(schema, fitPart)
    for (const keyword of ALTERNATIVES) {
      const list = schema[keyword]
      if (Array.isArray(list) && list.length > 0)
        plain[keyword] = list
          .slice(0, MAX_PARTS)
          .map((part) => withRequired(fitPart(part), part, plain.properties as PlainSchema['properties']))
    }
    return plain
  }

  const fitObject = (schema: Json, fitPart: (part: unknown) => PlainSchema): Json => {
    const entries: [string, PlainSchema][] = []
    for (const [name, part] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
      if (parts < 0 || chars < 0) break
      chars -= name.length
      entries.push([name, fitPart(part)])
    }
    const properties = Object.fromEntries(entries)
    const present = listNames(schema.required, properties)
    const { additionalProperties: others, patternProperties } = schema
    return {
      properties,
      ...(present.length > 0 && { required: present }),
      // The names that patterns allow are not kept, and would count as additional ones.
      ...(!isObject(patternProperties) &&
        (typeof others === 'boolean' || isObject(others)) && {
          additionalProperties: isObject(others) ? fitPart(others) : others,
        }),
    }
  }

  const plain = fit(original, 0, [])
  return parts < 0 || chars < 0 ? undefined : toTop(plain)
}

/**
 * Merges the properties of alternatives into a schema. A property that several alternatives have accepts what any of them
 * accepts; only those that every alternative requires stay required.
 */
export function mergeAlternatives(schema: PlainSchema): PlainSchema {
  const { anyOf, oneOf, allOf = [], ...merged } = schema
  const isOpen = [anyOf, oneOf].some((list) => list !== undefined)
  for (const part of allOf.map(mergeAlternatives)) {
    const { properties, required } = merged
    Object.assign(merged, { ...part, ...merged, properties, required })
    addProperties(merged, part.properties, part.required)
  }
  for (const list of [anyOf ?? [], oneOf ?? []]) {
    const parts = list.map(mergeAlternatives)
    const [first, ...others] = parts.map(({ required = [] }) => required)
    const common = (first ?? []).filter((name) => others.every((names) => names.includes(name)))
    addProperties(merged, joinProperties(parts), common)
  }
  for (const name of ['properties', 'required'] as const) if (merged[name] === undefined) delete merged[name]
  // Each alternative may have properties that others forbid.
  if (isOpen && merged.additionalProperties === false) delete merged.additionalProperties
  return merged
}

/** Adds properties; what the schema says about one itself comes first. */
function addProperties(
  merged: PlainSchema,
  properties: PlainSchema['properties'],
  required: readonly string[] = [],
): void {
  if (!properties && required.length === 0) return
  const joined = new Map(Object.entries(merged.properties ?? {}))
  for (const [name, part] of Object.entries(properties ?? {}))
    joined.set(name, { ...part, ...joined.get(name) })
  merged.properties = Object.fromEntries(joined)
  const names = new Set([...(merged.required ?? []), ...required])
  merged.required = [...names].filter((name) => joined.has(name))
}

/** Joins the properties of alternatives. */
function joinProperties(parts: readonly PlainSchema[]): Record<string, PlainSchema> | undefined {
  const choices = new Map<string, PlainSchema[]>()
  for (const { properties = {} } of parts)
    for (const [name, part] of Object.entries(properties))
      choices.set(name, [...(choices.get(name) ?? []), part])
  if (choices.size === 0) return undefined
  return Object.fromEntries([...choices].map(([name, schemas]) => [name, joinSchemas(schemas)]))
}

/** Returns a schema that accepts what any of these accepts; values that are listed become one list. */
function joinSchemas(schemas: readonly PlainSchema[]): PlainSchema {
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  const [first = {}] = different
  if (different.length <= 1) return first
  const lists = different.map(({ const: value, enum: values }) => (value === undefined ? values : [value]))
  const types = new Set(different.flatMap(({ type }) => type ?? []))
  if (lists.includes(undefined)) return { anyOf: different }
  const values = new Map(lists.flatMap((list) => list!.map((value) => [JSON.stringify(value), value])))
  const { const: _, type: __, ...others } = first
  return {
    ...(types.size > 0 && { type: types.size === 1 ? [...types][0] : [...types] }),
    ...others,
    enum: [...values.values()],
  }
}

/** Makes a schema an object at its top; undefined if its values are no objects. */
function toTop(schema: PlainSchema): PlainSchema | undefined {
  const { type, title, description, properties, required, additionalProperties } = mergeAlternatives(schema)
  if (type !== undefined && ![type].flat().includes('object')) return undefined
  return {
    type: 'object',
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    properties: properties ?? {},
    ...(required && required.length > 0 && { required }),
    ...(additionalProperties !== undefined && { additionalProperties }),
  }
}

/** Adds the names to an alternative that it requires of the properties of the schema that it is a part of. */
function withRequired(
  fitted: PlainSchema,
  original: unknown,
  properties: PlainSchema['properties'] = {},
): PlainSchema {
  const { required } = Object(original) as Json
  const names = listNames(required, properties)
  return names.length > 0
    ? { ...fitted, required: [...new Set([...(fitted.required ?? []), ...names])] }
    : fitted
}

/** Returns the names of a list that these properties have, each once. */
const listNames = (required: unknown, properties: object): string[] =>
  [...new Set(Array.isArray(required) ? required : [])].filter(
    (name) => typeof name === 'string' && Object.hasOwn(properties, name),
  )

/** Reads the types of a schema; those that it does not name follow from its keywords. */
function readTypes(schema: Json): string[] {
  const names = [schema.type].flat().map((name) => (typeof name === 'string' ? name.toLowerCase() : ''))
  const types = new Set(names.filter((name) => TYPES.includes(name)))
  if (types.size === 0) {
    const values = Array.isArray(schema.enum) ? schema.enum : []
    if (isObject(schema.properties)) types.add('object')
    else if (schema.items !== undefined || schema.prefixItems !== undefined) types.add('array')
    else if (values.length > 0 && values.every((value) => typeof value === 'string')) types.add('string')
  }
  if (schema.nullable === true && types.size > 0) types.add('null')
  return [...types]
}

/** Picks the keywords whose values are no schemas, if they have the type that JSON Schema requires. */
function pickValues(schema: Json, types: readonly string[]): [string, unknown][] {
  const texts = TEXTS.filter((keyword) => typeof schema[keyword] === 'string')
  const picked = texts.map((keyword): [string, unknown] => [keyword, schema[keyword]])
  for (const keyword of COUNTS)
    if (Number.isSafeInteger(schema[keyword]) && Number(schema[keyword]) >= 0)
      picked.push([keyword, schema[keyword]])
  for (const keyword of NUMBERS)
    if (Number.isFinite(schema[keyword]) && !(keyword === 'multipleOf' && Number(schema[keyword]) <= 0))
      picked.push([keyword, schema[keyword]])
  const values = Array.isArray(schema.enum) && isSmall(schema.enum) ? pickChoices(schema.enum, types) : []
  if (values.length > 0) picked.push(['enum', values])
  for (const keyword of ['const', 'default'])
    if (Object.hasOwn(schema, keyword) && schema[keyword] !== undefined && isSmall(schema[keyword]))
      picked.push([keyword, schema[keyword]])
  return picked
}

/** Returns each choice once, without those that a schema of these types does not accept: vendors refuse both. */
function pickChoices(values: readonly unknown[], types: readonly string[]): unknown[] {
  const texts = new Set<string>()
  return values.filter((value) => {
    const text = JSON.stringify(value)
    const isNew = !texts.has(text)
    texts.add(text)
    return isNew && (types.length === 0 || types.some((type) => isOfType(value, type)))
  })
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'integer') return Number.isInteger(value)
  // The other types are called as in JavaScript.
  return typeof value === type
}

/** Returns the schema of all items; the items of a tuple may each be any of its schemas. */
function fitItems(schema: Json, fitPart: (part: unknown) => PlainSchema): PlainSchema {
  const tuple = [schema.prefixItems, schema.items].find(Array.isArray)
  if (!tuple) return fitPart(schema.items ?? {})
  const parts = tuple.slice(0, MAX_PARTS).map(fitPart)
  const different = [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()]
  return different.length > 1 ? { anyOf: different } : (different[0] ?? {})
}

/** True for a value of JSON with few parts. */
function isSmall(value: unknown): boolean {
  let parts = MAX_PARTS
  const walk = (part: unknown, depth: number): boolean => {
    parts -= 1
    if (typeof part !== 'object' || part === null)
      return ['string', 'number', 'boolean', 'object'].includes(typeof part)
    return parts >= 0 && depth < MAX_VALUE_DEPTH && Object.values(part).every((one) => walk(one, depth + 1))
  }
  return walk(value, 0) && parts >= 0
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
