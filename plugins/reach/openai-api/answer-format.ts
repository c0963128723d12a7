import { AppError } from '#plugin-api'
import type { TurnSettings } from '../../conversations/chat/documents.ts'

type Fields = Readonly<Record<string, unknown>>

/** The most texts at which an answer ends, as in OpenAI's API, and the most characters of each. */
const MAX_STOPS = 4
const MAX_STOP_CHARS = 1000
/** The most characters of a schema of a caller; the limit of every body bounds its depth. */
const MAX_SCHEMA_CHARS = 262_144

/** Throws PARAMETER_INVALID unless a value is a JSON schema of bounded size; it is never compiled here. */
export function assertSchema(schema: unknown, parameter: string): asserts schema is object {
  const refuse = (reason: string) => new AppError('PARAMETER_INVALID', { parameter, reason })
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw refuse('it must be a JSON schema')
  if (JSON.stringify(schema).length > MAX_SCHEMA_CHARS)
    throw refuse(`it has more than ${MAX_SCHEMA_CHARS} characters`)
}

/**
 * Reads the form of the final answer, which `parameter` names: `response_format` of chat completions, or `text.format`
 * of responses, whose schema is not nested. Throws PARAMETER_INVALID, PARAMETER_UNSUPPORTED.
 */
export function readAnswerFormat(format: unknown, parameter: string): Pick<TurnSettings, 'answer_format'> {
  const { type = 'text', json_schema, ...flat } = Object(format) as Fields
  if (type === 'text') return {}
  if (type === 'json_object') return { answer_format: {} }
  if (type !== 'json_schema') throw new AppError('PARAMETER_UNSUPPORTED', { parameter })
  const { name, description, schema, strict } = Object(json_schema ?? flat) as Fields
  assertSchema(schema, json_schema === undefined ? `${parameter}.schema` : `${parameter}.json_schema.schema`)
  return {
    answer_format: {
      schema: JSON.stringify(schema),
      ...(typeof name === 'string' && { name }),
      ...(typeof description === 'string' && { description }),
      ...(typeof strict === 'boolean' && { strict }),
    },
  }
}

/** Reads the texts at which an answer ends; throws PARAMETER_INVALID. */
export function readStop(stop: unknown): Pick<TurnSettings, 'stop'> {
  const texts = (Array.isArray(stop) ? stop : [stop ?? []]).flat()
  if (texts.length === 0) return {}
  const isUsable = (text: unknown) =>
    typeof text === 'string' && text.length > 0 && text.length <= MAX_STOP_CHARS
  if (texts.length > MAX_STOPS || !texts.every(isUsable))
    throw new AppError('PARAMETER_INVALID', {
      parameter: 'stop',
      reason: `it must be 1 to ${MAX_STOPS} texts of at most ${MAX_STOP_CHARS} characters`,
    })
  return { stop: texts }
}
