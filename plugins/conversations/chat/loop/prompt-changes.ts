import { createHash } from 'node:crypto'
import type { LanguageModelV3Message } from '@ai-sdk/provider'

type UserPart = Extract<LanguageModelV3Message, { role: 'user' }>['content'][number]

/** Returns an id of a call that every upstream accepts: the strictest one takes nine letters and digits. */
export const toCommonId = (name: string): string =>
  createHash('sha256').update(name).digest('hex').slice(0, 9)

/**
 * Removes what only the model that wrote it takes back: thoughts, signatures, and its ids of calls. `isForeign` is true
 * for the answers of another model than the one that receives the prompt.
 */
export const forOtherModel = (
  prompt: readonly LanguageModelV3Message[],
  isForeign: (answer: LanguageModelV3Message) => boolean,
): LanguageModelV3Message[] =>
  renameCalls(prompt, (id, index) => (isForeign(prompt[index]!) ? toCommonId(`${index} ${id}`) : id)).map(
    (message, index) =>
      message.role === 'assistant' && isForeign(prompt[index]!)
        ? {
            ...message,
            content: message.content
              .filter(({ type }) => type !== 'reasoning')
              .map((part) => ({ ...part, providerOptions: undefined })),
          }
        : message,
  )

/** Leaves the pictures out of a prompt. */
export const withoutPictures = (prompt: readonly LanguageModelV3Message[]): LanguageModelV3Message[] =>
  prompt.map((message) =>
    message.role === 'user' && hasPicture(message)
      ? { ...message, content: message.content.filter((part) => !isPicture(part)) }
      : message,
  )

/** True if the message of a user shows a picture. */
export const hasPicture = ({ role, content }: LanguageModelV3Message): boolean =>
  role === 'user' && content.some(isPicture)

const isPicture = (part: UserPart) => part.type === 'file' && part.mediaType.startsWith('image/')

/** Renames the calls whose ids are used already, since some upstreams count them anew in each turn and others refuse that. */
export const withUniqueIds = (
  messages: readonly LanguageModelV3Message[],
  usedIds: Set<string>,
  step: number,
): LanguageModelV3Message[] =>
  renameCalls(messages, (id) => {
    const uniqueId = usedIds.has(id) ? toCommonId(`${usedIds.size} ${step} ${id}`) : id
    usedIds.add(uniqueId)
    return uniqueId
  })

/** Returns the ids of the calls in a prompt. */
export const listCallIds = (prompt: readonly LanguageModelV3Message[]): string[] =>
  prompt.flatMap(({ role, content }) =>
    role === 'assistant'
      ? content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
      : [],
  )

/** Renames calls, and their results in the messages that follow. */
function renameCalls(
  prompt: readonly LanguageModelV3Message[],
  rename: (id: string, index: number) => string,
): LanguageModelV3Message[] {
  const names = new Map<string, string>()
  const nameOf = (id: string) => names.get(id) ?? id
  return prompt.map((message, index): LanguageModelV3Message => {
    if (message.role === 'assistant') {
      for (const part of message.content)
        if (part.type === 'tool-call') names.set(part.toolCallId, rename(part.toolCallId, index))
      const content = message.content.map((part) =>
        part.type === 'tool-call' ? { ...part, toolCallId: nameOf(part.toolCallId) } : part,
      )
      return { ...message, content }
    }
    if (message.role !== 'tool') return message
    const content = message.content.map((part) =>
      part.type === 'tool-result' ? { ...part, toolCallId: nameOf(part.toolCallId) } : part,
    )
    return { ...message, content }
  })
}
