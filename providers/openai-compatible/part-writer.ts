import { randomUUID } from 'node:crypto'
import type {
  JSONObject,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import { METADATA_KEY } from './request.ts'

/** The fields of one event of a streamed chat completion that are used here. */
export interface Chunk {
  id?: string | null
  model?: string | null
  created?: number | null
  error?: unknown
  usage?: Usage | null
  choices?: { delta?: Delta | null; finish_reason?: string | null }[]
}

interface Delta {
  content?: string | { type: string; text?: string }[] | null
  reasoning_content?: string | null
  reasoning?: string | null
  tool_calls?: ToolCallDelta[] | null
}

interface ToolCallDelta {
  index?: number | null
  id?: string | null
  function?: { name?: string | null; arguments?: string | null } | null
  extra_content?: JSONObject | null
}

interface Usage {
  prompt_tokens?: number | null
  completion_tokens?: number | null
  prompt_tokens_details?: { cached_tokens?: number | null } | null
  completion_tokens_details?: { reasoning_tokens?: number | null } | null
}

interface ToolCall {
  index: number
  id: string
  name: string
  input: string
  extra: JSONObject | null
}

/** Converts chunks to parts, in order. */
interface PartWriter {
  write(chunk: Chunk): void
  /** Closes open blocks and writes tool calls and the finish; does nothing and returns false without a finish reason. */
  finish(): boolean
}

/** Creates the writer of one answer. */
export function createPartWriter(emit: (part: LanguageModelV3StreamPart) => void): PartWriter {
  let open: 'text' | 'reasoning' | undefined
  let id = ''
  let blocks = 0
  let described = false
  let finishReason: string | undefined
  let usage: Usage | undefined
  const calls: ToolCall[] = []

  function close(): void {
    if (open) emit({ type: `${open}-end`, id })
    open = undefined
  }

  function add(type: 'text' | 'reasoning', delta: string): void {
    if (open !== type) {
      close()
      open = type
      id = `${type}-${blocks++}`
      emit({ type: `${type}-start`, id })
    }
    emit({ type: `${type}-delta`, id, delta })
  }

  function addContent(content: NonNullable<Delta['content']>): void {
    if (typeof content === 'string') add('text', content)
    else for (const part of content) if (part.type === 'text' && part.text) add('text', part.text)
  }

  function addToCall({ index, id, function: part, extra_content: extra = null }: ToolCallDelta): void {
    let call = findCall(index, id, part?.name)
    if (!call) {
      // A delta without a call that has a name cannot be used.
      if (!part?.name) return
      close()
      call = {
        index: index ?? calls.length,
        id: id || `call_${randomUUID()}`,
        name: part.name,
        input: '',
        extra,
      }
      calls.push(call)
      emit({ type: 'tool-input-start', id: call.id, toolName: call.name })
    }
    if (!part?.arguments) return
    call.input += part.arguments
    emit({ type: 'tool-input-delta', id: call.id, delta: part.arguments })
  }

  /** Finds the call of a delta. Some upstreams send no index, or index 0 for every call: a new id then begins a call. */
  function findCall(index?: number | null, id?: string | null, name?: string | null): ToolCall | undefined {
    const last = index == null ? calls.at(-1) : calls.findLast((call) => call.index === index)
    return last && name && (id ? id !== last.id : index == null) ? undefined : last
  }

  return {
    write(chunk) {
      if (!described) {
        described = true
        const { id, model, created } = chunk
        const timestamp = created ? new Date(created * 1000) : undefined
        emit({ type: 'response-metadata', id: id ?? undefined, modelId: model ?? undefined, timestamp })
      }
      if (chunk.usage) usage = chunk.usage
      const choice = chunk.choices?.[0]
      if (!choice) return
      if (choice.finish_reason) finishReason = choice.finish_reason
      const { delta } = choice
      if (!delta) return
      const thought = delta.reasoning_content || delta.reasoning
      if (thought) add('reasoning', thought)
      if (delta.content) addContent(delta.content)
      if (delta.tool_calls) for (const part of delta.tool_calls) addToCall(part)
    },
    finish() {
      if (finishReason === undefined) return false
      close()
      for (const { id, name, input, extra } of calls.sort((a, b) => a.index - b.index)) {
        emit({ type: 'tool-input-end', id })
        const providerMetadata = extra ? { [METADATA_KEY]: { extra_content: extra } } : undefined
        emit({ type: 'tool-call', toolCallId: id, toolName: name, input, providerMetadata })
      }
      emit({
        type: 'finish',
        finishReason: { unified: FINISH_REASONS[finishReason] ?? 'other', raw: finishReason },
        usage: convertUsage(usage),
      })
      return true
    },
  }
}

const FINISH_REASONS: Record<string, LanguageModelV3FinishReason['unified']> = {
  stop: 'stop',
  length: 'length',
  content_filter: 'content-filter',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
}

function convertUsage(usage: Usage | undefined): LanguageModelV3Usage {
  const input = usage?.prompt_tokens ?? undefined
  const output = usage?.completion_tokens ?? undefined
  const cached = usage?.prompt_tokens_details?.cached_tokens ?? 0
  const reasoning = usage?.completion_tokens_details?.reasoning_tokens ?? 0
  return {
    inputTokens: {
      total: input,
      noCache: input === undefined ? undefined : input - cached,
      cacheRead: usage && cached,
      cacheWrite: undefined,
    },
    outputTokens: {
      total: output,
      text: output === undefined ? undefined : Math.max(0, output - reasoning),
      reasoning: usage && reasoning,
    },
    raw: usage as JSONObject | undefined,
  }
}
