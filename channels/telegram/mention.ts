import type { MessageEntity } from 'grammy/types'

/** The bot as Telegram knows it. */
export interface Me {
  id: number
  username: string
}

/** A text without the mentions of the bot, and whether there were any. */
export interface Addressed {
  text: string
  mentioned: boolean
}

/**
 * Takes the mentions of the bot out of a text. A command without a name is for every bot that gets to see it; one with
 * the name of another bot is for that one alone.
 */
export function readAddress(text: string, entities: readonly MessageEntity[], me: Me): Addressed {
  const name = `@${me.username}`.toLowerCase()
  let rest = text
  let mentioned = false
  // From the end, so that the offsets of those before stay right.
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

/** Puts together what stood around a mention, as if it had never been there. */
function join(before: string, after: string): string {
  if (before.trim() === '') return after.replace(/^[\s,:]+/, '')
  if (/^\s*[,.;:!?]/.test(after)) return before.trimEnd() + after.trimStart()
  return /\s$/.test(before) ? before + after.replace(/^[ \t]+/, '') : before + after
}
