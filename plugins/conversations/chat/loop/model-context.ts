import type { LanguageModelV3Content, LanguageModelV3Message } from '@ai-sdk/provider'
import { CHARACTERS_PER_TOKEN, IMAGE_TOKENS } from '#plugin-api'
import type { AttachedDocument } from '../attached-documents.ts'
import type { Block, MessageDocument, ThreadSummary } from '../documents.ts'
import { measureBlock } from '../documents.ts'
import { parseArguments } from './call-arguments.ts'
import type { Images } from './pictures.ts'
import { toCommonId } from './prompt-changes.ts'
import { withThoughts } from './thoughts.ts'

/** The share of a model's window that the history may fill. */
const HISTORY_SHARE = 0.6
const DEFAULT_WINDOW = 32_000

type UserPart = Extract<LanguageModelV3Message, { role: 'user' }>['content'][number]
type AssistantPart = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'][number]

type ToolUse = Extract<Block, { type: 'tool_use' }>
type ToolResult = Extract<Block, { type: 'tool_result' }>

/** Returns how much of a conversation a model with a window of so many tokens receives, in characters. */
export const toCharacterBudget = (window = DEFAULT_WINDOW): number =>
  window * CHARACTERS_PER_TOKEN * HISTORY_SHARE

/**
 * Returns the history as a model receives it: the newest messages that fit its window, whole exchanges only. `model` is
 * its reference; only answers of the same model contain its thoughts and the ids that it gave its calls. `reserved`
 * characters are left for the message that follows.
 */
export function toModelContext(
  history: readonly MessageDocument[],
  {
    window,
    images = new Map(),
    model,
    reserved = 0,
  }: { window?: number; images?: Images; model?: string; reserved?: number } = {},
): LanguageModelV3Message[] {
  let room = toCharacterBudget(window) - reserved
  let first = history.length
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const { content, documents = [], role, thoughts, model: writtenBy } = history[index]!
    for (const { text } of documents) room -= text.length
    for (const block of content) room -= measureShown(block, images)
    if (thoughts !== undefined && writtenBy === model) room -= thoughts.length
    if (room < 0) break
    if (role === 'user') first = index
  }
  const usedIds = new Set<string>()
  return groupSteps(history.slice(first)).flatMap(({ message, results }) =>
    message.role === 'user'
      ? [userMessage(message.content, { images, documents: message.documents })]
      : toExchange(message, results, { model, usedIds }),
  )
}

/** Cuts documents that would take more than half of what a model receives of a conversation. */
export function fitDocuments(documents: readonly AttachedDocument[], window?: number): AttachedDocument[] {
  const most = toCharacterBudget(window) / 2
  const size = documents.reduce((sum, { text }) => sum + text.length, 0)
  if (size <= most) return [...documents]
  return documents.map(({ path, text }) => {
    const share = Math.floor((most * text.length) / size)
    return {
      path,
      text: `${text.slice(0, share).toWellFormed()}\n[Cut for this model. Read on with read_file.]`,
    }
  })
}

/** A message, and the results of the calls in it. */
interface Step {
  message: MessageDocument
  results: ToolResult[]
}

/** Groups results with the message before them, since some upstreams number the calls of each answer anew. */
function groupSteps(messages: readonly MessageDocument[]): Step[] {
  const steps: Step[] = []
  for (const message of messages)
    if (message.role !== 'tool') steps.push({ message, results: [] })
    else steps.at(-1)?.results.push(...message.content.filter((block) => block.type === 'tool_result'))
  return steps
}

/** Converts an answer and the results of its calls; upstreams refuse calls without a result. */
function toExchange(
  { _id, content, model: writtenBy, thoughts }: MessageDocument,
  results: readonly ToolResult[],
  { model, usedIds }: { model: string | undefined; usedIds: Set<string> },
): LanguageModelV3Message[] {
  if (results.length === 0) return assistantMessages(content.flatMap(toTextPart))
  const answered = new Map(results.map((result) => [result.id, result]))
  const calls = content.filter(
    (block): block is ToolUse => block.type === 'tool_use' && !block.by_provider && answered.has(block.id),
  )
  const isOwn = model !== undefined && model === writtenBy
  const ids = new Map(
    calls.map(({ id }) => [id, isOwn && !usedIds.has(id) ? id : toCommonId(`${_id} ${id}`)]),
  )
  for (const id of ids.values()) usedIds.add(id)

  const shownBlocks = content.filter((block) => block.type !== 'tool_use' || calls.includes(block))
  const parts =
    isOwn && thoughts !== undefined && calls.length > 0
      ? withThoughts(shownBlocks, thoughts)
      : shownBlocks.flatMap(toPart)
  const renamed = parts.map((part) =>
    part.type === 'tool-call' ? { ...part, toolCallId: ids.get(part.toolCallId)! } : part,
  )
  return [
    ...assistantMessages(renamed),
    ...calls.map((call): LanguageModelV3Message => {
      const { name, output: value, is_error } = answered.get(call.id)!
      const output = { type: is_error ? ('error-text' as const) : ('text' as const), value }
      const toolCallId = ids.get(call.id)!
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: name, output }] }
    }),
  ]
}

const toTextPart = (block: Block): AssistantPart[] =>
  block.type === 'text' ? [{ type: 'text', text: block.text }] : []

function toPart(block: Block): AssistantPart[] {
  if (block.type !== 'tool_use') return toTextPart(block)
  return [{ type: 'tool-call', toolCallId: block.id, toolName: block.name, input: toObject(block.input) }]
}

