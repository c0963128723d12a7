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
  let rest = text
  let mentioned = false
  // From the end, so that earlier offsets stay valid.
  for (const entity of [...entities].sort((a, b) => b.offset - a.offset)) {
    const { type, offset, length } = entity
    const said = text.slice(offset, offset + length)
    if (type === 'bot_command') {
      const [command = '', addressee] = said.split('@')
      if (addressee === undefined ? offset === 0 : `@${addressee}`.toLowerCase() === name) {
        mentioned = true
        rest = rest.slice(0, offset) + command + rest.slice(offset + length)
      }
    } else if (
      (type === 'mention' && said.toLowerCase() === name) ||
      (type === 'text_mention' && entity.user.id === me.id)
    ) {
      mentioned = true
      rest = join(rest.slice(0, offset), rest.slice(offset + length))
    }
  }
  return { text: rest.trim(), mentioned }
}

/** Joins the texts around a removed mention. */
function join(before: string, after: string): string {
  // A comma or colon belongs to the mention, but not the first character of an emoticon.
  if (before.trim() === '') return after.replace(/^(?:[,:，：](?=[\p{L}\p{N}])|\s*[,:，：](?=\s|$))?\s*/u, '')
  if (/^\s*[,.;:!?]/.test(after)) return before.trimEnd() + after.trimStart()
  return /\s$/.test(before) ? before + after.replace(/^[ \t]+/, '') : before + after
}
