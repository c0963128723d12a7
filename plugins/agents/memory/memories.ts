import type { Filter, IndexDescription } from 'mongodb'
import {
  AppError,
  type Conditional,
  escapePattern,
  findPage,
  fold,
  isDuplicateKey,
  missOf,
  type PageRequest,
  requireUnchanged,
  type TypeOf,
  toLine,
  toWords,
} from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { PromptMemory } from './prompt.ts'
import type { memoryChanges } from './schemas.ts'
import type { MemoryDocument, MemorySource, MemoryState } from './types.ts'

/** The indexes for lists, for instructions, for texts that are stored once, and for what is removed with an agent. */
export const memoryIndexes: IndexDescription[] = [
  { key: { user_id: 1, state: 1, _id: 1 } },
  { key: { user_id: 1, agent_id: 1, state: 1, _id: 1 } },
  { key: { user_id: 1, agent_id: 1, text: 1 }, unique: true },
  { key: { agent_id: 1 }, partialFilterExpression: { agent_id: { $type: 'string' } } },
]

/** The fields that the entity tag of a memory is made from. */
export const memoryFields = ['text', 'state'] as const

/** The most proposed memories of an account: what others make an agent propose must not take all the room. */
export const MAX_PROPOSED = 100

/** The most memories that recall returns. */
const MAX_RECALLED = 20
/** The most memories of a scope that are read for instructions. */
const MAX_NEWEST = 100

/** The memories to list or to delete; a missing field selects all. */
export interface MemorySelection {
  scope?: 'me' | 'agent'
  agent_id?: string
}

/** The memories of all accounts; the account is part of every query. */
export type Memories = ReturnType<typeof createMemories>

