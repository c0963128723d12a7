import type { PlainSchema } from './plain-schema.ts'
import { createNames } from './tool-names.ts'

/** The names that a vendor receives for the properties of an object, and the names that they have here. */
interface Renamed {
  toSent: ReadonlyMap<string, string>
  toOriginal: ReadonlyMap<string, string>
}

/** A schema whose properties have names that a vendor accepts. */
export interface RenamedSchema {
  schema: PlainSchema
  /** Renames the properties of an input; missing if no property has another name. */
  rename?(input: unknown, direction: keyof Renamed): unknown
}

/** Renames the properties of a schema that do not match the pattern of a vendor, on all levels. */
export function renameProperties(original: PlainSchema, pattern: RegExp): RenamedSchema {
  const renamed = new Map<PlainSchema, Renamed>()

  const convert = (schema: PlainSchema): PlainSchema => {
    const { properties, items, additionalProperties: others, anyOf, oneOf, allOf } = schema
    const converted = { ...schema }
    if (items) converted.items = convert(items)
    if (typeof others === 'object') converted.additionalProperties = convert(others)
    if (anyOf) converted.anyOf = anyOf.map(convert)
    if (oneOf) converted.oneOf = oneOf.map(convert)
    if (allOf) converted.allOf = allOf.map(convert)
    if (!properties) return converted
    const names = createNames(Object.keys(properties), pattern)
    const entries = Object.entries(properties).map(([name, part]) => {
      const sent = names.toSent(name)
      const fitted = convert(part)
      if (sent !== name) addName(fitted, name)
      return [sent, fitted]
    })
    converted.properties = Object.fromEntries(entries)
    if (schema.required) converted.required = schema.required.map(names.toSent)
    if (names.changed.size > 0)
      renamed.set(converted, {
        toSent: names.changed,
        toOriginal: new Map([...names.changed].map(([name, sent]) => [sent, name])),
      })
    return converted
  }

  const schema = convert(original)
  if (renamed.size === 0) return { schema: original }

  const rename = (value: unknown, schemas: readonly PlainSchema[], direction: keyof Renamed): unknown => {
    if (typeof value !== 'object' || value === null || schemas.length === 0) return value
    const all = schemas.flatMap(withAlternatives)
    if (Array.isArray(value)) {
      const items = all.flatMap((part) => part.items ?? [])
      return value.map((item) => rename(item, items, direction))
    }
    const entries = Object.entries(value).map(([name, part]) => {
      const other = all.flatMap((owner) => renamed.get(owner)?.[direction].get(name) ?? [])[0] ?? name
      const sent = direction === 'toSent' ? other : name
      const parts = all.flatMap(({ properties, additionalProperties: others }) => {
        if (properties && Object.hasOwn(properties, sent)) return properties[sent]!
        return typeof others === 'object' ? others : []
      })
      return [other, rename(part, parts, direction)]
    })
    return Object.fromEntries(entries)
  }
  return { schema, rename: (input, direction) => rename(input, [schema], direction) }
}

/** Adds the name of a property to its description: a name in Chinese may be all that tells a model what it is. */
function addName(schema: PlainSchema, name: string): void {
  const { type, description, anyOf } = schema
  // Gemini accepts no description beside alternatives.
  if (anyOf && description === undefined) for (const part of anyOf) addName(part, name)
  else if (type !== 'null') schema.description = description === undefined ? name : `${name}: ${description}`
}

const withAlternatives = (schema: PlainSchema): PlainSchema[] => [
  schema,
  ...[schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => (list ?? []).flatMap(withAlternatives)),
]
