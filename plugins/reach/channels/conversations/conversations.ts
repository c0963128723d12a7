import {
  AppError,
  type ConversationType,
  findPage,
  type InboundFile,
  type InboundMessage,
  type JSONValue,
  type Page,
  type PageRequest,
} from '#plugin-api'
import type { ThreadDocument } from '../../../conversations/chat/documents.ts'
import type { GroupRules } from '../config/common-settings.ts'
import type { ChannelDocument, ConversationDocument, OverheardMessage } from '../documents.ts'
import type { Cradle } from '../manifest.ts'

/** Number of overheard messages stored for a conversation, and the stored characters of each. */
const MOST_OVERHEARD = 50
const LONGEST_OVERHEARD = 2000
/** Number of files that are stored of an overheard message. */
const MOST_OVERHEARD_FILES = 4
/** Number of moves that are followed from an old id of a conversation. */
const MOST_MOVES = 10

/** The ids of a conversation. */
export interface ConversationKey {
  channel_id: string
  conversation_id: string
}

/** A conversation with what is needed to write to it. */
export interface Addressed extends ConversationKey {
  type: ConversationType
  target: JSONValue
}

/** The threads of conversations in channels, and recent messages of groups that did not mention the bot. */
export type Conversations = ReturnType<typeof createConversations>

