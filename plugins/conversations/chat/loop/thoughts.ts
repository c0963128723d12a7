import type {
  LanguageModelV3Content,
  LanguageModelV3Message,
  SharedV3ProviderMetadata,
} from '@ai-sdk/provider'
import type { Block } from '../documents.ts'

/** The most characters of thoughts that are stored with a message; of longer ones nothing returns to the model. */
const MAX_CHARS = 1_048_576

type AssistantPart = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'][number]

/** A part of an answer without what the blocks of its message contain. */
type Trace = { metadata?: SharedV3ProviderMetadata } & (
  | { type: 'reasoning'; text: string }
  | { type: 'text'; length: number }
  | { type: 'tool-call'; id: string }
)

/**
 * Returns what a model expects back of an answer with tool calls besides the blocks of its message: its thoughts,
 * signatures, and their order. Undefined if there is nothing of the kind.
 */
export function toThoughts(content: readonly LanguageModelV3Content[]): string | undefined {
  const traces = content.flatMap((part): Trace[] => {
    if (part.type !== 'text' && part.type !== 'reasoning' && part.type !== 'tool-call') return []
    const metadata = part.providerMetadata && { metadata: part.providerMetadata }
    if (part.type === 'text') return [{ type: 'text', length: part.text.length, ...metadata }]
    if (part.type === 'reasoning') return [{ type: 'reasoning', text: part.text, ...metadata }]
    return part.providerExecuted ? [] : [{ type: 'tool-call', id: part.toolCallId, ...metadata }]
  })
  const hasCalls = traces.some(({ type }) => type === 'tool-call')
  const hasMore = traces.some(({ type, metadata }) => type === 'reasoning' || metadata)
  if (!hasCalls || !hasMore) return undefined
  const thoughts = JSON.stringify(traces)
  return thoughts.length > MAX_CHARS ? undefined : thoughts
}

/** Joins the blocks of a message with its thoughts, as its model wrote them; blocks that are left out stay out. */
export function withThoughts(content: readonly Block[], thoughts: string): AssistantPart[] {
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  let position = 0
  return (JSON.parse(thoughts) as Trace[]).flatMap((trace): AssistantPart[] => {
    const providerOptions = trace.metadata
    if (trace.type === 'reasoning') return [{ type: 'reasoning', text: trace.text, providerOptions }]
    if (trace.type === 'text') {
      const start = position
      position += trace.length
      return [{ type: 'text', text: text.slice(start, position), providerOptions }]
    }
    const call = content.find((block) => block.type === 'tool_use' && block.id === trace.id.toWellFormed())
    if (call?.type !== 'tool_use') return []
    return [
      { type: 'tool-call', toolCallId: call.id, toolName: call.name, input: call.input, providerOptions },
    ]
  })
}
