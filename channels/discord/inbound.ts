import type { APIMessage, APIUser, GatewayMessageCreateDispatchData } from 'discord-api-types/v10'
import type { InboundFile, InboundMessage, Sender } from '#plugin-api'
import type { AttachmentReference } from './attachment.ts'

/** A message of the gateway; asked for by REST it lacks the fields that say where it is. */
export type WrittenMessage = APIMessage &
  Partial<Pick<GatewayMessageCreateDispatchData, 'guild_id' | 'member'>>

/** Users that a message mentions; by the gateway with the names they have in its server. */
type Mentions = (APIUser & { member?: { nick?: string | null } })[]

/** What `send` needs to answer. */
export interface DiscordTarget {
  channel_id: string
}

/** Written by a person: an ordinary message, and a reply. All other types tell what happened in a channel. */
const WRITTEN_TYPES: ReadonlySet<number> = new Set([0, 19])

/** Reads what somebody wrote; undefined for messages of bots and of Discord itself, and where there is nothing to read. */
export function readMessage(
  message: WrittenMessage,
  bot: { id: string; roles: readonly string[] },
): InboundMessage | undefined {
  const { id, author, channel_id, guild_id, referenced_message } = message
  if (author.bot || author.system || message.webhook_id || !WRITTEN_TYPES.has(message.type)) return undefined
  const text = textOf(message, bot)
  const quote = quoteOf(message)
  const files = message.attachments.map((attachment): InboundFile => {
    const { filename, content_type, size, url } = attachment
    const reference: AttachmentReference = { url, channel_id, message_id: id, attachment_id: attachment.id }
    return { filename, size, ...(content_type && { media_type: content_type }), reference: { ...reference } }
  })
  if (!text && !quote && files.length === 0) return undefined
  const mentioned =
    message.mentions.some((user) => user.id === bot.id) ||
    message.mention_roles.some((role) => bot.roles.includes(role)) ||
    referenced_message?.author.id === bot.id
  const target: DiscordTarget = { channel_id }
  return {
    id,
    conversation: { id: channel_id, type: guild_id ? 'group' : 'direct' },
    sender: senderOf(author, message.member?.nick),
    text,
    mentioned: mentioned || !guild_id,
    sent_at: Date.parse(message.timestamp),
    ...(quote && { quote }),
    ...(files.length > 0 && { files }),
    target: { ...target },
  }
}

/** Who wrote a message or pressed a button, by the name that people see there. */
export function senderOf({ id, global_name, username }: APIUser, nick?: string | null): Sender {
  return { id, name: nick || global_name || username }
}

/** The text without mentions of the bot, and with those of others as people see them. */
function textOf(
  { content, mentions }: WrittenMessage,
  bot: { id: string; roles: readonly string[] },
): string {
  let text = content
  for (const mention of [`<@${bot.id}>`, `<@!${bot.id}>`, ...bot.roles.map((role) => `<@&${role}>`)])
    text = text.replaceAll(`${mention} `, '').replaceAll(mention, '')
  return nameMentions(text, mentions).trim()
}

function nameMentions(text: string, mentions: Mentions): string {
  let named = text
  for (const user of mentions) {
    const name = `@${senderOf(user, user.member?.nick).name}`
    named = named.replaceAll(`<@${user.id}>`, () => name).replaceAll(`<@!${user.id}>`, () => name)
  }
  return named
}

/** The message that is replied to, or one that is passed on from elsewhere. */
function quoteOf({ referenced_message, message_snapshots }: WrittenMessage): InboundMessage['quote'] {
  if (referenced_message?.content) {
    const { content, mentions, author } = referenced_message
    const { name } = senderOf(author)
    return { text: nameMentions(content, mentions), ...(name && { sender: name }) }
  }
  const text = message_snapshots?.[0]?.message.content
  return text ? { text } : undefined
}