/** Creates the conversations over their collection. */
export function createConversations({
  collections: { channel_conversations: conversations },
  threads,
  clock,
  secrets,
}: Pick<Cradle, 'collections' | 'threads' | 'clock' | 'secrets'>) {
  const purposeOf = (id: string) => `conversation:${id}`
  const filesPurposeOf = (id: string) => `overheard-files:${id}`
  const keyOf = ({ _id }: ChannelDocument, conversation_id: string) => `${_id}:${conversation_id}`

  const beginningOf = ({ _id: channel_id, agent_id }: ChannelDocument) => ({
    ...{ channel_id, agent_id },
    thread_id: null,
    overheard: [],
  })

  const begin = async (channel: ChannelDocument, _id: string) => {
    await conversations.updateOne({ _id }, { $setOnInsert: beginningOf(channel) }, { upsert: true })
  }

  const openFiles = ({ _id, overheard_files }: ConversationDocument) =>
    new Map<string, InboundFile[]>(
      overheard_files ? JSON.parse(secrets.open(overheard_files, filesPurposeOf(_id))) : [],
    )

  const sealFiles = (_id: string, files: Iterable<[message_id: string, files: readonly InboundFile[]]>) =>
    secrets.seal(JSON.stringify([...files]), filesPurposeOf(_id))

  /** Stores the files of an overheard message, and drops the files of messages that were removed. */
  const overhearFiles = async (_id: string, message_id: string, files: readonly InboundFile[]) => {
    for (;;) {
      const conversation = await conversations.findOne({ _id })
      if (!conversation) return
      const keptFiles = [...openFiles(conversation)].filter(([id]) =>
        conversation.overheard.some((message) => message.id === id),
      )
      const sealed = sealFiles(_id, [...keptFiles, [message_id, files]])
      const { overheard_files } = conversation
      // Another message of the group may bring files at the same time.
      const { matchedCount } = await conversations.updateOne(
        { _id, overheard_files: overheard_files ?? { $exists: false } },
        { $set: { overheard_files: sealed } },
      )
      if (matchedCount > 0) return
    }
  }

  const findThread = async (
    channel: ChannelDocument,
    conversation_id: string,
    user_id: string,
  ): Promise<ThreadDocument | undefined> => {
    const conversation = await conversations.findOne({ _id: keyOf(channel, conversation_id) })
    return conversation?.thread_id ? readThread(channel, conversation.thread_id, user_id) : undefined
  }

  const readThread = async (
    { agent_id }: ChannelDocument,
    thread_id: string,
    user_id: string,
  ): Promise<ThreadDocument | undefined> => {
    try {
      return await threads.get({ user_id, agent_id }, thread_id)
    } catch (error) {
      if (error instanceof AppError && error.code === 'THREAD_NOT_FOUND') return undefined
      throw error
    }
  }

  return {
    /** Returns the thread of a conversation; undefined if it does not exist. */
    findThread,
    /** Returns a thread of the account of the agent's owner; undefined if it does not exist. */
    readThread,
    /** Returns the thread of a conversation in the account of the agent's owner; creates it if it does not exist. */
    async threadOf(
      channel: ChannelDocument,
      conversation_id: string,
      user_id: string,
    ): Promise<ThreadDocument> {
      const current = await findThread(channel, conversation_id, user_id)
      if (current) return current
      const { agent_id, kind: channel_type } = channel
      const _id = keyOf(channel, conversation_id)
      await begin(channel, _id)
      const thread = await threads.create({ user_id, agent_id }, { channel_type })
      await conversations.updateOne({ _id }, { $set: { thread_id: thread._id } })
      return thread
    },
    /** Lists the conversations of a channel that can be written to. Throws VALIDATION_FAILED for an unknown cursor. */
    list: ({ _id: channel_id }: ChannelDocument, page: PageRequest): Promise<Page<ConversationDocument>> =>
      findPage(
        conversations,
        {
          parts: [{ channel_id, last_message_at: { $gt: 0 } }],
          sort: { last_message_at: -1, _id: -1 },
          projection: { overheard: 0, overheard_files: 0, target: 0 },
        },
        page,
      ),
    /** Stores how the conversation of a message can be written to. */
    async noteTarget(
      channel: ChannelDocument,
      {
        conversation: { id, type },
        sender,
        target,
      }: Pick<InboundMessage, 'conversation' | 'sender' | 'target'>,
    ) {
      const _id = keyOf(channel, id)
      const sealed = secrets.seal(JSON.stringify(target), purposeOf(_id))
      const last_message_at = clock.seconds()
      await conversations.updateOne(
        { _id },
        {
          $set: { type, sender, target: sealed, last_message_at },
          $setOnInsert: beginningOf(channel),
        },
        { upsert: true },
      )
    },
    /** Finds a conversation of an agent that can be written to, by its ids or by its thread. */
    async find({
      agent_id,
      ...key
    }: { agent_id: string } & ({ thread_id: string } | ConversationKey)): Promise<Addressed | undefined> {
      const selected =
        'thread_id' in key
          ? { thread_id: key.thread_id }
          : { _id: `${key.channel_id}:${key.conversation_id}` }
      let conversation = await conversations.findOne({ ...selected, agent_id })
      for (let moves = 0; conversation?.moved_to && moves < MOST_MOVES; moves += 1)
        conversation = await conversations.findOne({ _id: conversation.moved_to })
      if (conversation?.type === undefined || conversation.target === undefined) return undefined
      const { _id, channel_id, type, target } = conversation
      const conversation_id = _id.slice(channel_id.length + 1)
      return { channel_id, conversation_id, type, target: JSON.parse(secrets.open(target, purposeOf(_id))) }
    },
    /** Continues a conversation under another id; one with the old id is found by it. */
    async move(channel: ChannelDocument, from: string, { id, target }: { id: string; target: JSONValue }) {
      const source = await conversations.findOne({ _id: keyOf(channel, from) })
      const _id = keyOf(channel, id)
      if (!source || source.moved_to === _id || source._id === _id) return
      await begin(channel, _id)
      const { thread_id, overheard, overheard_files, type, sender, last_message_at } = source
      const sealed = secrets.seal(JSON.stringify(target), purposeOf(_id))
      const reachable = type && { type, sender, last_message_at, target: sealed }
      const files = overheard_files && { overheard_files: sealFiles(_id, openFiles(source)) }
      // A message may have begun the conversation under its new id.
      await conversations.updateOne(
        { _id, thread_id: null },
        { $set: { thread_id, overheard, ...files, ...reachable } },
      )
      await conversations.updateOne({ _id }, { $unset: { moved_to: 1 } })
      await conversations.updateOne(
        { _id: source._id },
        {
          $set: { moved_to: _id, thread_id: null, overheard: [] },
          $unset: { last_message_at: 1, overheard_files: 1 },
        },
      )
    },
    /** Detaches the thread, so that the next message begins a new one. */
    async leaveThread(channel: ChannelDocument, conversation_id: string) {
      const _id = keyOf(channel, conversation_id)
      await conversations.updateOne(
        { _id },
        { $set: { thread_id: null, overheard: [] }, $unset: { overheard_files: 1 } },
      )
    },
    async overhear(
      channel: ChannelDocument,
      conversation_id: string,
      { id, sender, text, at, files = [] }: OverheardMessage,
    ) {
      const _id = keyOf(channel, conversation_id)
      await begin(channel, _id)
      const message = { id, sender, text: text.slice(0, LONGEST_OVERHEARD), at }
      await conversations.updateOne(
        { _id, 'overheard.id': { $ne: id } },
        { $push: { overheard: { $each: [message], $slice: -MOST_OVERHEARD } } },
      )
      if (files.length > 0) await overhearFiles(_id, id, files.slice(0, MOST_OVERHEARD_FILES))
    },
    /**
     * Returns the overheard messages that the rules allow, oldest first. Their age counts from `at`, by the platform's clock
     * as theirs: the server's may differ from it.
     */
    async recall(
      channel: ChannelDocument,
      conversation_id: string,
      { history_limit, history_ttl_ms }: GroupRules,
      now: number,
    ): Promise<Required<OverheardMessage>[]> {
      if (history_limit === 0) return []
      const conversation = await conversations.findOne({ _id: keyOf(channel, conversation_id) })
      if (!conversation) return []
      const files = openFiles(conversation)
      return conversation.overheard
        .filter(({ at }) => at >= now - history_ttl_ms)
        .sort((a, b) => a.at - b.at)
        .slice(-history_limit)
        .map((message) => ({ ...message, files: files.get(message.id) ?? [] }))
    },
    /** Removes the messages overheard up to a time in Unix milliseconds. */
    async forget(channel: ChannelDocument, conversation_id: string, until: number) {
      const _id = keyOf(channel, conversation_id)
      await conversations.updateOne({ _id }, { $pull: { overheard: { at: { $lte: until } } } })
      await conversations.updateOne({ _id, overheard: [] }, { $unset: { overheard_files: 1 } })
    },
    async remove(channel_ids: readonly string[]) {
      await conversations.deleteMany({ channel_id: { $in: [...channel_ids] } })
    },
  }
}
