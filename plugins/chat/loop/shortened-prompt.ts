import type { LanguageModelV3Message } from '@ai-sdk/provider'
import type { MessageDocument } from '../documents.ts'
import { measureMessage } from '../message-size.ts'

/** The turns, the newest ones, whose tool outputs stay whole in a long conversation. */
const WHOLE_TURNS = 2

/** Outputs up to this many characters stay whole anyway. */
const SHORT_OUTPUT = 300

/** The characters of a tool output of the running turn that stay if its upstream says that the prompt is too long. */
const KEPT_OUTPUT = 4000

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
 * Shortens a prompt that its upstream says is too long: to about half, by leaving out the oldest exchanges, and the middle
 * of long tool outputs of the running turn. The system prompt and the last message of the user stay.
 */
export function shortenPrompt(prompt: readonly LanguageModelV3Message[]): LanguageModelV3Message[] {
  const last = prompt.findLastIndex(({ role }) => role === 'user')
  const system = prompt.filter(({ role }) => role === 'system')
  const earlier = prompt.slice(0, last).filter(({ role }) => role !== 'system')
  const running = prompt.slice(last).map(shortenOutputs)
  let room = (measurePrompt(prompt) - measurePrompt(system) - measurePrompt(prompt.slice(last))) / 2
  let first = earlier.length
  for (let index = earlier.length - 1; index >= 0; index -= 1) {
    room -= measurePrompt([earlier[index]!])
    if (room < 0) break
    if (earlier[index]!.role === 'user') first = index
  }
  return [...system, ...earlier.slice(first), ...running]
}

const measurePrompt = (messages: readonly LanguageModelV3Message[]) => JSON.stringify(messages).length

function shortenOutputs(message: LanguageModelV3Message): LanguageModelV3Message {
  if (message.role !== 'tool') return message
  const content = message.content.map((part) => {
    if (part.type !== 'tool-result' || !('value' in part.output)) return part
    const { type, value } = part.output
    if ((type !== 'text' && type !== 'error-text') || value.length <= KEPT_OUTPUT) return part
    const half = KEPT_OUTPUT / 2
    const leftOut = `\n[${value.length - KEPT_OUTPUT} characters left out]\n`
    return {
      ...part,
      output: { type, value: `${value.slice(0, half)}${leftOut}${value.slice(-half)}`.toWellFormed() },
    }
  })
  return { ...message, content }
}
