import type { LanguageModelV3FunctionTool, LanguageModelV3ToolResultPart } from '@ai-sdk/provider'
import {
  type AppError,
  compileSchema,
  type Issue,
  type JSONSchema,
  type Tool,
  type ToolContext,
  type Validator,
} from '#kernel'
import type { Source } from '../documents.ts'
import type { Decision } from '../ledger/ledger-event.ts'
import { bounded, storable, wellFormed } from '../storable.ts'
import { type Request, requestAnswer, requestApproval } from './approvals.ts'
import { argumentsOf } from './model-context.ts'
import type { RecordedCall } from './recorded-loop.ts'
import type { TurnTools } from './turn-tools.ts'
import type { LoopWriter } from './turn-writer.ts'

/** How much of a tool's output the model and the readers get, in bytes of UTF-8. */
const OUTPUT_LIMIT = 64 * 1024
/** What the note of a cut takes at the most: an output that is longer by no more is left whole, as one that was cut. */
const NOTE_LENGTH = 64

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

/** One call of a tool; `id` is unique within its turn, `input` JSON as the model wrote it. */
export interface LoopCall {
  toolCallId: string
  toolName: string
  input: string
  /** The id that readers know it by, and the call that delegated it. */
  place: { id: string; parent_tool_call_id?: string }
}

/** What a call came to: a result, or what a person must be asked first. */
export type CallOutcome = { result: LanguageModelV3ToolResultPart } | { requests: Request[] }

/** The end of what a call delegates: its last words, or what a person must be asked first. */
export type Delegated = { text: string } | { requests: Request[] }

/**
 * Runs one call; what it came to is written to the turn before the model is told. One that ran before gives what it gave
 * then; one that a person was asked about runs again from its start, with what they decided. Rejects only when aborted.
 */
export function runToolCall({
  call: { toolCallId, toolName, input, place },
  tools,
  facts,
  writer,
  recorded = { answers: [], delegated: [] },
  delegate,
}: {
  call: LoopCall
  tools: TurnTools
  facts: CallFacts
  writer: LoopWriter
  recorded?: RecordedCall
  delegate(instruction: string): Promise<Delegated>
}): Promise<CallOutcome> {
  const part = (output: string, is_error: boolean): CallOutcome => ({
    result: {
      type: 'tool-result',
      toolCallId,
      toolName,
      output: { type: is_error ? 'error-text' : 'text', value: output },
    },
  })
  if (recorded.result) return Promise.resolve(part(recorded.result.output, recorded.result.is_error))

  const sources: Source[] = []
  const begun = performance.now()
  const answer = (output: string, is_error: boolean) => {
    const ms = Math.round(performance.now() - begun)
    writer.onToolResult({ tool_call_id: toolCallId, name: toolName, output, is_error, sources, ms })
    return part(output, is_error)
  }
  const args = (given: string) => storable(bounded(argumentsOf(given))) as Record<string, unknown>
  const request = { ...place, name: toolName, args: args(input) }
  const answers = [...recorded.answers]

  let pause!: (requests: Request[]) => void
  const paused = new Promise<CallOutcome>((resolve) => {
    pause = (requests) => resolve({ requests })
  })
  /** What the tool waits for will be there when the call is run again. */
  const untilRunAgain = (requests: Request[]) => {
    pause(requests)
    return new Promise<never>(() => undefined)
  }

  const context: ToolContext = {
    ...facts,
    tool_call_id: place.id,
    write_area: tools.write_area,
    attach: (file) => writer.onAttachment({ tool_call_id: toolCallId, url: null, ...file }),
    cite: (source) => void sources.push(source),
    async delegate(instruction) {
      const end = await delegate(instruction)
      return 'text' in end ? end.text : untilRunAgain(end.requests)
    },
    async ask(question) {
      const decision = answers.shift()
      if (decision?.type === 'respond') return decision.message
      if (decision) throw new Error(rejectionOf(decision))
      return untilRunAgain([requestAnswer(request, limit(wellFormed(question)))])
    },
  }

  const run = async (): Promise<CallOutcome> => {
    try {
      const tool = tools.get(toolName)
      if (!tool) throw new Error(`there is no tool "${toolName}" that could be used now`)
      let given = readInput(tool, input) as never
      const { approval } = recorded
      if (approval?.type === 'edit')
        given = readInput(tool, JSON.stringify(approval.edited_action.args)) as never
      else if (approval?.type === 'reject') throw new Error(rejectionOf(approval))
      else if (!approval && (await needsApproval(tool, given, context, tools)))
        return { requests: [requestApproval(request, tool, facts.locale)] }
      // Nothing is begun for a turn that has ended meanwhile.
      facts.signal.throwIfAborted()
      return answer(limit(await tool.execute(given, context)), false)
    } catch (error) {
      facts.signal.throwIfAborted()
      return answer(limit((error as Error).message), true)
    }
  }
  return Promise.race([run(), paused])
}

async function needsApproval(
  tool: Tool,
  input: never,
  context: ToolContext,
  tools: TurnTools,
): Promise<boolean> {
  const rule = tools.approvalOf(tool.name)
  return (
    rule === 'always' ||
    (rule === 'as the tool says' && (await tool.needsApproval?.(input, context)) === true)
  )
}

const rejectionOf = (decision: Decision): string =>
  'message' in decision && decision.message?.trim() ? decision.message : 'The user rejected this.'

/** Cuts between characters, whatever the tool was: built-in ones keep within the limit by themselves. */
function limit(output: string): string {
  if (Buffer.byteLength(output) <= OUTPUT_LIMIT + NOTE_LENGTH) return output
  const bytes = Buffer.from(output)
  const kept = new TextDecoder().decode(bytes.subarray(0, OUTPUT_LIMIT), { stream: true })
  return `${kept}\n[cut after ${OUTPUT_LIMIT} of ${bytes.length} bytes]`
}

/** The arguments of a call, checked; throws a sentence that helps the model to do better. */
function readInput(tool: Tool, text: string): unknown {
  const { name } = tool
  let input: unknown
  try {
    input = JSON.parse(text || '{}')
  } catch (error) {
    throw new Error(`${name} was called with arguments that are not JSON`, { cause: error })
  }
  try {
    return checkInput(tool, input)
  } catch (error) {
    const issues = (error as AppError).details.issues as Issue[]
    const reasons = issues.map(({ path, message }) => `${path || 'input'} ${message}`)
    throw new Error(`${name} was called with an input that is not valid: ${reasons.join('; ')}`, {
      cause: error,
    })
  }
}

/** An input that a tool takes; throws VALIDATION_FAILED. */
export function checkInput({ input_schema }: Tool, input: unknown): unknown {
  const validate = validators.get(input_schema) ?? compileSchema(input_schema, 'json')
  validators.set(input_schema, validate)
  return validate(input)
}
