import type { ReadEvent } from '../../chat/ledger/ledger-reader.ts'
import type { CommonSettings } from '../config/common-settings.ts'

/** What of a turn is shown in a conversation, in Markdown; while it is shown live it only grows. */
export interface ReplyText {
  add(event: ReadEvent): void
  /** Adds a paragraph of the gateway's own. */
  note(text: string): void
  readonly text: string
  /** Begins the next part of the reply. */
  begin(): void
}

/** Makes the text of a reply: of a live one all that comes, of another what the turn ends with. */
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

  const append = (sort: typeof last, words: string) => {
    if (last !== sort) {
      separate()
      if (sort === 'reasoning') text += '> 💭 '
    }
    last = sort
    text += sort === 'reasoning' ? words.replaceAll('\n', '\n> ') : words
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
          // What was said before a tool was used is what the agent was about to do, no answer.
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
