import type { IndexDescription } from 'mongodb'
import { isDuplicateKey } from '#kernel'
import type { InboundMessage } from '#plugin-api'
import type { ChannelDocument, DeliveryProgress, InboxDocument, SealedParts } from '../documents.ts'
import type { Cradle } from '../manifest.ts'

/** How long an answered message is known, so that it is not answered again, in seconds. */
const KNOWN_SECONDS = 30 * 24 * 3600

/** The indexes by which messages are known again, answered in their order, and forgotten. */
export const inboxIndexes: IndexDescription[] = [
  { key: { channel_id: 1, message_id: 1 }, unique: true },
  {
    key: { channel_id: 1, conversation_id: 1, urgent: 1, sent_at: 1, _id: 1 },
    partialFilterExpression: { open: true },
  },
  { key: { closed_at: 1 }, expireAfterSeconds: KNOWN_SECONDS },
]

/** A line in which messages are answered one behind the other. */
export interface Lane {
  channel_id: string
  conversation_id: string
  /** The line of commands that do not wait for what is being answered. */
  urgent: boolean
}

/** The messages that have come from platforms and what became of them. */
export interface MessageInbox {
  /** Stores a message; false where it is known already. */
  add(
    channel: ChannelDocument,
    message: InboundMessage,
    how: { urgent: boolean; refused: boolean },
  ): Promise<boolean>
  countOpen(channel_id: string, conversation_id: string): Promise<number>
  /** Lines of these channels in which something waits. */
  listLanes(channel_ids: readonly string[]): Promise<Lane[]>
  /** What is to be answered first: what was begun, then by the platform's time. */
  next(lane: Lane): Promise<InboxDocument | null>
  /** The message that is being answered. */
  current(channel_id: string, conversation_id: string): Promise<InboxDocument | null>
  unseal(message: InboxDocument): SealedParts
  begin(message: InboxDocument, at: { thread_id: string; after_seq: number }): Promise<void>
  saveProgress(message: InboxDocument, progress: DeliveryProgress): Promise<void>
  /** Notes that a message is answered, and forgets what it said. */
  close(message: InboxDocument): Promise<void>
  remove(channel_ids: readonly string[]): Promise<void>
}

/** Makes the inbox over its collection. */
export function createMessageInbox({
  collections: { channel_inbox: inbox },
  clock,
  ids,
  secrets,
}: Pick<Cradle, 'collections' | 'clock' | 'ids' | 'secrets'>): MessageInbox {
  const purposeOf = (id: string) => `inbox:${id}`

  return {
    async add({ _id: channel_id, agent_id }, message, { urgent, refused }) {
      const _id = ids.make('inb_')
      const { id: message_id, conversation, sender, text, quote, files = [], target } = message
      const parts: SealedParts = { files, target }
      try {
        await inbox.insertOne({
          _id,
          channel_id,
          agent_id,
          message_id,
          conversation_id: conversation.id,
          conversation_type: conversation.type,
          sender,
          text,
          ...(quote && { quote }),
          sealed: secrets.seal(JSON.stringify(parts), purposeOf(_id)),
          sent_at: message.sent_at ?? clock.now(),
          urgent,
          ...(refused && { refused }),
          open: true,
        })
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    },
    countOpen: (channel_id, conversation_id) =>
      inbox.countDocuments({ channel_id, conversation_id, open: true }),
    async listLanes(channel_ids) {
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
    next: async (lane) =>
      (await inbox.findOne({ ...lane, open: true, thread_id: { $exists: true } })) ??
      (await inbox.findOne({ ...lane, open: true }, { sort: { sent_at: 1, _id: 1 } })),
    current: (channel_id, conversation_id) =>
      inbox.findOne({ channel_id, conversation_id, open: true, thread_id: { $exists: true } }),
    unseal: ({ _id, sealed }) => JSON.parse(secrets.open(sealed!, purposeOf(_id))),
    async begin({ _id }, at) {
      await inbox.updateOne({ _id }, { $set: at })
    },
    async saveProgress({ _id }, progress) {
      await inbox.updateOne({ _id, open: true }, { $set: { progress } })
    },
    async close({ _id }) {
      await inbox.updateOne(
        { _id },
        {
          $set: { closed_at: new Date(clock.now()) },
          $unset: { open: 1, text: 1, quote: 1, sealed: 1, progress: 1 },
        },
      )
    },
    async remove(channel_ids) {
      await inbox.deleteMany({ channel_id: { $in: [...channel_ids] } })
    },
  }
}
