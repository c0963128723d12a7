import type { ReplyPart } from './reply-parts.ts'

/**
 * Leaves out what an agent says before its final answer, if that is to be JSON: words before calls of its tools would
 * make the reply unreadable. Text that begins like JSON is passed on at once, other text once it is known to be the last.
 */
export async function* keepFinalText(parts: AsyncIterable<ReplyPart>): AsyncGenerator<ReplyPart, void, void> {
  let current: { message_id: string; pendingText: string; isJson: boolean } | undefined
  for await (const part of parts) {
    if (part.type === 'reasoning') yield part
    else if (part.type === 'text') {
      const { message_id } = part
      if (current?.message_id !== message_id) current = { message_id, pendingText: '', isJson: false }
      const text = current.isJson ? part.text : (current.pendingText + part.text).trimStart()
      current.isJson ||= /^[[{]/.test(text)
      current.pendingText = current.isJson ? '' : text
      if (current.isJson) yield { ...part, text }
    } else {
      if (current?.pendingText)
        yield { type: 'text', message_id: current.message_id, text: current.pendingText }
      current = undefined
      yield part
    }
  }
}
