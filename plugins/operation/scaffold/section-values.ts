import { isObject, type JSONSchema, type Json, MASK } from '#plugin-api'

/** The keys of a section that are not settings of its plugin. */
const SWITCHES = new Set(['enabled', 'required'])

const propertiesOf = ({ properties = {} }: JSONSchema) => properties as Record<string, JSONSchema>

const schemaOf = (schema: JSONSchema, name: string): JSONSchema =>
  propertiesOf(schema)[name] ?? (isObject(schema.additionalProperties) ? schema.additionalProperties : {})

/** Returns the schema of the settings in a section, without its switches. */
export function settingsSchema(section: JSONSchema): JSONSchema {
  const properties = Object.entries(propertiesOf(section)).filter(([name]) => !SWITCHES.has(name))
  return { ...section, properties: Object.fromEntries(properties) }
}

/** Returns the settings of a section, with masks in place of secrets. */
export function maskedSettings(section: Json, schema: JSONSchema): Json {
  const settings = Object.fromEntries(Object.entries(section).filter(([name]) => !SWITCHES.has(name)))
  return mask(settings, schema) as Json
}

function mask(value: unknown, schema: JSONSchema): unknown {
  if (value === undefined) return undefined
  if (schema.writeOnly) return MASK
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, mask(part, schemaOf(schema, name))]),
  )
}
