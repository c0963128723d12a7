import type { Filter, IndexDescription } from 'mongodb'
import { type InboundMessage, isDuplicateKey } from '#plugin-api'
import type {
  ChannelDocument,
  DeliveryProgress,
  InboxDocument,
  Refusal,
  SealedParts,
  StoredCursor,
} from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import type { Addressed } from './conversations.ts'

/** An answered message is remembered for this long, so that it is not answered again, in seconds. */
const KNOWN_SECONDS = 30 * 24 * 3600

/** The indexes of the inbox: to recognize a repeated message, to order open ones, and to remove old ones. */
export const inboxIndexes: IndexDescription[] = [
  { key: { channel_id: 1, message_id: 1 }, unique: true },
  {
    key: { channel_id: 1, conversation_id: 1, urgent: 1, sent_at: 1, _id: 1 },
    partialFilterExpression: { open: true },
  },
  {
    key: { channel_id: 1, cursor_number: -1 },
    partialFilterExpression: { cursor_number: { $exists: true } },
  },
  { key: { closed_at: 1 }, expireAfterSeconds: KNOWN_SECONDS },
]

/** A queue whose messages are answered one at a time. */
export interface Lane {
  channel_id: string
  conversation_id: string
  /** True for the queue of commands that run while a message is being answered. */
  urgent: boolean
}

/** The messages from platforms with the progress of their answers. */
export type MessageInbox = ReturnType<typeof createMessageInbox>

