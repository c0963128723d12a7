import type { Filter, IndexDescription } from 'mongodb'
import {
  AppError,
  type Conditional,
  findPage,
  isDuplicateKey,
  missOf,
  type PageRequest,
  requireUnchanged,
  type TypeOf,
} from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { Cradle } from './manifest.ts'
import type { newPrompt, promptChanges } from './schemas.ts'
import { assertFewVariables } from './variables.ts'

/** The order of lists. */
const BY_NAME = { name_key: 1, _id: 1 } as const

/** The indexes for unique names, for an account's own prompts, and for shared ones. */
export const promptIndexes: IndexDescription[] = [
  { key: { user_id: 1, name_key: 1 }, unique: true },
  { key: { user_id: 1, ...BY_NAME } },
  { key: { shared: 1, ...BY_NAME } },
]

/** The fields that the entity tag of a prompt is made from. */
export const promptFields = ['name', 'description', 'text', 'shared'] as const

/** Greater than every character that a name can have. */
const LAST_CHARACTER = '\u{10ffff}'

/** A saved prompt. */
export interface PromptDocument {
  _id: string
  user_id: string
  owner_username: string
  name: string
  /** The name in the form in which it is unique and found. */
  name_key: string
  description: string | null
  text: string
  shared: boolean
  /** Unix seconds. */
  created_at: number
  updated_at: number
}

declare module '#kernel/types' {
  interface Collections {
    prompts: {
      prompts: PromptDocument
    }
  }
  interface Events {
    /** A prompt is new or gone, or has changed; `is_shared` if other accounts see it, or saw it until now. */
    'prompt.changed': { prompt_id: string; user_id: string; is_shared: boolean }
  }
}

/** The saved prompts of all accounts. */
export type Prompts = ReturnType<typeof createPrompts>

/** Creates the store of prompts. */
export function createPrompts({
  collections: { prompts },
  clock,
  events,
  ids,
  limits,
  users,
}: Pick<Cradle, 'collections' | 'clock' | 'events' | 'ids' | 'limits' | 'users'>) {
  const noteChange = ({ _id: prompt_id, user_id }: PromptDocument, is_shared: boolean) =>
    void events.emit('prompt.changed', { prompt_id, user_id, is_shared })

  /** Throws PROMPT_NOT_FOUND unless the prompt is the account's or shared. */
  const get = async (user_id: string, _id: string): Promise<PromptDocument> => {
    const prompt = await prompts.findOne({ _id, $or: [{ user_id }, { shared: true }] })
    if (!prompt) throw new AppError('PROMPT_NOT_FOUND')
    return prompt
  }

  return {
    get,

    /** Lists an account's own prompts by name, then the shared ones of others. Throws VALIDATION_FAILED for an unknown cursor. */
    list(user_id: string, q: string | undefined, page: PageRequest) {
      const key = q === undefined ? undefined : toKey(q)
      const beginning: Filter<PromptDocument> =
        key === undefined ? {} : { name_key: { $gte: key, $lt: key + LAST_CHARACTER } }
      return findPage(
        prompts,
        {
          parts: [
            { user_id, ...beginning },
            { shared: true, user_id: { $ne: user_id }, ...beginning },
          ],
          sort: BY_NAME,
          bytesOf: (prompt) => Buffer.byteLength(JSON.stringify(prompt)),
        },
        page,
      )
    },

    count: (user_id: string) => prompts.countDocuments({ user_id }),

    /** Throws PROMPT_NAME_TAKEN, LIMIT_REACHED, and VALIDATION_FAILED for too many variables. */
    async create(
      { id: user_id, username }: Pick<AuthCaller, 'id' | 'username'>,
      { name, text, description = null, shared = false }: TypeOf<typeof newPrompt>,
    ): Promise<PromptDocument> {
      assertFewVariables(text)
      const now = clock.seconds()
      const prompt: PromptDocument = {
        _id: ids.make('prm_'),
        user_id,
        owner_username: username,
        ...toNameFields(name),
        description: description?.toWellFormed() ?? null,
        text: text.toWellFormed(),
        shared,
        created_at: now,
        updated_at: now,
      }
      await limits.within('prompts', user_id, () => refuseTakenName(name, prompts.insertOne(prompt)))
      // A concurrent deletion of the account did not see this prompt.
      if (!(await users.find(user_id))) {
        await prompts.deleteOne({ _id: prompt._id })
        throw new AppError('AUTH_FAILED')
      }
      noteChange(prompt, shared)
      return prompt
    },

    /**
     * Changes a prompt. Throws PROMPT_NOT_FOUND, PROMPT_NAME_TAKEN, PRECONDITION_FAILED, VALIDATION_FAILED for too many
     * variables, and FORBIDDEN if somebody else shares the prompt.
     */
    async update(
      user_id: string,
      _id: string,
      { name, text, description, shared }: TypeOf<typeof promptChanges>,
      request: Conditional,
    ): Promise<PromptDocument> {
      const prompt = await get(user_id, _id)
      if (prompt.user_id !== user_id) throw new AppError('FORBIDDEN')
      if (text !== undefined) assertFewVariables(text)
      const unchanged = requireUnchanged(request, prompt, promptFields)
      const changes = {
        ...(name !== undefined && toNameFields(name)),
        ...(text !== undefined && { text: text.toWellFormed() }),
        ...(description !== undefined && { description: description?.toWellFormed() ?? null }),
        ...(shared !== undefined && { shared }),
        updated_at: clock.seconds(),
      }
      const write = prompts.findOneAndUpdate(
        { _id, user_id, ...unchanged },
        { $set: changes },
        { returnDocument: 'after' },
      )
      const updated = await refuseTakenName(name, write)
      if (!updated) throw missOf(unchanged, 'PROMPT_NOT_FOUND')
      noteChange(updated, prompt.shared || updated.shared)
      return updated
    },

    /** Deletes a prompt. Throws PROMPT_NOT_FOUND, and FORBIDDEN unless by its owner or, if it is shared, an administrator. */
    async delete({ id, role }: Pick<AuthCaller, 'id' | 'role'>, _id: string): Promise<void> {
      const prompt = await get(id, _id)
      if (prompt.user_id !== id && role !== 'admin') throw new AppError('FORBIDDEN')
      // The owner may have stopped sharing it meanwhile.
      const deleted = await prompts.findOneAndDelete({ _id, $or: [{ user_id: id }, { shared: true }] })
      if (!deleted) throw new AppError('PROMPT_NOT_FOUND')
      noteChange(deleted, deleted.shared)
    },

    /** Removes the prompts of a deleted account. */
    async removeAllOf(user_id: string): Promise<void> {
      const shared = await prompts.find({ user_id, shared: true }).toArray()
      await prompts.deleteMany({ user_id })
      for (const prompt of shared) noteChange(prompt, true)
    },
  }
}

/** Two names are the same if they differ only in case or Unicode form. */
const toKey = (name: string) => name.normalize('NFKC').toLowerCase()
const toNameFields = (name: string) => ({ name: name.normalize('NFC'), name_key: toKey(name) })

async function refuseTakenName<Result>(name: string | undefined, write: Promise<Result>): Promise<Result> {
  try {
    return await write
  } catch (error) {
    if (isDuplicateKey(error)) throw new AppError('PROMPT_NAME_TAKEN', { name })
    throw error
  }
}
