import type { ReadEvent } from '../../../conversations/chat/ledger/ledger-reader.ts'
import type { CommonSettings } from '../config/common-settings.ts'

/** The part of a turn that is shown in a conversation, in Markdown. In mode `stream` it only grows. */
interface ReplyText {
  add(event: ReadEvent): void
  /** Adds a paragraph from the gateway itself. */
  note(text: string): void
  readonly text: string
  /** Starts the next part of the reply with an empty text. */
  begin(): void
}

/** Creates the text of a reply: everything that comes in mode `stream`, else the final answer. */
export function createReplyText({
  response_mode = 'invoke',
  show_thinking = false,
  show_tool_hints = false,
}: CommonSettings): ReplyText {
  const isLive = response_mode === 'stream'
  let text = ''
  let last: 'content' | 'reasoning' | 'other' = 'other'

  const separate = () => {
    if (text !== '' && !text.endsWith('\n\n')) text += '\n\n'
  }

  const append = (kind: typeof last, words: string) => {
    if (last !== kind) {
      separate()
      if (kind === 'reasoning') text += '> 💭 '
    }
    last = kind
    text += kind === 'reasoning' ? words.replaceAll('\n', '\n> ') : words
  }

  return {
    add(event) {
      switch (event.type) {
        case 'content':
          return append('content', event.frame.content)
        case 'reasoning':
          if (isLive && show_thinking) append('reasoning', event.frame.content)
          return
        case 'tool_call':
          if (event.frame.parent_tool_call_id !== undefined) return
          // Text before a tool call announces the call; it is not part of the answer.
          if (!isLive) text = ''
          else if (show_tool_hints) {
            separate()
            text += `🔧 \`${event.frame.name}\``
          }
          last = 'other'
      }
    },
    note(words) {
      last = 'other'
      separate()
      text += words
    },
    get text() {
      return text
    },
    begin() {
      text = ''
      last = 'other'
    },
  }
}
