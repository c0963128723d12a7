import { createHash } from 'node:crypto'
import { AppError } from '#plugin-api'
import type { EarlierTurn } from '../chat/threads/earlier-turns.ts'
import type { ThreadOwner } from '../chat/threads/threads.ts'
import { MAX_ELEMENT_BYTES } from './archive/elements.ts'
import type { Conversation, ConversationMessage } from './conversation.ts'
import type { ImportDocument, ImportedConversationDocument, ImportLineDocument } from './documents.ts'
import type { Cradle } from './manifest.ts'
import type { MessageFiles } from './message-files.ts'
import { groupMessages, hashMessages, toTurn, withRisingTimes } from './turns.ts'

/** The most bytes of the texts of one turn: each message is one document of the database. */
const MAX_TURN_BYTES = 12 * 1024 * 1024
const MAX_TITLE_CHARS = 200

/** The part of a line that says how a conversation was stored. */
export type StoredConversation = Pick<ImportLineDocument, 'status' | 'messages' | 'agent_id' | 'thread_id'>

/** Stores conversations as threads, each once for an account. */
export type ConversationStore = ReturnType<typeof createConversationStore>

/** Creates the store. */
export function createConversationStore({
  agents,
  chat,
  clock,
  collections: { imported_conversations: stored },
  ids,
  threadArchive,
  threads,
  users,
}: Pick<
  Cradle,
  'agents' | 'chat' | 'clock' | 'collections' | 'ids' | 'threadArchive' | 'threads' | 'users'
>) {
  /** Finds the thread that a conversation became; undefined if its user has deleted it. */
  const findThread = ({ user_id, thread_id }: ImportedConversationDocument) =>
    threads.getOfUser(user_id, thread_id).catch((error) => {
      if (error instanceof AppError && error.code === 'THREAD_NOT_FOUND') return undefined
      throw error
    })

  return {
    /**
     * Stores a conversation as a thread, or adds what is new in it to its thread. Throws CONVERSATION_TOO_LARGE,
     * LIMIT_REACHED, THREAD_BUSY, and AGENT_NOT_FOUND if the agent or the account was removed meanwhile.
     */
    async store(
      conversation: Conversation,
      { _id: import_id, user_id, agent_id, locale }: Pick<ImportDocument, '_id' | 'locale'> & ThreadOwner,
      { messageFiles, isRepeated }: { messageFiles: MessageFiles; isRepeated: boolean },
    ): Promise<StoredConversation> {
      const { kind } = conversation
      const owner = { user_id, agent_id }
      const messages = withRisingTimes(conversation, clock.now())
      if (messages.length === 0) return { status: 'empty', messages: 0, agent_id: null, thread_id: null }
      const groups = groupMessages(messages)
      groups.forEach(assertStorable)
      const hashes = groups.map(hashMessages)
      const updated_at = conversation.updated_at ?? null
      const toTurns = async (added: ConversationMessage[][]): Promise<EarlierTurn[]> => {
        const files = await messageFiles.store(added.flat())
        return added.map((group) => toTurn(group, { files, kind, locale }))
      }

      const _id = keyOf(user_id, conversation)
      const former = await stored.findOne({ _id, user_id })
      const thread = former?.is_complete ? await findThread(former) : undefined
      if (former && thread) {
        const location = { agent_id: thread.agent_id, thread_id: thread._id }
        const common = hashes.findIndex((hash, index) => hash !== former.turns[index]?.hash)
        const isOlder = updated_at !== null && former.updated_at !== null && updated_at <= former.updated_at
        if (common === -1 || isOlder) {
          // This very import may have stored it right before its server ended.
          const isOwn = isRepeated && former.import_id === import_id
          return { ...location, status: isOwn ? 'imported' : 'unchanged', messages: isOwn ? former.added : 0 }
        }
        const turns = former.turns.slice(0, common)
        let { last_seq } = thread
        let added = 0
        for (const [index, turn] of (await toTurns(groups.slice(common))).entries()) {
          const end = await threadArchive.addTurn({ ...thread, last_seq }, turn, turns.at(-1) ?? null)
          last_seq = end.seq
          turns.push({ ...end, hash: hashes[common + index]! })
          added += groups[common + index]!.length
          await stored.updateOne({ _id }, { $set: { turns, import_id, added } })
        }
        await stored.updateOne({ _id }, { $set: { updated_at } })
        return { ...location, status: 'imported', messages: added }
      }

      // A crash, or the deletion of the thread, has left only this note.
      if (former && !former.is_complete) await chat.purge([former.thread_id])
      const thread_id = ids.make('thr_')
      const note = { user_id, thread_id, is_complete: false, updated_at, turns: [], import_id, added: 0 }
      await stored.replaceOne({ _id }, note, { upsert: true })
      const { ends } = await threadArchive.createWithTurns(owner, await toTurns(groups), {
        _id: thread_id,
        pinned: conversation.is_pinned,
        ...(conversation.is_archived && { archived: true }),
        ...(conversation.title !== null && { title: clip(conversation.title) }),
        created_at: Math.floor(Math.min(conversation.created_at ?? Infinity, messages[0]!.ts!) / 1000),
        last_active: Math.floor(messages.at(-1)!.ts! / 1000),
      })
      const turns = ends.map((end, index) => ({ ...end, hash: hashes[index]! }))
      await stored.updateOne({ _id }, { $set: { is_complete: true, turns, added: messages.length } })
      // If the agent or the account was removed meanwhile, this thread was not among the threads removed with it.
      const [agent, user] = await Promise.all([agents.find(agent_id), users.find(user_id)])
      if (!agent || !user) {
        await chat.purge([thread_id])
        await stored.deleteOne({ _id })
        throw new AppError('AGENT_NOT_FOUND')
      }
      return { status: 'imported', messages: messages.length, agent_id, thread_id }
    },
    /** Forgets which conversations of an account were imported. */
    async removeAllOf(user_id: string): Promise<void> {
      await stored.deleteMany({ user_id })
    },
  }
}

/** The key of a conversation, of a bounded length whatever the id. */
const keyOf = (user_id: string, { kind, id }: Conversation) =>
  `${user_id}:${kind}:${createHash('sha256').update(id).digest('base64url')}`

function assertStorable(messages: readonly ConversationMessage[]): void {
  const bytes = messages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  if (bytes > MAX_TURN_BYTES)
    throw new AppError('CONVERSATION_TOO_LARGE', { max_mb: MAX_ELEMENT_BYTES / 1024 / 1024 })
}

const clip = (title: string) => [...title.trim()].slice(0, MAX_TITLE_CHARS).join('')
