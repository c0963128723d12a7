import type { APIMessage, APIUser, GatewayMessageCreateDispatchData } from 'discord-api-types/v10'
import type { InboundMessage, QuotedMessage, Sender } from '#plugin-api'
import type { GuildView } from './guilds.ts'
import { type ContentParts, describeContent, listFiles, nameOf } from './message-content.ts'

/** A message of the gateway; messages from REST lack `guild_id` and `member`. */
export type WrittenMessage = APIMessage &
  Partial<Pick<GatewayMessageCreateDispatchData, 'guild_id' | 'member'>>

/** The target of an answer. */
export type DiscordTarget = {
  channel_id: string
}

const REPLY = 19
const THREAD_STARTER = 21

/** Types of messages that people write. All others report events of a channel. */
const WRITTEN_TYPES: ReadonlySet<number> = new Set([0, REPLY, THREAD_STARTER])

/** Reads a message of a person; undefined for messages of bots and of Discord itself. */
export function readMessage(
  message: WrittenMessage,
  bot: { id: string; guild: GuildView },
): InboundMessage | undefined {
  if (!isWritten(message) || !WRITTEN_TYPES.has(message.type)) return undefined
  if (message.type === THREAD_STARTER) return readThreadStarter(message, bot.guild)
  const { id, author, channel_id, guild_id, referenced_message } = message
  const { botRoles } = bot.guild
  const content = withoutMentions(message.content, bot)
  const text = describeContent({ ...message, content }, bot.guild).trim()
  const files = listFiles(message, { channel_id, message_id: id })
  const quote = readForward(message, bot.guild) ?? readQuote(referenced_message, channel_id, bot.guild)
  const mentioned =
    !guild_id ||
    message.mentions.some((user) => user.id === bot.id) ||
    message.mention_roles.some((role) => botRoles.includes(role)) ||
    referenced_message?.author.id === bot.id
  const isEmpty = !text && !quote && files.length === 0
  return {
    id,
    conversation: { id: channel_id, type: guild_id ? 'group' : 'direct' },
    sender: toSender(author, message.member?.nick),
    text,
    mentioned,
    sent_at: Date.parse(message.timestamp),
    ...(quote && { quote }),
    ...(files.length > 0 && { files }),
    // A text with only the bot's mention is empty as well, and is understood.
    ...(isEmpty && !message.content && { unreadable: 'message' }),
    target: { channel_id },
  }
}

const isWritten = ({ author, webhook_id }: Pick<APIMessage, 'author' | 'webhook_id'>) =>
  !author.bot && !author.system && !webhook_id

/** Returns the author of a message or press with the name that people see in the server. */
export const toSender = (user: APIUser, nick?: string | null): Sender => ({
  id: user.id,
  name: nameOf(user, nick),
})

/** Reads the message from which a thread was begun, which addresses nobody in the thread. */
function readThreadStarter(message: WrittenMessage, guild: GuildView): InboundMessage | undefined {
  const { id, channel_id, referenced_message: starter } = message
  if (!starter || !isWritten(starter)) return undefined
  const text = describeContent(starter, guild).trim()
  const files = listFiles(starter, { channel_id: starter.channel_id, message_id: starter.id })
  if (!text && files.length === 0) return undefined
  return {
    id,
    conversation: { id: channel_id, type: 'group' },
    sender: toSender(starter.author),
    text,
    mentioned: false,
    sent_at: Date.parse(message.timestamp),
    ...(files.length > 0 && { files }),
    target: { channel_id },
  }
}

/** Removes the mentions of the bot and of its own role, but not of roles that people have as well. */
function withoutMentions(content: string, bot: { id: string; guild: GuildView }): string {
  const { ownRole } = bot.guild
  const marks = [`<@${bot.id}>`, `<@!${bot.id}>`, ...(ownRole ? [`<@&${ownRole}>`] : [])]
  return marks.reduce((text, mark) => text.replaceAll(`${mark} `, '').replaceAll(mark, ''), content).trim()
}

/** Reads the message that is replied to. */
function readQuote(
  replied: APIMessage['referenced_message'],
  channel_id: string,
  guild: GuildView,
): QuotedMessage | undefined {
  if (!replied) return undefined
  // A message that was forwarded has its content in a copy.
  const forwarded = readForward(replied, guild)
  const text = [describeContent(replied, guild), forwarded?.text].filter(Boolean).join('\n')
  const files = [
    ...listFiles(replied, { channel_id: replied.channel_id ?? channel_id, message_id: replied.id }),
    ...(forwarded?.files ?? []),
  ]
  if (!text && files.length === 0) return undefined
  return { text, sender: nameOf(replied.author), ...(files.length > 0 && { files }) }
}

/** Reads the copies of forwarded messages. */
function readForward(
  { id, channel_id, message_snapshots = [] }: Pick<APIMessage, 'id' | 'channel_id' | 'message_snapshots'>,
  guild: GuildView,
): QuotedMessage | undefined {
  const copies = message_snapshots.map(({ message }): ContentParts => message)
  const text = copies.map((copy) => describeContent(copy, guild)).join('\n\n')
  const files = copies.flatMap((copy) => listFiles(copy, { channel_id, message_id: id }))
  if (!text && files.length === 0) return undefined
  return { text, is_forwarded: true, ...(files.length > 0 && { files }) }
}
