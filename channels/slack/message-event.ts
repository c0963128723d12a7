import type { InboundMessage } from '#plugin-api'
import { type Attachment, describeAttachments, readShared } from './attachment-text.ts'
import { type BlockParts, toMarkup } from './block-text.ts'
import type { Bot } from './identity.ts'
import { listFiles, type SlackFile } from './inbound-files.ts'
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
  blocks?: BlockParts[]
  files?: SlackFile[]
  attachments?: Attachment[]
}

/** Subtypes of messages from people; all others are notices, changes and messages of bots. */
const WRITTEN_SUBTYPES = new Set([undefined, 'file_share', 'me_message', 'thread_broadcast'])

/** Reads a message of a person; undefined for all other events. */
export function readMessage(event: MessageEvent, bot: Bot): InboundMessage | undefined {
  const { type, subtype, channel, user, bot_id, ts, thread_ts, attachments = [] } = event
  if (type !== 'message' && type !== 'app_mention') return
  if (!WRITTEN_SUBTYPES.has(subtype) || bot_id || !user || !channel || !ts) return
  if (user === bot.user_id || user === 'USLACKBOT') return

  const name = event.user_profile?.display_name || event.user_profile?.real_name
  const names = name ? { [user]: name } : {}
  // Slack's own clients repeat the blocks in the text, but other programs may not.
  const written = event.text || toMarkup(event.blocks ?? [])
  const { files, descriptions } = listFiles(event.files)
  const described = describeAttachments(attachments, written !== '')
  const { text: ownText, mentioned } = readText(written, bot.user_id, { names })
  const text = [
    ownText,
    readText(described, bot.user_id, { names, keepsMention: true }).text,
    ...descriptions,
  ]
    .filter(Boolean)
    .join('\n\n')
  const isDirect = event.channel_type === 'im' || channel.startsWith('D')
  const thread = thread_ts === ts ? undefined : thread_ts
  const conversation = toConversationId(channel, isDirect ? undefined : thread)
  // A message outside threads is answered there: a new thread would be another conversation.
  const target: Target = { channel, conversation, ...(thread && { thread_ts: thread }) }
  const quote = readShared(attachments, bot.user_id)
  const isEmpty = !written && !text && !quote && files.length === 0
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
    ...(isEmpty && { unreadable: 'message' }),
    target,
  }
}

/** Converts a timestamp (seconds and microseconds, too precise for a number) to Unix milliseconds. */
function readTime(ts: string): number | undefined {
  const [, seconds, milliseconds] = /^(\d{1,12})\.(\d{3})/.exec(ts) ?? []
  return seconds === undefined ? undefined : Number(seconds) * 1000 + Number(milliseconds)
}
