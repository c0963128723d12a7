import { isObject, type Json } from './json-object.ts'

/**
 * Returns a schema whose conditions are alternatives: `then` and `else`, and the schemas that depend on a property. It
 * accepts at least what the original accepts.
 */
export function withPlainConditions(schema: Json): Json {
  const { if: condition, then: positive, else: negative, dependentSchemas, dependencies, ...others } = schema
  const alternatives: unknown[][] = []
  if (condition !== undefined && (isObject(positive) || isObject(negative)))
    alternatives.push([positive ?? {}, negative ?? {}])
  for (const dependents of [dependentSchemas, dependencies])
    if (isObject(dependents))
      for (const dependent of Object.values(dependents))
        if (isObject(dependent)) alternatives.push([dependent, {}])
  if (alternatives.length === 0) return schema
  const allOf = Array.isArray(others.allOf) ? others.allOf : []
  return { ...others, allOf: [...allOf, ...alternatives.map((anyOf) => ({ anyOf }))] }
}
