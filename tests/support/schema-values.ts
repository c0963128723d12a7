import type { JSONSchema } from '../../kernel/schema.ts'
import type { Chance } from './random.ts'

const MAX_DEPTH = 6
/** The part of the optional fields that a value has. */
const OPTIONAL = 0.5

/** Creates values that fit the schemas of a document, except for patterns. */
export function createSchemaValues(schemas: Record<string, JSONSchema>, chance: Chance, url: string) {
  const resolve = ({ $ref, ...schema }: JSONSchema): JSONSchema =>
    typeof $ref === 'string' ? resolve({ ...schemas[$ref.split('/').at(-1)!], ...schema }) : schema

  const createText = ({ format, minLength = 0, maxLength = 64 }: JSONSchema): string => {
    if (format === 'timezone') return 'Europe/Berlin'
    if (format === 'uri' || format === 'url') return url
    if (format === 'date-time') return '2026-02-28T10:00:00Z'
    if (format === 'date') return '2026-02-28'
    const length = chance.int(Number(minLength), Math.max(Number(minLength), Math.min(Number(maxLength), 64)))
    return 'text-0-'.repeat(length).slice(0, length)
  }

  const createObject = ({ properties = {}, required = [] }: JSONSchema, depth: number) =>
    Object.fromEntries(
      Object.entries(properties as Record<string, JSONSchema>)
        .filter(([name]) => (required as string[]).includes(name) || chance.chance(OPTIONAL))
        .map(([name, field]) => [name, create(field, depth + 1)]),
    )

  const create = (reference: JSONSchema, depth = 0): unknown => {
    const schema = resolve(reference)
    const { type, enum: values, const: constant, examples } = schema
    if (constant !== undefined) return constant
    if (Array.isArray(values)) return chance.pick(values)
    if (Array.isArray(examples) && chance.chance(0.3)) return chance.pick(examples)
    const branches = (schema.anyOf ?? schema.oneOf) as JSONSchema[] | undefined
    if (branches && type !== 'object')
      return depth > MAX_DEPTH ? null : create(chance.pick(branches), depth + 1)
    switch (Array.isArray(type) ? chance.pick(type) : type) {
      case 'object':
        return depth > MAX_DEPTH ? {} : createObject(schema, depth)
      case 'array': {
        const items = schema.items as JSONSchema | undefined
        const least = Number(schema.minItems ?? 0)
        return items && depth <= MAX_DEPTH
          ? chance.list(least, least + 2, () => create(items, depth + 1))
          : []
      }
      case 'integer':
      case 'number':
        return chance.int(Number(schema.minimum ?? 0), Number(schema.maximum ?? 1000))
      case 'boolean':
        return chance.chance(0.5)
      case 'null':
        return null
      default:
        return createText(schema)
    }
  }
  return { create: (schema: JSONSchema): unknown => create(schema) }
}
