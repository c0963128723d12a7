import {
  type AppError,
  deferSchema,
  type Issue,
  type JSONSchema,
  JsonTooComplex,
  type Tool,
  type Validator,
} from '#plugin-api'
import { readArguments } from './call-arguments.ts'

const validators = new WeakMap<JSONSchema, Validator>()

/**
 * Parses and checks the arguments of a call; throws a sentence that helps the model to correct them. `isCut` if the limit
 * of output ended the answer that they belong to.
 */
export function readInput(tool: Tool, text: string, { isCut = false } = {}): unknown {
  const { name } = tool
  let input: unknown
  try {
    input = readArguments(text)
  } catch (error) {
    const reason = isCut
      ? `this call of ${name} was cut off at the limit of output, so it was not carried out; make its arguments shorter, for example in several calls`
      : error instanceof JsonTooComplex
        ? `${name} was called with arguments that have too many levels or values`
        : `${name} was called with arguments that are not JSON`
    throw new Error(reason, { cause: error })
  }
  try {
    return checkInput(tool, input)
  } catch (error) {
    // A schema that cannot be used has no issues.
    const issues = (error as Partial<AppError>).details?.issues as Issue[] | undefined
    if (tool.checkInput || !issues) throw error
    const reasons = issues.map(({ path, message }) => `${path || 'input'} ${message}`)
    throw new Error(`${name} was called with an input that is not valid: ${reasons.join('; ')}`, {
      cause: error,
    })
  }
}

/** Checks the input of a tool; throws VALIDATION_FAILED, or what the tool's own check throws. */
export function checkInput(tool: Tool, input: unknown): unknown {
  if (tool.checkInput) return tool.checkInput(input)
  const { input_schema } = tool
  const validate = validators.get(input_schema) ?? deferSchema(input_schema, 'json')
  validators.set(input_schema, validate)
  return validate(input)
}
