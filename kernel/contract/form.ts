import { type AppError, ConfigError } from '../errors.ts'
import { nameNearest } from '../nearest-name.ts'
import { deferSchema, type Issue, type JSONSchema } from '../schema.ts'

export const text = { type: 'string' } as const
export const filledText = { type: 'string', minLength: 1 } as const
export const texts = { type: 'array', items: text } as const
export const positiveInteger = { type: 'integer', minimum: 1 } as const
export const anyObject = { type: 'object' } as const

/**
 * Makes a check of an object that a plugin declares: its fields must match a schema, and the named ones must be
 * functions. It throws one sentence that begins with `subject` and names the field.
 */
export function createFormCheck<Value>(
  schema: JSONSchema,
  functions: readonly (keyof Value & string)[],
): (candidate: unknown, subject: string) => Value {
  const check = deferSchema<Value>(schema, 'json')
  return (candidate, subject) => {
    const refuse = (what: string): never => {
      throw new Error(`${subject} is not valid: ${what}`)
    }
    try {
      check(candidate)
    } catch (error) {
      const [issue] = (error as AppError).details.issues as [Issue]
      refuse(`${issue.path || 'it'} ${explain(issue, schema)}`)
    }
    const value = candidate as Value
    for (const name of functions)
      if (value[name] !== undefined && typeof value[name] !== 'function')
        refuse(`/${name} must be a function`)
    return value
  }
}

/** Describes an issue with its path; for an unknown or missing key, the path is the key's own. */
function explain({ path, rule, message }: Issue, schema: JSONSchema): string {
  if (rule === 'required') return 'is missing'
  if (rule !== 'additionalProperties') return message
  const parents = path.split('/').slice(1, -1)
  const keys = Object.keys(parents.reduce(schemaOf, schema).properties as object)
  return `is not a known key${nameNearest(path.slice(path.lastIndexOf('/') + 1), keys)}`
}

/** The schema of a property or an item. */
const schemaOf = ({ properties, items, additionalProperties }: JSONSchema, name: string) =>
  ((properties as JSONSchema | undefined)?.[name] ?? items ?? additionalProperties) as JSONSchema

/** Runs `compile`; an invalid schema is refused in one sentence that begins with `subject`. */
export function compileFor<Value>(subject: string, compile: () => Value): Value {
  try {
    return compile()
  } catch (error) {
    throw new ConfigError(`${subject} has a schema that is not valid: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
