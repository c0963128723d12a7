import { ConfigError } from './config.ts'
import type { AppError } from './errors.ts'
import { deferSchema, type Issue, type JSONSchema } from './schema.ts'

/**
 * Makes a check of something that a plugin brings: its fields against a schema, the named ones also for being
 * functions. What does not pass is refused in one sentence that begins with `subject` and names the field.
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
      refuse(`${issue.path || 'it'} ${issue.message}`)
    }
    const value = candidate as Value
    for (const name of functions)
      if (value[name] !== undefined && typeof value[name] !== 'function')
        refuse(`/${name} must be a function`)
    return value
  }
}

/** Runs `compile`; a schema in it that is not valid is refused in one sentence that begins with `subject`. */
export function compileFor<Value>(subject: string, compile: () => Value): Value {
  try {
    return compile()
  } catch (error) {
    throw new ConfigError(`${subject} has a schema that is not valid: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
