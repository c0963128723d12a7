import type { Place, SentFile, ShownMessage } from '../../plugin-api/testing/fake-platform.ts'
import type { CardEntity, createFakeCards, ShownCard } from './fake-feishu-cards.ts'
import { readCard, showCard } from './fake-feishu-cards.ts'
import { must } from './fake-feishu-refusal.ts'

// biome-ignore lint/suspicious/noExplicitAny: a body is what the bot sends, and this is where its form is looked at
type Loose = any

/** A message of anybody in a chat. */
interface StoredMessage {
  id: string
  chat_id: string
  thread_id?: string
  msg_type: string
  /** As JSON. */
  content: string
  mentions: unknown[]
  by: { id: string; id_type: 'open_id' | 'app_id'; sender_type: 'user' | 'app' }
  /** The forwarded message that it is part of. */
  upper?: string
  created_at?: number
  isGone: boolean
  /** Of a message of the bot. */
  sent?: {
    card?: Loose
    entity?: CardEntity
    file?: SentFile
    history: string[]
    /** Buttons that were taken off can still be pressed where somebody has not seen it yet. */
    buttons?: ShownCard['buttons']
    answers?: string
  }
}

/** The files that the bot uploaded, by key. */
export type Uploads = Map<string, { kind: 'image' | 'file'; file: SentFile }>

/** The two chats. */
export const CHATS: Record<Place, string> = { direct: 'oc_direct', group: 'oc_group' }

const placeOf = (chat: string): Place => (chat === CHATS.group ? 'group' : 'direct')

/** All messages of the platform, and what the bot does with them. */
export function createFakeMessages({
  appId,
  cards,
  uploads,
  violations,
}: {
  appId: string
  cards: ReturnType<typeof createFakeCards>
  uploads: Uploads
  violations: string[]
}) {
  const messages = new Map<string, StoredMessage>()
  const chats = new Set(Object.values(CHATS))
  const byUuid = new Map<string, string>()
  /** Cards of others as they were sent, by the ids of their messages. */
  const whole = new Map<string, unknown>()

  function find(id: string): StoredMessage {
    const message = messages.get(id)
    must(message, 230110, 'The message is deleted or does not exist')
    must(!message.isGone, 230011, 'The message was withdrawn')
    return message
  }

  function contentOf(msg_type: string, content: Loose): StoredMessage['sent'] {
    if (msg_type === 'interactive' && content.type === 'card') {
      const entity = cards.find(content.data?.card_id)
      if (entity.isSent) violations.push('a card was sent twice')
      must(!entity.isSent, 230099, 'Failed to create card content: the card has been sent')
      entity.isSent = true
      return { entity, history: entity.history }
    }
    if (msg_type === 'interactive') {
      const card = readCard(JSON.stringify(content), 230099, violations)
      return { card, history: [], buttons: showCard(card).buttons }
    }
    must(msg_type === 'image' || msg_type === 'file', 230001, 'msg_type is invalid')
    const upload = uploads.get(content[`${msg_type}_key`])
    must(upload?.kind === msg_type, 230055, 'The type of file upload does not match the type of message')
    return { file: upload.file, history: [] }
  }

  function accept(
    { msg_type, content, uuid }: Loose,
    chat_id: string,
    answered?: StoredMessage,
  ): StoredMessage {
    must(typeof content === 'string', 230001, 'content is not a string in json format')
    must(uuid === undefined || uuid.length <= 50, 99992402, 'field validation failed')
    if (uuid === undefined) violations.push('a message without a uuid')
    const duplicate = messages.get(byUuid.get(uuid) ?? '')
    if (duplicate) return duplicate
    const message: StoredMessage = {
      id: `om_bot_${messages.size + 1}`,
      chat_id,
      ...(answered?.thread_id && { thread_id: answered.thread_id }),
      msg_type,
      content,
      mentions: [],
      by: { id: appId, id_type: 'app_id', sender_type: 'app' },
      isGone: false,
      sent: { ...contentOf(msg_type, JSON.parse(content))!, ...(answered && { answers: answered.id }) },
    }
    messages.set(message.id, message)
    if (uuid !== undefined) byUuid.set(uuid, message.id)
    return message
  }

  return {
    find,
    whole,

    /** Keeps what a person wrote. */
    add(message: StoredMessage) {
      messages.set(message.id, message)
    },

    create(receiveIdType: string | null, body: Loose) {
      must(receiveIdType === 'chat_id', 99992402, 'receive_id_type is not supported here')
      must(chats.has(body.receive_id), 230002, 'Bot/User can NOT be out of the chat.')
      return accept(body, body.receive_id)
    },

    reply(id: string, body: Loose) {
      const answered = find(id)
      if (answered.thread_id && body.reply_in_thread !== true)
        violations.push('an answer to a message in a thread is outside of the thread')
      return accept(body, answered.chat_id, answered)
    },

    patch(id: string, { content }: Loose) {
      const { sent } = find(id)
      must(sent?.card, 230001, 'This message is NOT a card sent by the app')
      repaint(sent, readCard(content, 230099, violations))
    },

    /** Lists a message and, if it is a forwarded one, all that are in it, at any depth. */
    withParts(id: string): StoredMessage[] {
      const listed = [find(id)]
      for (const { id: container } of listed)
        listed.push(...[...messages.values()].filter(({ upper }) => upper === container))
      return listed
    },

    /** Returns a message in the form of the API. */
    view(
      { id, chat_id, msg_type, content, mentions, by, sent, upper, created_at }: StoredMessage,
      isWhole: boolean,
    ) {
      // Only requests that ask for the original card receive it; others read that their client is too old.
      const hidden = {
        title: null,
        elements: [[{ tag: 'text', text: '请升级至最新版本客户端，以查看内容' }]],
      }
      const sentAs = sent?.card ?? whole.get(id)
      const shown = sentAs ? JSON.stringify(isWhole ? sentAs : hidden) : content
      return {
        message_id: id,
        chat_id,
        msg_type,
        body: { content: shown },
        mentions,
        sender: by,
        deleted: false,
        ...(upper && { upper_message_id: upper }),
        ...(created_at && { create_time: String(created_at) }),
      }
    },

    repaint,

    shown(place?: Place): ShownMessage[] {
      return [...messages.values()].flatMap(({ id, chat_id, sent, isGone }) => {
        if (!sent || isGone || (place && placeOf(chat_id) !== place)) return []
        const { card = sent.entity?.card, entity, file, history } = sent
        const { text, buttons } = card ? showCard(card) : { text: '', buttons: [] }
        return {
          id,
          place: placeOf(chat_id),
          text,
          history: [...history],
          is_live: entity?.isStreaming ?? false,
          buttons: buttons.map(({ label }) => label),
          ...(file && { file }),
        }
      })
    },
  }
}

function repaint(sent: NonNullable<StoredMessage['sent']>, card: Loose) {
  const oldText = showCard(sent.card).text
  sent.card = card
  if (showCard(card).text !== oldText) sent.history.push(oldText)
}
