import type {
  LanguageModelV3FunctionTool,
  LanguageModelV3ToolCall,
  LanguageModelV3ToolResultPart,
} from '@ai-sdk/provider'
import {
  type AppError,
  compileSchema,
  type Issue,
  type JSONSchema,
  type Tool,
  type ToolContext,
  type Validator,
} from '#kernel'
import type { TurnTools } from './turn-tools.ts'
import type { LoopWriter } from './turn-writer.ts'

/** How much of a tool's output the model and the readers get, in bytes of UTF-8. */
const OUTPUT_LIMIT = 64 * 1024

const validators = new WeakMap<JSONSchema, Validator>()

/** Tells a model which tools there are. */
export function describeTools(tools: readonly Tool[]): LanguageModelV3FunctionTool[] {
  return tools.map(({ name, description, input_schema }) => ({
    type: 'function',
    name,
    description,
    inputSchema: input_schema as LanguageModelV3FunctionTool['inputSchema'],
  }))
}

/** What is the same for all calls of a turn. */
export type CallFacts = Pick<
  ToolContext,
  'workspace' | 'agent_id' | 'thread_id' | 'user_id' | 'locale' | 'signal'
>

/** Runs one call; what it came to is written to the turn before the model is told. Rejects only when aborted. */
export async function runToolCall({
  call: { toolCallId, toolName, input },
  tools,
  facts,
  writer,
  ask,
  delegate,
}: {
  call: Pick<LanguageModelV3ToolCall, 'toolCallId' | 'toolName' | 'input'>
  tools: TurnTools
  facts: CallFacts
  writer: LoopWriter
} & Pick<ToolContext, 'ask' | 'delegate'>): Promise<LanguageModelV3ToolResultPart> {
  const attach: ToolContext['attach'] = (file) =>
    writer.onAttachment({ tool_call_id: toolCallId, url: null, ...file })
  const answer = (output: string, is_error: boolean): LanguageModelV3ToolResultPart => {
    writer.onToolResult({ tool_call_id: toolCallId, name: toolName, output, is_error })
    return {
      type: 'tool-result',
      toolCallId,
      toolName,
      output: { type: is_error ? 'error-text' : 'text', value: output },
    }
  }
  try {
    const tool = tools.get(toolName)
    if (!tool) throw new Error(`there is no tool "${toolName}" that could be used now`)
    const given = readInput(tool, input) as never
    const context = { ...facts, write_area: tools.write_area, attach, ask, delegate }
    if (!tools.isUnattended(toolName) && (await tool.needsApproval?.(given, context)))
      throw new Error(
        `this call of ${toolName} needs a person's approval, which cannot be asked for here; the owner of the agent can do without by naming the tool under tools_without_approval in its config`,
      )
    return answer(limit(await tool.execute(given, context)), false)
  } catch (error) {
    facts.signal.throwIfAborted()
    return answer(limit((error as Error).message), true)
  }
}

/** Cuts between characters, whatever the tool was: built-in ones keep within the limit by themselves. */
function limit(output: string): string {
  if (Buffer.byteLength(output) <= OUTPUT_LIMIT) return output
  const bytes = Buffer.from(output)
  const kept = new TextDecoder().decode(bytes.subarray(0, OUTPUT_LIMIT), { stream: true })
  return `${kept}\n[cut after ${OUTPUT_LIMIT} of ${bytes.length} bytes]`
}

/** The arguments of a call, checked; throws a sentence that helps the model to do better. */
function readInput({ name, input_schema }: Tool, text: string): unknown {
  const validate = validators.get(input_schema) ?? compileSchema(input_schema, 'json')
  validators.set(input_schema, validate)
  let input: unknown
  try {
    input = JSON.parse(text || '{}')
  } catch (error) {
    throw new Error(`${name} was called with arguments that are not JSON`, { cause: error })
  }
  try {
    return validate(input)
  } catch (error) {
    const issues = (error as AppError).details.issues as Issue[]
    const reasons = issues.map(({ path, message }) => `${path || 'input'} ${message}`)
    throw new Error(`${name} was called with an input that is not valid: ${reasons.join('; ')}`, {
      cause: error,
    })
  }
}
