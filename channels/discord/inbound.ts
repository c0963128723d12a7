import type {
  APIGuildMember,
  APIMessage,
  APIUser,
  GatewayMessageCreateDispatchData,
} from 'discord-api-types/v10'
import type { InboundFile, InboundMessage, Sender } from '#plugin-api'
import type { AttachmentReference } from './attachment.ts'

/** The roles of the bot in each server: a mention of one of them mentions the bot. */
interface BotRoles {
  /** Stores the bot's roles from a list of members; other members are ignored. */
  learn(guild_id: string, members: readonly Partial<APIGuildMember>[]): void
  forget(guild_id: string): void
  list(guild_id: string | undefined): readonly string[]
}

/** Creates an empty store of the bot's roles; one connection serves at most 2500 servers. */
export function createBotRoles(botId: () => string): BotRoles {
  const roles = new Map<string, readonly string[]>()
  return {
    learn(guild_id, members) {
      const own = members.find(({ user }) => user?.id === botId())
      if (own?.roles) roles.set(guild_id, own.roles)
    },
    forget: (guild_id) => void roles.delete(guild_id),
    list: (guild_id) => (guild_id && roles.get(guild_id)) || [],
  }
}

/** A message of the gateway; messages from REST lack `guild_id` and `member`. */
export type WrittenMessage = APIMessage &
  Partial<Pick<GatewayMessageCreateDispatchData, 'guild_id' | 'member'>>

/** Mentioned users; messages of the gateway include their names in the server. */
type Mentions = (APIUser & { member?: { nick?: string | null } })[]

/** The target of an answer. */
export type DiscordTarget = {
  channel_id: string
}

/** Types of messages that people write: default and reply. All others report events of a channel. */
const WRITTEN_TYPES: ReadonlySet<number> = new Set([0, 19])

/** Reads a message of a person; undefined for messages of bots and of Discord itself, and for empty ones. */
export function readMessage(
  message: WrittenMessage,
  bot: { id: string; roles: readonly string[] },
): InboundMessage | undefined {
  const { id, author, channel_id, guild_id, referenced_message } = message
  if (author.bot || author.system || message.webhook_id || !WRITTEN_TYPES.has(message.type)) return undefined
  const text = readText(message, bot)
  const quote = readQuote(message)
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
    sender: toSender(author, message.member?.nick),
    text,
    mentioned: mentioned || !guild_id,
    sent_at: Date.parse(message.timestamp),
    ...(quote && { quote }),
    ...(files.length > 0 && { files }),
    target: { ...target },
  }
}

/** Returns the author of a message or press with the name that people see in the server. */
export function toSender({ id, global_name, username }: APIUser, nick?: string | null): Sender {
  return { id, name: nick || global_name || username }
}

/** Returns the text without mentions of the bot and with names for mentions of others. */
function readText(
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
    const name = `@${toSender(user, user.member?.nick).name}`
    named = named.replaceAll(`<@${user.id}>`, () => name).replaceAll(`<@!${user.id}>`, () => name)
  }
  return named
}

/** Returns the message that is replied to or forwarded. */
function readQuote({ referenced_message, message_snapshots }: WrittenMessage): InboundMessage['quote'] {
  if (referenced_message?.content) {
    const { content, mentions, author } = referenced_message
    const { name } = toSender(author)
    return { text: nameMentions(content, mentions), ...(name && { sender: name }) }
  }
  const text = message_snapshots?.[0]?.message.content
  return text ? { text } : undefined
}
