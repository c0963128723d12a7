import type { FrameSchemas } from '../contract/socket.ts'
import { AppError } from '../errors.ts'
import { deferSchema, type JSONSchema, type Validator } from '../schema.ts'

/** A frame: an object told apart by its `type`. */
export interface Frame {
  type: string
}

/** Parses the text of a frame; throws BAD_FRAME. */
export function parseFrame(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AppError('BAD_FRAME', { reason: 'not JSON' }, { cause: error })
  }
}

/** Checks a frame against the schema of its type; throws BAD_FRAME or VALIDATION_FAILED. */
export function createFrameCheck(schemas: FrameSchemas): Validator<Frame> {
  const validators = new Map(
    Object.entries(schemas).map(([type, schema]) => [
      type,
      deferSchema<Frame>(withType(type, schema), 'json'),
    ]),
  )
  return (frame) => {
    const type = (frame as Partial<Frame> | null)?.type
    const validate = typeof type === 'string' ? validators.get(type) : undefined
    if (!validate) throw new AppError('BAD_FRAME', { reason: 'unknown type', known: [...validators.keys()] })
    return validate(frame)
  }
}

/** Creates the function that returns the named fields of a frame, valid or not: those that are valid themselves. */
export function createFieldReader(
  schemas: FrameSchemas,
  names: readonly string[],
): (frame: unknown) => Record<string, unknown> {
  const tests = new Map(
    Object.entries(schemas).flatMap(([type, { properties }]) =>
      Object.entries({ ...(properties as Record<string, JSONSchema>) }).map(
        ([name, schema]) => [`${type}.${name}`, createTest(schema)] as const,
      ),
    ),
  )
  return (frame) => {
    const fields = Object(frame) as Record<string, unknown>
    if (typeof fields.type !== 'string') return {}
    const isValid = (name: string) => name in fields && tests.get(`${fields.type}.${name}`)?.(fields[name])
    return Object.fromEntries(names.filter(isValid).map((name) => [name, fields[name]]))
  }
}

function createTest(schema: JSONSchema): (value: unknown) => boolean {
  const check = deferSchema(schema, 'json')
  return (value) => {
    try {
      check(value)
      return true
    } catch {
      return false
    }
  }
}

/** Adds the `type` of a frame to the schema of its other fields. */
export const withType = (type: string, schema: JSONSchema): JSONSchema => ({
  ...schema,
  properties: { type: { type: 'string', const: type }, ...(schema.properties as object) },
  required: ['type', ...((schema.required ?? []) as string[])],
})