/** Returns arguments as an object, since upstreams refuse others; older messages may contain such. */
const toObject = (input: unknown) =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { input }

/**
 * Converts a user's message for a model; files are named so that a tool can read them, and images and the texts of
 * documents are shown as well.
 */
export function userMessage(
  content: readonly Block[],
  { images = new Map(), documents = [] }: { images?: Images; documents?: readonly AttachedDocument[] } = {},
): LanguageModelV3Message {
  return {
    role: 'user',
    content: content.flatMap((block): UserPart[] => {
      if (block.type === 'text') return block.text.trim() ? [{ type: 'text', text: block.text }] : []
      if (block.type !== 'image' && block.type !== 'file') return []
      const image = images.get(block.path)
      const text = documents.find(({ path }) => path === block.path)?.text
      return [
        { type: 'text', text: `[${block.type} in the workspace: ${block.path}]` },
        ...(text ? [{ type: 'text' as const, text }] : []),
        ...(image ? [{ type: 'file' as const, ...image }] : []),
      ]
    }),
  }
}

const SUMMARY_BEGIN = '[What came before in this conversation, summed up:\n'
const SUMMARY_END = '\n[End of the summary.]'

/** Returns the summary at the beginning of a message; undefined if there is none. */
export function findSummary({ role, content }: LanguageModelV3Message): string | undefined {
  const part = role === 'user' ? content[0] : undefined
  if (part?.type !== 'text' || !part.text.startsWith(SUMMARY_BEGIN)) return undefined
  const end = part.text.indexOf(SUMMARY_END)
  return end < 0 ? undefined : part.text.slice(0, end + SUMMARY_END.length)
}

/** Puts the summary of earlier messages before the conversation. */
export const withSummary = (
  messages: readonly LanguageModelV3Message[],
  summary: ThreadSummary | undefined,
): LanguageModelV3Message[] =>
  summary ? beginWith(`${SUMMARY_BEGIN}${summary.text}${SUMMARY_END}`, messages) : [...messages]

/** Puts a text at the beginning of the first message, if that is a user's. */
export function beginWith(
  text: string,
  [first, ...others]: readonly LanguageModelV3Message[],
): LanguageModelV3Message[] {
  if (!first) return []
  if (first.role !== 'user') return [first, ...others]
  return [{ ...first, content: [{ type: 'text', text }, ...first.content] }, ...others]
}

/**
 * Joins messages of the same role that follow each other, such as two of a user if the first was not answered: the
 * templates of some models require that the roles alternate.
 */
export function joinMessages(messages: readonly LanguageModelV3Message[]): LanguageModelV3Message[] {
  const joined: LanguageModelV3Message[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (message.role === 'user' && last?.role === 'user')
      joined[joined.length - 1] = { ...last, content: joinTexts([...last.content, ...message.content]) }
    else if (message.role === 'assistant' && last?.role === 'assistant')
      joined[joined.length - 1] = { ...last, content: [...last.content, ...message.content] }
    else if (message.role === 'user' && message.content.length > 1)
      joined.push({ ...message, content: joinTexts(message.content) })
    else joined.push(message)
  }
  return joined
}

/** Joins texts that follow each other, since some servers read the content of a message only as one text. */
function joinTexts(content: readonly UserPart[]): UserPart[] {
  const joined: UserPart[] = []
  for (const part of content) {
    const last = joined.at(-1)
    if (part.type === 'text' && last?.type === 'text')
      joined[joined.length - 1] = { ...last, text: `${last.text}\n\n${part.text}` }
    else joined.push(part)
  }
  return joined
}

/**
 * Converts a model's answer so that the model receives it again in the next step of the same turn. Calls that its provider
 * has carried out are left out, except in an answer that the provider continues.
 */
export const toAnswerMessages = (
  content: readonly LanguageModelV3Content[],
  { isContinued = false } = {},
): LanguageModelV3Message[] =>
  assistantMessages(
    content.flatMap((part): AssistantPart[] => {
      const providerOptions = 'providerMetadata' in part ? part.providerMetadata : undefined
      switch (part.type) {
        case 'text':
        case 'reasoning':
          return [{ type: part.type, text: part.text, providerOptions }]
        case 'tool-call': {
          const { type, toolCallId, toolName, providerExecuted } = part
          if (providerExecuted && !isContinued) return []
          const input = parseArguments(part.input)
          return [
            {
              type,
              toolCallId,
              toolName,
              input,
              providerOptions,
              ...(providerExecuted && { providerExecuted }),
            },
          ]
        }
        case 'tool-result': {
          const { type, toolCallId, toolName, result } = part
          const output = { type: 'json' as const, value: result }
          return isContinued ? [{ type, toolCallId, toolName, output, providerOptions }] : []
        }
        default:
          return []
      }
    }),
  )

/** Returns the message of an answer, none if it says nothing: upstreams refuse text that is only white space. */
function assistantMessages(parts: readonly AssistantPart[]): LanguageModelV3Message[] {
  const content = parts.filter((part) => part.type !== 'text' || part.text.trim() !== '')
  return content.some(({ type }) => type !== 'reasoning') ? [{ role: 'assistant', content }] : []
}

/** Measures a block, including the image that is shown for it. */
const measureShown = (block: Block, images: Images): number =>
  measureBlock(block) + ('path' in block && images.has(block.path) ? IMAGE_TOKENS * CHARACTERS_PER_TOKEN : 0)
