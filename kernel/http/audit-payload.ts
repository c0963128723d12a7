import type { JSONSchema } from '../schema.ts'

/**
 * Returns the part of a body that may be logged: what its schema describes and does not mark writeOnly, at any depth.
 * Values that the schema leaves open are left out, because they may hold anything.
 */
export function recordablePart(schema: JSONSchema, value: unknown): unknown {
  const branches = branchesOf(schema)
  if (branches.some(({ writeOnly }) => writeOnly)) return undefined
  if (Array.isArray(value)) {
    const items = union(branches.flatMap((branch) => schemasIn(branch.items)))
    return items && value.map((item) => recordablePart(items, item))
  }
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([name, field]) => {
      const described = union(branches.flatMap((branch) => schemasOfField(branch, name)))
      return [name, described && recordablePart(described, field)]
    })
    const known = fields.filter(([, field]) => field !== undefined)
    return known.length > 0 || fields.length === 0 ? Object.fromEntries(known) : undefined
  }
  return branches.some(isDescribed) ? value : undefined
}

/** A schema and those that it combines. */
function branchesOf(schema: JSONSchema): JSONSchema[] {
  const combined = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => (list ?? []) as JSONSchema[])
  return [schema, ...combined.flatMap(branchesOf)]
}

const union = (schemas: JSONSchema[]): JSONSchema | undefined =>
  schemas.length > 0 ? { anyOf: schemas } : undefined

const schemasIn = (schema: unknown): JSONSchema[] =>
  typeof schema === 'object' && schema !== null ? [schema as JSONSchema] : []

const schemasOfField = (branch: JSONSchema, name: string): JSONSchema[] => {
  const properties = (branch.properties ?? {}) as Record<string, unknown>
  return schemasIn(Object.hasOwn(properties, name) ? properties[name] : branch.additionalProperties)
}

const isDescribed = ({ type, enum: values, const: only }: JSONSchema) =>
  type !== undefined || values !== undefined || only !== undefined
