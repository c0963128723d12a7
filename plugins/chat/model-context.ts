import type { AssistantContent, ModelMessage } from 'ai'
import type { Block, MessageDocument } from './documents.ts'

/** Characters that stand for a token when none is counted yet. */
const CHARACTERS_PER_TOKEN = 3
/** The share of a model's window that the conversation so far may fill. */
const HISTORY_SHARE = 0.6
const DEFAULT_WINDOW = 32_000

/** The conversation so far as a model is told it: the newest messages that fit its window, whole exchanges only. */
export function contextOf(history: readonly MessageDocument[], window = DEFAULT_WINDOW): ModelMessage[] {
  let room = window * CHARACTERS_PER_TOKEN * HISTORY_SHARE
  let first = history.length
  for (let index = history.length - 1; index >= 0; index -= 1) {
    room -= JSON.stringify(history[index]!.content).length
    if (room < 0) break
    if (history[index]!.role === 'user') first = index
  }
  return withAnswers(history.slice(first)).flatMap(messageOf)
}

/** What the user says, as a model is told it; files are named so that a tool can read them. */
export function userMessage(content: readonly Block[]): ModelMessage {
  const parts = content.flatMap((block) => {
    if (block.type === 'text') return [block.text]
    return block.type === 'image' || block.type === 'file'
      ? [`[${block.type} in the workspace: ${block.path}]`]
      : []
  })
  return { role: 'user', content: parts.join('\n\n') }
}

/** Leaves out tool calls that were never answered, as upstreams refuse them. */
function withAnswers(messages: readonly MessageDocument[]): MessageDocument[] {
  const answered = new Set(
    messages.flatMap(({ content }) => content.flatMap((b) => (b.type === 'tool_result' ? [b.id] : []))),
  )
  return messages.map((message) => ({
    ...message,
    content: message.content.filter((block) => block.type !== 'tool_use' || answered.has(block.id)),
  }))
}

function messageOf({ role, content }: MessageDocument): ModelMessage[] {
  if (role === 'user') return [userMessage(content)]
  if (role === 'tool')
    return content.flatMap((block) =>
      block.type === 'tool_result'
        ? [
            {
              role: 'tool' as const,
              content: [
                {
                  type: 'tool-result' as const,
                  toolCallId: block.id,
                  toolName: block.name,
                  output: {
                    type: block.is_error ? ('error-text' as const) : ('text' as const),
                    value: block.output,
                  },
                },
              ],
            },
          ]
        : [],
    )
  const parts = content.flatMap((block): Exclude<AssistantContent, string> => {
    if (block.type === 'text') return [{ type: 'text', text: block.text }]
    return block.type === 'tool_use'
      ? [{ type: 'tool-call', toolCallId: block.id, toolName: block.name, input: block.input }]
      : []
  })
  return parts.length > 0 ? [{ role: 'assistant', content: parts }] : []
}
