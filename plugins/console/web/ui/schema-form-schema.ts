/** The part of JSON Schema that forms are drawn from. */
export interface Schema {
  type?: string | string[]
  title?: string
  description?: string
  default?: unknown
  examples?: unknown[]
  const?: unknown
  enum?: unknown[]
  format?: string
  writeOnly?: boolean
  minimum?: number
  maximum?: number
  maxLength?: number
  items?: Schema
  maxItems?: number
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  not?: Schema
  if?: Schema
  then?: Schema
  else?: Schema
  dependentRequired?: Record<string, string[]>
  dependentSchemas?: Record<string, Schema>
}

export type Values = Record<string, unknown>

/** Returns the properties and required names that hold for these values: conditions are decided, branches chosen. */
export function resolveSchema(schema: Schema, values: Values): Schema {
  let resolved: Schema = { ...schema }
  const add = (part: Schema | undefined) => {
    if (part) resolved = merge(resolved, resolveSchema(part, values))
  }
  for (const part of schema.allOf ?? []) add(part)
  if (schema.if) add(matches(schema.if, withDefaults(schema, values)) ? schema.then : schema.else)
  for (const [name, names] of Object.entries(schema.dependentRequired ?? {}))
    if (values[name] !== undefined) add({ required: names })
  for (const [name, part] of Object.entries(schema.dependentSchemas ?? {}))
    if (values[name] !== undefined) add(part)
  const branches = schema.oneOf ?? schema.anyOf
  if (branches?.some(({ properties }) => properties)) {
    add({ properties: readSelectors(branches) })
    add(branches.find((branch) => matches(branch, withDefaults(schema, values), 'constants')) ?? branches[0])
  }
  return resolved
}

/** Fields that tell the branches of `oneOf` apart: constants under one name become the choices of a field. */
function readSelectors(branches: Schema[]): Record<string, Schema> {
  const choices: Record<string, Schema> = {}
  for (const { properties = {} } of branches)
    for (const [name, property] of Object.entries(properties)) {
      if (property.const === undefined) continue
      const known = choices[name]?.enum ?? []
      choices[name] = { ...property, ...choices[name], enum: [...known, property.const] }
    }
  for (const choice of Object.values(choices)) delete choice.const
  return choices
}

function merge(left: Schema, right: Schema): Schema {
  const properties = { ...left.properties }
  for (const [name, property] of Object.entries(right.properties ?? {})) {
    // A constant of a chosen branch says nothing new about the field that chose it.
    if (property.const !== undefined && properties[name]) continue
    properties[name] = { ...properties[name], ...property }
  }
  const required = [...new Set([...(left.required ?? []), ...(right.required ?? [])])]
  return { ...left, properties, required }
}

const withDefaults = ({ properties = {} }: Schema, values: Values): Values => ({
  ...Object.fromEntries(Object.entries(properties).map(([name, { default: value }]) => [name, value])),
  ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
})

/** True if values meet what conditions usually ask: constants, enums, required names and their combinations. */
function matches(schema: Schema, values: Values, rule: 'all' | 'constants' = 'all'): boolean {
  if (rule === 'all' && schema.required?.some((name) => values[name] === undefined)) return false
  if (schema.allOf?.some((part) => !matches(part, values, rule))) return false
  if (schema.anyOf && !schema.anyOf.some((part) => matches(part, values, rule))) return false
  if (schema.not && matches(schema.not, values, rule)) return false
  return Object.entries(schema.properties ?? {}).every(([name, property]) => {
    const value = values[name]
    if (rule === 'constants') return property.const === undefined || property.const === value
    if (value === undefined) return true
    if (property.const !== undefined && property.const !== value) return false
    return !property.enum || property.enum.includes(value)
  })
}

/** Returns the values that hold for a schema, without those of branches that were left. */
export function pruneValues(schema: Schema, values: Values): Values {
  const { properties = {}, additionalProperties } = resolveSchema(schema, values)
  const isKept = ([name, value]: [string, unknown]) =>
    value !== undefined && (name in properties || additionalProperties !== false)
  return Object.fromEntries(Object.entries(values).filter(isKept))
}
