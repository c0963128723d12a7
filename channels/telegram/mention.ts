import type { MessageEntity } from 'grammy/types'

/** The bot. */
export interface Me {
  id: number
  username: string
}

/** A text without mentions of the bot. */
interface Addressed {
  text: string
  mentioned: boolean
}

/**
 * Removes the mentions of the bot from a text. A command without a name addresses every bot that receives it; a command
 * with a name addresses only that bot.
 */
export function readAddress(text: string, entities: readonly MessageEntity[], me: Me): Addressed {
  const name = `@${me.username}`.toLowerCase()
  let unaddressed = text
  let mentioned = false
  // From the end, so that earlier offsets stay valid.
  for (const entity of [...entities].sort((a, b) => b.offset - a.offset)) {
    const { type, offset, length } = entity
    const said = text.slice(offset, offset + length)
    if (type === 'bot_command') {
      const [command = '', addressee] = said.split('@')
      if (addressee === undefined ? offset === 0 : `@${addressee}`.toLowerCase() === name) {
        mentioned = true
        unaddressed = unaddressed.slice(0, offset) + command + unaddressed.slice(offset + length)
      }
    } else if (
      (type === 'mention' && said.toLowerCase() === name) ||
      (type === 'text_mention' && entity.user.id === me.id)
    ) {
      mentioned = true
      unaddressed = join(unaddressed.slice(0, offset), unaddressed.slice(offset + length))
    }
  }
  return { text: unaddressed.trim(), mentioned }
}

/** Joins the texts around a removed mention. */
function join(head: string, tail: string): string {
  // A comma or colon belongs to the mention, but not the first character of an emoticon.
  if (head.trim() === '') return tail.replace(/^(?:[,:，：](?=[\p{L}\p{N}])|\s*[,:，：](?=\s|$))?\s*/u, '')
  if (/^\s*[,.;:!?]/.test(tail)) return head.trimEnd() + tail.trimStart()
  return /\s$/.test(head) ? head + tail.replace(/^[ \t]+/, '') : head + tail
}
