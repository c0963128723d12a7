import { lacks } from '../server/failure.ts'

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
  /** `false` in a branch means that the field is not for it. */
  properties?: Record<string, Schema | false>
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

/** A schema whose conditions are decided. */
export interface ResolvedSchema extends Schema {
  properties: Record<string, Schema>
  required: string[]
}

/** Returns the properties and required names that hold for these values: conditions are decided, branches chosen. */
export const resolveSchema = (schema: Schema, values: Values): ResolvedSchema =>
  apply({ properties: {}, required: [] }, schema, values)

/** Merges a schema into a resolved one, then its matching conditions and branches. */
function apply(resolved: ResolvedSchema, schema: Schema, values: Values): ResolvedSchema {
  const filledValues = withDefaults(schema, values)
  const parts = [...(schema.allOf ?? [])]
  const conditional = schema.if && (matches(schema.if, filledValues) ? schema.then : schema.else)
  if (conditional) parts.push(conditional)
  for (const [name, required] of Object.entries(schema.dependentRequired ?? {}))
    if (values[name] !== undefined) parts.push({ required })
  for (const [name, part] of Object.entries(schema.dependentSchemas ?? {}))
    if (values[name] !== undefined) parts.push(part)
  const branches = schema.oneOf ?? schema.anyOf
  if (branches?.some(({ properties }) => properties)) {
    parts.push({ properties: readSelectors(branches) })
    parts.push(branches.find((branch) => matches(branch, filledValues, 'constants')) ?? branches[0]!)
  }
  return parts.reduce<ResolvedSchema>(
    (resolved, part) => apply(resolved, part, values),
    merge(resolved, schema),
  )
}

/** Returns the fields that distinguish the branches of `oneOf`: constants under one name become choices. */
function readSelectors(branches: Schema[]): Record<string, Schema> {
  const choices: Record<string, Schema> = {}
  for (const { properties = {} } of branches)
    for (const [name, property] of Object.entries(properties)) {
      if (!property || property.const === undefined) continue
      const choicesSoFar = choices[name]?.enum ?? []
      choices[name] = { ...property, ...choices[name], enum: [...choicesSoFar, property.const] }
    }
  for (const choice of Object.values(choices)) delete choice.const
  return choices
}

function merge(left: ResolvedSchema, right: Schema): ResolvedSchema {
  const properties = { ...left.properties }
  for (const [name, property] of Object.entries(right.properties ?? {})) {
    if (!property) delete properties[name]
    // A constant of a chosen branch says nothing new about the field that chose it.
    else if (property.const === undefined || !properties[name])
      properties[name] = { ...properties[name], ...property }
  }
  const required = [...new Set([...left.required, ...(right.required ?? [])])]
  return { ...right, ...left, properties, required }
}

const withDefaults = ({ properties = {} }: Schema, values: Values): Values => ({
  ...Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, property ? property.default : undefined]),
  ),
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
    if (!property) return value === undefined
    if (rule === 'constants') return property.const === undefined || property.const === value
    if (value === undefined) return true
    if (property.const !== undefined && property.const !== value) return false
    return !property.enum || property.enum.includes(value)
  })
}

/** Lists the fields that a schema needs for these values and that have neither a value nor a default. */
function listMissing(schema: Schema, values: Values): string[] {
  const { properties, required } = resolveSchema(schema, values)
  return required.filter(
    (name) => (values[name] ?? '') === '' && properties[name] && properties[name].default === undefined,
  )
}

/** Returns the values that apply to a schema, without the values of branches that no longer match. */
export function pruneValues(schema: Schema, values: Values): Values {
  const { properties, additionalProperties } = resolveSchema(schema, values)
  const isKept = ([name, value]: [string, unknown]) =>
    value !== undefined && (name in properties || additionalProperties !== false)
  return Object.fromEntries(Object.entries(values).filter(isKept))
}

/** Throws what a refusal by the server would, with the fields of `/config` that these settings need. */
export function assertComplete(schema: Schema, config: Values): void {
  const missing = listMissing(schema, config)
  if (missing.length > 0) throw lacks(missing.map((name) => `/config/${name}`))
}
