import type { ReadEvent } from '../../../conversations/chat/ledger/ledger-reader.ts'
import type { CommonSettings } from '../config/common-settings.ts'

/** Creates the text of a reply: everything that comes in mode `stream`, else the final answer. */
export function createReplyText({
  response_mode = 'invoke',
  show_thinking = false,
  show_tool_hints = false,
}: CommonSettings) {
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
    add(event: ReadEvent) {
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
    /** Adds a paragraph from the gateway itself. */
    note(words: string) {
      last = 'other'
      separate()
      text += words
    },
    get text(): string {
      return text
    },
    /** Starts the next part of the reply with an empty text. */
    begin() {
      text = ''
      last = 'other'
    },
  }
}
