import { AppError } from '../errors.ts'
import { deferSchema, type JSONSchema, type Validator } from '../schema.ts'
import type { FrameSchemas } from './socket.ts'

/** A frame: an object told apart by its `type`. */
export interface Frame {
  type: string
}

/** Reads the text of a frame of one direction; throws BAD_FRAME or VALIDATION_FAILED. */
export function createFrameReader(schemas: FrameSchemas): (text: string) => Frame {
  const check = createFrameCheck(schemas)
  return (text) => {
    let frame: unknown
    try {
      frame = JSON.parse(text)
    } catch (error) {
      throw new AppError('BAD_FRAME', { reason: 'not JSON' }, { cause: error })
    }
    return check(frame)
  }
}

/** Checks a frame against the schema of its type. */
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

/** Adds the `type` of a frame to the schema of its other fields. */
export const withType = (type: string, schema: JSONSchema): JSONSchema => ({
  ...schema,
  properties: { type: { type: 'string', const: type }, ...(schema.properties as object) },
  required: ['type', ...((schema.required ?? []) as string[])],
})
