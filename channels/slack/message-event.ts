import type { InboundFile, InboundMessage } from '#plugin-api'
import type { Bot } from './identity.ts'
import { readText } from './inbound-text.ts'
import { type Target, toConversationId } from './messages.ts'

/** The subset of the events `message` and `app_mention` used here. */
export interface MessageEvent {
  type?: string
  subtype?: string
  channel?: string
  channel_type?: string
  user?: string
  bot_id?: string
  text?: string
  ts?: string
  thread_ts?: string
  user_profile?: { display_name?: string; real_name?: string }
  files?: SlackFile[]
  attachments?: Attachment[]
}

/** A file of Slack; `file_access` tells if its address must be requested. */
export interface SlackFile {
  id?: string
  name?: string
  mimetype?: string
  size?: number
  mode?: string
  file_access?: string
  url_private?: string
  url_private_download?: string
}

interface Attachment {
  is_share?: boolean
  is_msg_unfurl?: boolean
  text?: string
  author_name?: string
}

/** The reference of a file for `download`. */
export type FileReference = { id: string; url?: string }

/** Subtypes of messages from people; all others are notices, changes and messages of bots. */
const WRITTEN_SUBTYPES = new Set([undefined, 'file_share', 'thread_broadcast'])

/** Reads a message of a person; undefined for all other events. */
export function readMessage(event: MessageEvent, bot: Bot): InboundMessage | undefined {
  const { type, subtype, channel, user, bot_id, ts, thread_ts, text: written = '' } = event
  if (type !== 'message' && type !== 'app_mention') return
  if (!WRITTEN_SUBTYPES.has(subtype) || bot_id || !user || !channel || !ts) return
  if (user === bot.user_id || user === 'USLACKBOT') return

  const name = event.user_profile?.display_name || event.user_profile?.real_name
  const { text, mentioned } = readText(written, bot.user_id, name ? { [user]: name } : {})
  const isDirect = event.channel_type === 'im' || channel.startsWith('D')
  const thread = thread_ts === ts ? undefined : thread_ts
  const conversation = toConversationId(channel, isDirect ? undefined : thread)
  // A message outside threads is answered there: a new thread would be another conversation.
  const target: Target = { channel, conversation, ...(thread && { thread_ts: thread }) }
  const files = (event.files ?? []).flatMap(readFile)
  const quote = readQuote(event.attachments, bot)
  const sent_at = readTime(ts)

  return {
    // The same id for both events that Slack sends for a message with a mention.
    id: `${channel}:${ts}`,
    conversation: { id: conversation, type: isDirect ? 'direct' : 'group' },
    sender: { id: user, ...(name && { name }) },
    text,
    mentioned: mentioned || isDirect,
    ...(sent_at !== undefined && { sent_at }),
    ...(quote && { quote }),
    ...(files.length > 0 && { files }),
    target,
  }
}

/** Converts a timestamp (seconds and microseconds, too precise for a number) to Unix milliseconds. */
function readTime(ts: string): number | undefined {
  const [, seconds, milliseconds] = /^(\d{1,12})\.(\d{3})/.exec(ts) ?? []
  return seconds === undefined ? undefined : Number(seconds) * 1000 + Number(milliseconds)
}

/** Reads a file; empty for files that are external or hidden by Slack. */
function readFile(file: SlackFile): InboundFile[] {
  const { id, name, mimetype, size, mode = '', file_access } = file
  const url = file.url_private_download ?? file.url_private
  if (!id || ['external', 'tombstone', 'hidden_by_limit'].includes(mode)) return []
  if (!url && file_access !== 'check_file_info') return []
  const reference: FileReference = { id, ...(url && { url }) }
  return [
    {
      ...(name && { filename: name }),
      ...(mimetype && { media_type: mimetype }),
      ...(size !== undefined && { size }),
      reference,
    },
  ]
}

/** Reads the message that was shared with this one. */
function readQuote(attachments: Attachment[] | undefined, bot: Bot): InboundMessage['quote'] {
  const shared = attachments?.find(({ is_share, is_msg_unfurl, text }) => (is_share || is_msg_unfurl) && text)
  if (!shared?.text) return
  const { text } = readText(shared.text, bot.user_id)
  return { text, ...(shared.author_name && { sender: shared.author_name }) }
}