/** Creates the inbox over its collection. */
export function createMessageInbox({
  collections: { channel_inbox: inbox },
  clock,
  ids,
  secrets,
}: Pick<Cradle, 'collections' | 'clock' | 'ids' | 'secrets'>) {
  const purposeOf = (id: string) => `inbox:${id}`
  const cursorPurposeOf = (id: string) => `inbox-cursor:${id}`

  /** Selects the open messages of a lane before a message. Some platforms' times are whole seconds, so ids decide as well. */
  const toEarlier = (
    { _id, channel_id, conversation_id, sent_at }: InboxDocument,
    urgent: boolean,
  ): Filter<InboxDocument> => ({
    ...{ channel_id, conversation_id, urgent, open: true },
    $or: [{ sent_at: { $lt: sent_at } }, { sent_at, _id: { $lt: _id } }],
  })

  /** Stores a message; false if it is stored already. */
  const insert = async (
    message: Omit<InboxDocument, '_id' | 'sealed' | 'open'>,
    parts: SealedParts,
    cursor?: StoredCursor,
  ): Promise<boolean> => {
    const _id = ids.make('inb_')
    const sealed = secrets.seal(JSON.stringify(parts), purposeOf(_id))
    try {
      await inbox.insertOne({
        _id,
        ...message,
        sealed,
        ...(cursor && {
          cursor: secrets.seal(cursor.text, cursorPurposeOf(_id)),
          cursor_number: cursor.number,
        }),
        open: true,
      })
      return true
    } catch (error) {
      if (isDuplicateKey(error)) return false
      throw error
    }
  }

  return {
    /** Stores a message; false if it is stored already. */
    add(
      { _id: channel_id, agent_id }: ChannelDocument,
      message: InboundMessage,
      { urgent, refusal, cursor }: { urgent: boolean; refusal?: Refusal; cursor?: StoredCursor },
    ): Promise<boolean> {
      const { id: message_id, conversation, sender, text, quote, files = [], target } = message
      return insert(
        {
          channel_id,
          agent_id,
          message_id,
          conversation_id: conversation.id,
          conversation_type: conversation.type,
          sender,
          text,
          ...(quote && { quote }),
          sent_at: message.sent_at ?? clock.now(),
          urgent,
          ...(refusal && { refusal }),
        },
        { files, target },
        cursor,
      )
    },
    /** Returns the newest position that was stored with a message of a channel which waits for its answer. */
    async findCursor(channel_id: string): Promise<StoredCursor | undefined> {
      const withCursor = { channel_id, cursor_number: { $exists: true } }
      const message = await inbox.findOne(withCursor, { sort: { cursor_number: -1 } })
      if (!message) return undefined
      const { _id, cursor, cursor_number } = message
      return { text: secrets.open(cursor!, cursorPurposeOf(_id)), number: cursor_number! }
    },
    /** Stores the answer of a turn that has ended, to be delivered to a conversation; the same one only once. */
    async addAnswer(
      agent_id: string,
      { channel_id, conversation_id, type, target }: Addressed,
      answer: { turn_message_id: string; thread_id: string; after_seq: number },
    ) {
      const message = {
        channel_id,
        agent_id,
        message_id: answer.turn_message_id,
        conversation_id,
        conversation_type: type,
        sender: { id: '' },
        sent_at: clock.now(),
        urgent: false,
      }
      await insert({ ...message, ...answer }, { files: [], target })
    },
    countOpen: (channel_id: string, conversation_id: string): Promise<number> =>
      inbox.countDocuments({ channel_id, conversation_id, open: true }),
    /** Lists the lanes of these channels in which messages wait. */
    async listLanes(channel_ids: readonly string[]): Promise<Lane[]> {
      if (channel_ids.length === 0) return []
      const groups = await inbox
        .aggregate<{ _id: Lane }>([
          { $match: { channel_id: { $in: [...channel_ids] }, open: true } },
          {
            $group: {
              _id: { channel_id: '$channel_id', conversation_id: '$conversation_id', urgent: '$urgent' },
            },
          },
        ])
        .toArray()
      return groups.map(({ _id }) => _id)
    },
    /** Returns the message to answer next: the one that was begun, else the oldest by the platform's time. */
    next: async (lane: Lane): Promise<InboxDocument | null> =>
      (await inbox.findOne({ ...lane, open: true, after_seq: { $exists: true } })) ??
      (await inbox.findOne({ ...lane, open: true }, { sort: { sent_at: 1, _id: 1 } })),
    unseal: ({ _id, sealed }: InboxDocument): SealedParts =>
      JSON.parse(secrets.open(sealed!, purposeOf(_id))),
    /** Returns the id of a message's conversation, which may have moved since the message was read. */
    async conversationOf({ _id, conversation_id }: InboxDocument): Promise<string> {
      const stored = await inbox.findOne({ _id }, { projection: { conversation_id: 1 } })
      return stored?.conversation_id ?? conversation_id
    },
    /** Lists the messages of the urgent lane that were sent before a message of the other lane. */
    listUrgentBefore: (message: InboxDocument): Promise<InboxDocument[]> =>
      inbox.find(toEarlier(message, true)).toArray(),
    /** Has the messages that were sent before one answered in the thread that the conversation leaves. */
    async keepThread(message: InboxDocument, thread_id: string) {
      await inbox.updateMany(
        { ...toEarlier(message, false), thread_id: { $exists: false } },
        { $set: { thread_id } },
      )
    },
    async begin({ _id }: InboxDocument, at: { thread_id: string; after_seq: number }) {
      await inbox.updateOne({ _id }, { $set: at })
    },
    async saveProgress({ _id }: InboxDocument, progress: DeliveryProgress) {
      await inbox.updateOne({ _id, open: true }, { $set: { progress } })
    },
    /** Moves the open messages of a conversation to another one. */
    async move(channel_id: string, conversation_id: string, to: string) {
      await inbox.updateMany({ channel_id, conversation_id, open: true }, { $set: { conversation_id: to } })
    },
    /** Marks a message as answered and removes its content; returns the id of its conversation, which may have moved. */
    async close({ _id, conversation_id }: InboxDocument): Promise<string> {
      const closed = await inbox.findOneAndUpdate(
        { _id },
        {
          $set: { closed_at: new Date(clock.now()) },
          $unset: { open: 1, text: 1, quote: 1, sealed: 1, progress: 1, cursor: 1, cursor_number: 1 },
        },
        { projection: { conversation_id: 1 } },
      )
      return closed?.conversation_id ?? conversation_id
    },
    async remove(channel_ids: readonly string[]) {
      await inbox.deleteMany({ channel_id: { $in: [...channel_ids] } })
    },
  }
}
