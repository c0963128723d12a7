import type * as AI from 'ai'
import type { AppError, Issue, JSONSchema, Registry, Validator } from '#kernel'
import { compileSchema, type Tool, type ToolContext } from '#kernel'
import type { TurnWriter } from './turn-writer.ts'

/** How much of a tool's output the model and the readers get, in characters. */
const OUTPUT_LIMIT = 65_536

const validators = new WeakMap<JSONSchema, Validator>()

/** Makes the registered tools callable by a model; each result is written to the turn before the model sees it. */
export function createToolbox({
  ai,
  tools,
  context,
  writer,
}: {
  ai: Pick<typeof AI, 'jsonSchema' | 'tool'>
  tools: Registry<Tool>
  context: Omit<ToolContext, 'attach' | 'signal'>
  writer: TurnWriter
}): AI.ToolSet {
  const callable = (definition: Tool) =>
    ai.tool({
      description: definition.description,
      inputSchema: ai.jsonSchema(definition.input_schema as never),
      async execute(input: unknown, { toolCallId: tool_call_id, abortSignal }) {
        const { name } = definition
        try {
          checkInput(definition, input)
          const attach: ToolContext['attach'] = (file) =>
            writer.onAttachment({ tool_call_id, url: null, ...file })
          const signal = abortSignal ?? new AbortController().signal
          const output = limit(await definition.execute(input as never, { ...context, signal, attach }))
          writer.onToolResult({ tool_call_id, name, output, is_error: false })
          return output
        } catch (error) {
          abortSignal?.throwIfAborted()
          const output = limit((error as Error).message)
          writer.onToolResult({ tool_call_id, name, output, is_error: true })
          throw error
        }
      },
    })
  return Object.fromEntries(tools.list().map((definition) => [definition.name, callable(definition)]))
}

const limit = (output: string) =>
  output.length > OUTPUT_LIMIT
    ? `${output.slice(0, OUTPUT_LIMIT)}\n[cut after ${OUTPUT_LIMIT} of ${output.length} characters]`
    : output

function checkInput({ name, input_schema }: Tool, input: unknown): void {
  const validate = validators.get(input_schema) ?? compileSchema(input_schema, 'json')
  validators.set(input_schema, validate)
  try {
    validate(input)
  } catch (error) {
    const issues = (error as AppError).details.issues as Issue[]
    const reasons = issues.map(({ path, message }) => `${path || 'input'} ${message}`)
    throw new Error(`${name} was called with an input that is not valid: ${reasons.join('; ')}`, {
      cause: error,
    })
  }
}
