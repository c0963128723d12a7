import { randomUUID } from 'node:crypto'
import type { Place } from '../../plugin-api/testing/fake-platform.ts'

/** The bot; its application has the same id, as those made today do. */
export const BOT = {
  id: '1100000000000000001',
  username: 'helper',
  global_name: null,
  discriminator: '0',
  bot: true,
}

export const GUILD_ID = '1150000000000000001'

/** A role that the bot has, and one that it has not. */
export const BOT_ROLE = '1160000000000000001'
export const OTHER_ROLE = '1160000000000000002'

/** The known conversations, and one that the bot may not see. */
export const CHANNELS: Record<Place, string> = {
  direct: '1200000000000000001',
  group: '1200000000000000002',
}
export const CLOSED_CHANNEL = '1200000000000000003'

/** A thread that is archived, and one that a moderator has locked as well. */
export const ARCHIVED_THREAD = '1200000000000000004'
export const LOCKED_THREAD = '1200000000000000005'

/** A word that AutoMod blocks in every channel. */
export const BLOCKED_WORD = 'forbidden-fruit'

/** A token in Discord's form: the id of the bot, a time and a signature. */
export const makeToken = () =>
  `${Buffer.from(BOT.id).toString('base64url')}.Gf4kE1.${randomUUID().replaceAll('-', '')}`

/** A person, who is called like the id; no kind may take ids for numbers. */
export const person = (id: string) => ({
  id,
  username: `${id}.1990`,
  global_name: id,
  discriminator: '0',
})

/** Creates increasing ids in Discord's form. */
export function createSnowflakes() {
  let last = 1_300_000_000_000_000_000n
  return () => String(++last)
}

/** A message as Discord's API shows it. */
export interface WireMessage {
  id: string
  type: number
  channel_id: string
  guild_id?: string
  author: { id: string; username: string; bot?: boolean }
  content: string
  timestamp: string
  mentions: unknown[]
  mention_roles: string[]
  attachments: WireAttachment[]
  components: WireRow[]
  referenced_message?: WireMessage | null
  [field: string]: unknown
}

export interface WireAttachment {
  id: string
  filename: string
  content_type: string
  size: number
  url: string
}

export interface WireRow {
  type: number
  components: { type: number; style: number; label: string; custom_id: string }[]
}

export const placeOf = (channel_id: string): Place => (channel_id === CHANNELS.direct ? 'direct' : 'group')
