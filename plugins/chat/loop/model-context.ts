import type { LanguageModelV3Content, LanguageModelV3Message } from '@ai-sdk/provider'
import type { Block, MessageDocument, ThreadSummary } from '../documents.ts'
import { sizeOfBlock } from '../message-size.ts'
import type { Images } from './turn-images.ts'

/** Characters that stand for a token when none is counted yet. */
const CHARACTERS_PER_TOKEN = 3
/** The share of a model's window that the conversation so far may fill. */
const HISTORY_SHARE = 0.6
const DEFAULT_WINDOW = 32_000
/** About what upstreams count for a picture. */
const IMAGE_TOKENS = 1500

type UserPart = Extract<LanguageModelV3Message, { role: 'user' }>['content'][number]
type AssistantPart = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'][number]

/** How much of a conversation a model with a window of so many tokens is told, in characters. */
export const charactersFor = (window = DEFAULT_WINDOW): number =>
  window * CHARACTERS_PER_TOKEN * HISTORY_SHARE

/** The conversation so far as a model is told it: the newest messages that fit its window, whole exchanges only. */
export function contextOf(
  history: readonly MessageDocument[],
  window?: number,
  images: Images = new Map(),
): LanguageModelV3Message[] {
  let room = charactersFor(window)
  let first = history.length
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const { content, role } = history[index]!
    for (const block of content) room -= sizeOf(block, images)
    if (room < 0) break
    if (role === 'user') first = index
  }
  const shown = history.slice(first)
  const answered = new Set<string>()
  for (const { content } of shown)
    for (const block of content) if (block.type === 'tool_result') answered.add(block.id)
  return shown.flatMap((message) => promptOf(message, answered, images))
}

/** What the user says, as a model is told it; files are named so that a tool can read them, pictures also shown. */
export function userMessage(content: readonly Block[], images: Images = new Map()): LanguageModelV3Message {
  return {
    role: 'user',
    content: content.flatMap((block): UserPart[] => {
      if (block.type === 'text') return [{ type: 'text', text: block.text }]
      if (block.type !== 'image' && block.type !== 'file') return []
      const image = images.get(block.path)
      return [
        { type: 'text', text: `[${block.type} in the workspace: ${block.path}]` },
        ...(image ? [{ type: 'file' as const, ...image }] : []),
      ]
    }),
  }
}

/** The conversation with what is remembered of what came before it, told as the first thing in it. */
export function withSummary(
  messages: readonly LanguageModelV3Message[],
  summary: ThreadSummary | undefined,
): LanguageModelV3Message[] {
  const [first, ...others] = messages
  if (!summary || first?.role !== 'user') return [...messages]
  const text = `[What came before in this conversation, summed up:\n${summary.text}]`
  return [{ ...first, content: [{ type: 'text', text }, ...first.content] }, ...others]
}

/** What the model has just said, as it is told it again for the next step of the same turn. */
export function assistantMessage(content: readonly LanguageModelV3Content[]): LanguageModelV3Message {
  return {
    role: 'assistant',
    content: content.flatMap((part): AssistantPart[] => {
      if (part.type === 'text' || part.type === 'reasoning')
        return [{ type: part.type, text: part.text, providerOptions: part.providerMetadata }]
      if (part.type !== 'tool-call') return []
      const { toolCallId, toolName, input, providerMetadata } = part
      return [
        {
          type: 'tool-call',
          toolCallId,
          toolName,
          input: argumentsOf(input),
          providerOptions: providerMetadata,
        },
      ]
    }),
  }
}

/** A call's arguments as an object; as the model wrote them where they are not JSON. */
export function argumentsOf(input: string): unknown {
  try {
    return JSON.parse(input || '{}')
  } catch {
    return { text: input }
  }
}

/** With what a picture takes that is shown. */
const sizeOf = (block: Block, images: Images): number =>
  sizeOfBlock(block) + ('path' in block && images.has(block.path) ? IMAGE_TOKENS * CHARACTERS_PER_TOKEN : 0)

/** A stored message as a model is told it; tool calls without an answer are left out, as upstreams refuse them. */
function promptOf(
  { role, content }: MessageDocument,
  answered: ReadonlySet<string>,
  images: Images,
): LanguageModelV3Message[] {
  if (role === 'user') return [userMessage(content, images)]
  if (role === 'assistant') {
    const parts = content.flatMap((block): AssistantPart[] => {
      if (block.type === 'text') return [{ type: 'text', text: block.text }]
      if (block.type !== 'tool_use' || !answered.has(block.id)) return []
      return [{ type: 'tool-call', toolCallId: block.id, toolName: block.name, input: block.input }]
    })
    return parts.length > 0 ? [{ role: 'assistant', content: parts }] : []
  }
  return content.flatMap((block): LanguageModelV3Message[] => {
    if (block.type !== 'tool_result') return []
    const output = { type: block.is_error ? ('error-text' as const) : ('text' as const), value: block.output }
    return [
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: block.id, toolName: block.name, output }],
      },
    ]
  })
}
