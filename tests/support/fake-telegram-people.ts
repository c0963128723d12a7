import type { SentFile } from '../../plugin-api/testing/fake-platform.ts'
import type { FakeChat } from './fake-telegram-methods.ts'

/** The group that every fake has; a supergroup, as most are. */
export const GROUP: FakeChat = { id: -1001234567890, type: 'supergroup', title: 'The group' }

/** The direct conversation that every fake has, the same for all senders. */
export const DIRECT: FakeChat = { id: 5550001, type: 'private', first_name: 'ann' }

/** The platform's id of a person: a number on Telegram, and for the sake of the tests also a name. */
const idOf = (sender: string) => (/^\d+$/.test(sender) ? Number(sender) : sender)

/** A person as messages name them. */
export const person = (sender: string) => ({
  id: idOf(sender),
  is_bot: false,
  first_name: sender,
  language_code: 'en',
})

/** A text with the bot mentioned as a person would, and what Telegram finds in it. */
export function written(text: string, mention: string | undefined) {
  const command = /^\/[a-z0-9_]+/i.exec(text)?.[0]
  const said = !mention
    ? text
    : command
      ? text.replace(command, `${command}@${mention}`)
      : `@${mention} ${text}`
  const entities = []
  for (const { 0: whole, index } of said.matchAll(/^\/\w+(?:@\w+)?|(?<![\w/])@\w{5,}/g)) {
    const type = whole.startsWith('/') ? 'bot_command' : 'mention'
    entities.push({ type, offset: index, length: whole.length })
  }
  return { text: said, entities }
}

/** Returns the fields of a file message; images are sent as photos in several sizes. */
export function attachment({ filename, media_type, bytes }: SentFile, file_id: string) {
  const file = { file_id, file_unique_id: `u${file_id}`, file_size: bytes.length }
  if (!media_type.startsWith('image/'))
    return { document: { ...file, file_name: filename, mime_type: media_type } }
  const small = { ...file, file_id: `${file_id}-small`, width: 90, height: 60 }
  return { photo: [small, { ...file, width: 1280, height: 853 }, { ...small, width: 320, height: 213 }] }
}
