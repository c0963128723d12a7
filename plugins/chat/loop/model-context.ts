import type { LanguageModelV3Content, LanguageModelV3Message } from '@ai-sdk/provider'
import { CHARACTERS_PER_TOKEN, IMAGE_TOKENS } from '#toolbox'
import type { Block, MessageDocument, ThreadSummary } from '../documents.ts'
import { measureBlock } from '../message-size.ts'
import type { Images } from './turn-images.ts'

/** The share of a model's window that the history may fill. */
const HISTORY_SHARE = 0.6
const DEFAULT_WINDOW = 32_000

type UserPart = Extract<LanguageModelV3Message, { role: 'user' }>['content'][number]
type AssistantPart = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'][number]

/** Returns how much of a conversation a model with a window of so many tokens receives, in characters. */
export const toCharacterBudget = (window = DEFAULT_WINDOW): number =>
  window * CHARACTERS_PER_TOKEN * HISTORY_SHARE

/** Returns the history as a model receives it: the newest messages that fit its window, whole exchanges only. */
export function toModelContext(
  history: readonly MessageDocument[],
  window?: number,
  images: Images = new Map(),
): LanguageModelV3Message[] {
  let room = toCharacterBudget(window)
  let first = history.length
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const { content, role } = history[index]!
    for (const block of content) room -= measureShown(block, images)
    if (room < 0) break
    if (role === 'user') first = index
  }
  const shown = history.slice(first)
  const answered = new Set<string>()
  for (const { content } of shown)
    for (const block of content) if (block.type === 'tool_result') answered.add(block.id)
  return shown.flatMap((message) => toPrompt(message, answered, images))
}

/**
 * Converts a user's message for a model; files are named so that a tool can read them, and images are shown as well.
 */
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

/** Puts the summary of earlier messages before the conversation, as its first message. */
export function withSummary(
  messages: readonly LanguageModelV3Message[],
  summary: ThreadSummary | undefined,
): LanguageModelV3Message[] {
  const [first, ...others] = messages
  if (!summary || first?.role !== 'user') return [...messages]
  const text = `[What came before in this conversation, summed up:\n${summary.text}]`
  return [{ ...first, content: [{ type: 'text', text }, ...first.content] }, ...others]
}

/** Converts a model's answer so that the model receives it again in the next step of the same turn. */
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
          input: parseArguments(input),
          providerOptions: providerMetadata,
        },
      ]
    }),
  }
}

/** Parses a call's arguments as an object; if they are not JSON, returns them as the model wrote them. */
export function parseArguments(input: string): unknown {
  try {
    return JSON.parse(input || '{}')
  } catch {
    return { text: input }
  }
}

/** Measures a block, including the image that is shown for it. */
const measureShown = (block: Block, images: Images): number =>
  measureBlock(block) + ('path' in block && images.has(block.path) ? IMAGE_TOKENS * CHARACTERS_PER_TOKEN : 0)

/** Converts a stored message for a model; tool calls without a result are left out, because upstreams reject them. */
function toPrompt(
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