/** Creates the store of memories. */
export function createMemories({
  collections: { memories },
  clock,
  events,
  ids,
  limits,
  users,
}: Pick<Cradle, 'collections' | 'clock' | 'events' | 'ids' | 'limits' | 'users'>) {
  const noteChange = (user_id: string) => events.emit('memory.changed', { user_id })

  const findOne = async (user_id: string, _id: string): Promise<MemoryDocument> => {
    const memory = await memories.findOne({ _id, user_id })
    if (!memory) throw new AppError('MEMORY_NOT_FOUND')
    return memory
  }

  const keep = (filter: Filter<MemoryDocument>) =>
    memories.findOneAndUpdate(
      { ...filter, state: 'proposed' },
      { $set: { state: 'kept', updated_at: clock.seconds() } },
      { returnDocument: 'after' },
    )

  return {
    find: findOne,

    count: (user_id: string) => memories.countDocuments({ user_id }),
    countProposed: (user_id: string) => memories.countDocuments({ user_id, state: 'proposed' }),

    /** Lists an account's memories, newest first. Throws VALIDATION_FAILED for an unknown cursor. */
    list(
      user_id: string,
      { q, state, ...selection }: MemorySelection & { q?: string; state: MemoryState },
      page: PageRequest,
    ) {
      const parts = fold(q ?? '').match(/\S+/g) ?? []
      const filter = {
        ...{ user_id, state },
        $and: [toFilter(selection), ...parts.map((part) => ({ folded: { $regex: escapePattern(part) } }))],
      }
      return findPage(memories, { parts: [filter], sort: { _id: -1 } }, page)
    },

    /**
     * Stores a memory, for one agent or, with null, for all of them. A text that the account has there already is not
     * stored again, but kept if it was proposed and is to be kept now. Throws LIMIT_REACHED, and VALIDATION_FAILED for a
     * text without visible characters.
     */
    async add(
      user_id: string,
      {
        text,
        agent_id,
        state,
        source,
      }: { text: string; agent_id: string | null; state: MemoryState; source: MemorySource | null },
    ): Promise<{ memory: MemoryDocument; is_new: boolean }> {
      const now = clock.seconds()
      const memory: MemoryDocument = {
        _id: ids.make('mem_'),
        ...{ user_id, agent_id, ...toTextFields(text), state, source },
        created_at: now,
        updated_at: now,
      }
      const same = { user_id, agent_id, text: memory.text }
      const earlier = await memories.findOne(same)
      if (!earlier) {
        try {
          await limits.within('memories', user_id, () => memories.insertOne(memory))
        } catch (error) {
          if (!isDuplicateKey(error)) throw error
        }
      }
      const stored = (await memories.findOne(same)) ?? memory
      // A concurrent deletion of the account did not see this memory.
      if (!(await users.find(user_id))) {
        await memories.deleteOne({ _id: memory._id, user_id })
        throw new AppError('AUTH_FAILED')
      }
      const accepted =
        stored.state === 'proposed' && state === 'kept' ? await keep({ _id: stored._id, user_id }) : null
      const is_new = stored._id === memory._id || accepted !== null
      if (is_new) await noteChange(user_id)
      return { memory: accepted ?? stored, is_new }
    },

    /** Changes a memory. Throws MEMORY_NOT_FOUND, MEMORY_EXISTS, PRECONDITION_FAILED, VALIDATION_FAILED. */
    async update(
      user_id: string,
      _id: string,
      { text, state }: TypeOf<typeof memoryChanges>,
      request: Conditional,
    ): Promise<MemoryDocument> {
      const memory = await findOne(user_id, _id)
      const unchanged = requireUnchanged(request, memory, memoryFields)
      const changes = {
        ...(text !== undefined && toTextFields(text)),
        ...(state && { state }),
        updated_at: clock.seconds(),
      }
      const updated = await refuseSameText(
        memories.findOneAndUpdate(
          { _id, user_id, ...unchanged },
          { $set: changes },
          { returnDocument: 'after' },
        ),
      )
      if (!updated) throw missOf(unchanged, 'MEMORY_NOT_FOUND')
      await noteChange(user_id)
      return updated
    },

    /** Returns the newest memories for all agents and those for one, each newest first. */
    async listNewest(user_id: string, agent_id: string): Promise<PromptMemory[]> {
      const scopes = await Promise.all(
        [null, agent_id].map((agent_id) =>
          memories
            .find({ user_id, agent_id, state: 'kept' }, { projection: { agent_id: 1, text: 1 } })
            .sort({ _id: -1 })
            .limit(MAX_NEWEST)
            .toArray(),
        ),
      )
      return scopes.flat()
    },

    /** Returns the memories for an agent that have words of the query, those with the most of them first. */
    async recall(user_id: string, agent_id: string, query: string): Promise<PromptMemory[]> {
      const words = toWords(query)
      const results: { memory: PromptMemory; score: number }[] = []
      const newestFirst = memories
        .find(readBy(user_id, agent_id), { projection: { agent_id: 1, text: 1 } })
        .sort({ _id: -1 })
      for await (const memory of newestFirst) {
        const own = new Set(toWords(memory.text))
        const score = words.filter((word) => own.has(word)).length
        if (score > 0) results.push({ memory, score })
      }
      return results
        .sort((a, b) => b.score - a.score)
        .slice(0, MAX_RECALLED)
        .map(({ memory }) => memory)
    },

    /** Deletes a memory, with `readBy` only one that this agent can read, and returns it. Throws MEMORY_NOT_FOUND. */
    async delete(user_id: string, _id: string, agent: { readBy?: string } = {}): Promise<MemoryDocument> {
      const ofAgent = agent.readBy === undefined ? { user_id } : readBy(user_id, agent.readBy)
      const deleted = await memories.findOneAndDelete({ _id, ...ofAgent })
      if (!deleted) throw new AppError('MEMORY_NOT_FOUND')
      await noteChange(user_id)
      return deleted
    },

    /** Deletes the memories of an account, also those that are only proposed. */
    async deleteAll(user_id: string, selection: MemorySelection = {}): Promise<void> {
      const { deletedCount } = await memories.deleteMany({ user_id, ...toFilter(selection) })
      if (deletedCount > 0) await noteChange(user_id)
    },

    /** Deletes what everybody's memories say for an agent. */
    async removeOfAgent(agent_id: string): Promise<void> {
      const user_ids = await memories.distinct('user_id', { agent_id })
      await memories.deleteMany({ agent_id })
      for (const user_id of user_ids) await noteChange(user_id)
    },
  }
}

/** Matches the memories of an account that an agent can read. */
const readBy = (user_id: string, agent_id: string) => ({
  ...{ user_id, state: 'kept' as const },
  agent_id: { $in: [null, agent_id] },
})

/** Returns the text of a memory as it is stored. Throws VALIDATION_FAILED if nothing of it can be seen. */
function toTextFields(raw: string): Pick<MemoryDocument, 'text' | 'folded'> {
  const text = toLine(raw.toWellFormed()).normalize('NFC')
  if (text !== '') return { text, folded: fold(text) }
  const issue = { path: '/text', rule: 'pattern', message: 'must have characters that can be seen' }
  throw new AppError('VALIDATION_FAILED', { issues: [issue] })
}

const toFilter = ({ scope, agent_id }: MemorySelection): Filter<MemoryDocument> => ({
  ...(scope && { agent_id: scope === 'me' ? null : { $ne: null } }),
  ...(agent_id !== undefined && { $and: [{ agent_id }] }),
})

async function refuseSameText<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await write
  } catch (error) {
    if (isDuplicateKey(error)) throw new AppError('MEMORY_EXISTS')
    throw error
  }
}
