import type { LanguageModelV3Message } from '@ai-sdk/provider'
import { CHARACTERS_PER_TOKEN, IMAGE_TOKENS } from '#plugin-api'
import type { MessageDocument } from '../documents.ts'
import { measureMessage } from '../documents.ts'
import { beginWith, findSummary, joinMessages } from './model-context.ts'
import { isResultPictures } from './pictures.ts'

/** The turns, the newest ones, whose tool outputs stay whole in a long conversation. */
const WHOLE_TURNS = 2

/** Outputs up to this many characters stay whole anyway. */
const SHORT_OUTPUT = 300

/** The shortenings of a prompt that is too long: the share of the earlier exchanges and the characters of outputs that stay. */
const SHORTENINGS = [
  { share: 0.5, output: 4000 },
  { share: 0, output: 1000 },
] as const

/** The number of times that a prompt can be shortened further. */
export const MOST_SHORTENINGS = SHORTENINGS.length

const leaveOut = (output: string) =>
  output.length <= SHORT_OUTPUT
    ? output
    : `[${output.length} characters of output left out, since the conversation is long. Call the tool again if you need them.]`

/** Leaves out the tool outputs of older turns if the messages are longer than this number of characters. */
export function withoutOldOutputs(
  messages: readonly MessageDocument[],
  most: number,
): readonly MessageDocument[] {
  if (!messages.some(({ role }) => role === 'tool')) return messages
  const size = messages.reduce((sum, message) => sum + measureMessage(message), 0)
  if (size <= most) return messages
  const turns = [...new Set(messages.map(({ turn_id }) => turn_id))]
  const whole = new Set(turns.slice(-WHOLE_TURNS))
  return messages.map((message) =>
    message.role !== 'tool' || whole.has(message.turn_id)
      ? message
      : {
          ...message,
          content: message.content.map((block) =>
            block.type === 'tool_result' ? { ...block, output: leaveOut(block.output) } : block,
          ),
        },
  )
}

/**
 * Shortens a prompt that its upstream says is too long by leaving out the oldest exchanges, and the middle of long tool
 * outputs of the running turn; more of both at each level from 1 on. The system prompt, the summary and the last message
 * of the user stay.
 */
export function shortenPrompt(
  prompt: readonly LanguageModelV3Message[],
  level: number,
): LanguageModelV3Message[] {
  const { share, output } = SHORTENINGS[level - 1]!
  const last = prompt.findLastIndex(isOfUser)
  const system = prompt.filter(({ role }) => role === 'system')
  const earlier = prompt.slice(0, last).filter(({ role }) => role !== 'system')
  const running = prompt.slice(last).map((message) => shortenOutputs(message, output))
  let room = measurePrompt(earlier) * share
  let first = earlier.length
  for (let index = earlier.length - 1; index >= 0; index -= 1) {
    room -= measurePrompt([earlier[index]!])
    if (room < 0) break
    if (isOfUser(earlier[index]!)) first = index
  }
  const shownMessages = [...earlier.slice(first), ...running]
  const summary = first > 0 ? findSummary(earlier[0]!) : undefined
  return [
    ...system,
    ...(summary === undefined ? shownMessages : joinMessages(beginWith(summary, shownMessages))),
  ]
}

/** True for what a user has said. */
const isOfUser = (message: LanguageModelV3Message) => message.role === 'user' && !isResultPictures(message)

/** Measures a prompt in characters. */
export const measurePrompt = (messages: readonly LanguageModelV3Message[]): number =>
  messages.reduce(
    (sum, { content }) => sum + (typeof content === 'string' ? content.length : measureParts(content)),
    0,
  )

const measureParts = (parts: Exclude<LanguageModelV3Message['content'], string>) =>
  parts.reduce(
    (sum, part) =>
      sum + (part.type === 'file' ? IMAGE_TOKENS * CHARACTERS_PER_TOKEN : JSON.stringify(part).length),
    0,
  )

function shortenOutputs(message: LanguageModelV3Message, most: number): LanguageModelV3Message {
  if (message.role !== 'tool') return message
  const content = message.content.map((part) => {
    if (part.type !== 'tool-result' || !('value' in part.output)) return part
    const { type, value } = part.output
    if ((type !== 'text' && type !== 'error-text') || value.length <= most) return part
    const half = most / 2
    const leftOut = `\n[${value.length - most} characters left out]\n`
    return {
      ...part,
      output: { type, value: `${value.slice(0, half)}${leftOut}${value.slice(-half)}`.toWellFormed() },
    }
  })
  return { ...message, content }
}
