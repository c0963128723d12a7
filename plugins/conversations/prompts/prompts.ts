import type { Filter, IndexDescription } from 'mongodb'
import {
  AppError,
  type Conditional,
  EVERYONE,
  findPage,
  grantedAccess,
  isDuplicateKey,
  isEditableBy,
  isForEveryone,
  isGrantedTo,
  type Managed,
  missOf,
  type PageRequest,
  type Person,
  requireUnchanged,
  type Shared,
  type StoredGrant,
  shareWithEveryone,
  type TypeOf,
  toGrantUpdate,
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
  { key: { 'grants.to': 1, ...BY_NAME } },
]

/** The fields that the entity tag of a prompt is made from. */
export const promptFields = ['name', 'description', 'text', 'grants'] as const

/** Greater than every character that a name can have. */
const LAST_CHARACTER = '\u{10ffff}'

/** A saved prompt. */
export interface PromptDocument extends Managed, Shared {
  _id: string
  user_id: string
  owner_username: string
  name: string
  /** The name in the form in which it is unique and found. */
  name_key: string
  description: string | null
  text: string
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
    /** A prompt is new or gone, or has changed; with its owner and its grants, before and after. */
    'prompt.changed': { prompt_id: string; user_id: string; grants: StoredGrant[] }
  }
}

/** The part of a caller that decides what they may share. */
type Sharer = Pick<AuthCaller, 'id' | 'groups' | 'role'>

/** The saved prompts of all accounts. */
export type Prompts = ReturnType<typeof createPrompts>

/** Creates the store of prompts. */
export function createPrompts({
  collections: { prompts },
  clock,
  events,
  extensions,
  ids,
  limits,
  users,
}: Pick<Cradle, 'collections' | 'clock' | 'events' | 'extensions' | 'ids' | 'limits' | 'users'>) {
  /** Throws if the rules of the server do not let an account share something with everybody. */
  const assertMayShare = (sharer: Sharer) => extensions['users.sharing'].ask({ sharer, with: [EVERYONE] })

  const noteChange = ({ _id: prompt_id, user_id, grants = [] }: PromptDocument, after: Shared = {}) =>
    void events.emit('prompt.changed', { prompt_id, user_id, grants: [...grants, ...(after.grants ?? [])] })

  const findOne = async (filter: Filter<PromptDocument>): Promise<PromptDocument> => {
    const prompt = await prompts.findOne(filter)
    if (!prompt) throw new AppError('PROMPT_NOT_FOUND')
    return prompt
  }

  /** Throws PROMPT_NOT_FOUND unless the prompt is the account's or shared with it. */
  const get = (person: Person, _id: string): Promise<PromptDocument> =>
    findOne({ _id, $or: [{ user_id: person.id }, isGrantedTo(person)] })

  return {
    get,

    /** Does the same, and finds every prompt for administrators. */
    findShareable: (caller: Sharer, _id: string): Promise<PromptDocument> =>
      caller.role === 'admin' ? findOne({ _id }) : get(caller, _id),

    noteChange,

    /** Lists an account's own prompts by name, then those that others share with it. Throws VALIDATION_FAILED for an unknown cursor. */
    list(person: Person, q: string | undefined, page: PageRequest) {
      const key = q === undefined ? undefined : toKey(q)
      const beginning: Filter<PromptDocument> =
        key === undefined ? {} : { name_key: { $gte: key, $lt: key + LAST_CHARACTER } }
      return findPage(
        prompts,
        {
          parts: [
            { user_id: person.id, ...beginning },
            { ...isGrantedTo(person), user_id: { $ne: person.id }, ...beginning },
          ],
          sort: BY_NAME,
          bytesOf: (prompt) => Buffer.byteLength(JSON.stringify(prompt)),
        },
        page,
      )
    },

    count: (user_id: string) => prompts.countDocuments({ user_id }),

    /** Throws PROMPT_NAME_TAKEN, LIMIT_REACHED, VALIDATION_FAILED for too many variables, and errors of the rules of sharing. */
    async create(
      owner: Sharer & Pick<AuthCaller, 'username'>,
      { name, text, description = null, shared = false }: TypeOf<typeof newPrompt>,
    ): Promise<PromptDocument> {
      assertFewVariables(text)
      if (shared) await assertMayShare(owner)
      const { id: user_id, username } = owner
      const now = clock.seconds()
      const prompt: PromptDocument = {
        _id: ids.make('prm_'),
        user_id,
        owner_username: username,
        ...toNameFields(name),
        description: description?.toWellFormed() ?? null,
        text: text.toWellFormed(),
        grants: shareWithEveryone({}, shared),
        created_at: now,
        updated_at: now,
      }
      await limits.within('prompts', user_id, () => refuseTakenName(name, prompts.insertOne(prompt)))
      // A concurrent deletion of the account did not see this prompt.
      if (!(await users.find(user_id))) {
        await prompts.deleteOne({ _id: prompt._id })
        throw new AppError('AUTH_FAILED')
      }
      noteChange(prompt)
      return prompt
    },

    /**
     * Changes a prompt. Throws PROMPT_NOT_FOUND, PROMPT_NAME_TAKEN, PRECONDITION_FAILED, VALIDATION_FAILED for too many
     * variables, and FORBIDDEN if the account may only use the prompt, or does not own it and changes `shared`.
     */
    async update(
      person: Sharer,
      _id: string,
      { name, text, description, shared }: TypeOf<typeof promptChanges>,
      request: Conditional,
    ): Promise<PromptDocument> {
      const prompt = await get(person, _id)
      if (!mayEdit(prompt, person)) throw new AppError('FORBIDDEN')
      if (shared !== undefined && prompt.user_id !== person.id)
        throw new AppError('FORBIDDEN', { field: 'shared' })
      if (text !== undefined) assertFewVariables(text)
      if (shared && !isForEveryone(prompt)) await assertMayShare(person)
      const unchanged = requireUnchanged(request, prompt, promptFields)
      const changes = {
        ...(name !== undefined && toNameFields(name)),
        ...(text !== undefined && { text: text.toWellFormed() }),
        ...(description !== undefined && { description: description?.toWellFormed() ?? null }),
        updated_at: clock.seconds(),
      }
      const write = prompts.findOneAndUpdate(
        { _id, $or: [{ user_id: person.id }, isEditableBy(person)], ...unchanged },
        { $set: changes, ...toGrantUpdate(prompt, shared) },
        { returnDocument: 'after' },
      )
      const updated = await refuseTakenName(name, write)
      if (!updated) throw missOf(unchanged, 'PROMPT_NOT_FOUND')
      noteChange(prompt, updated)
      return updated
    },

    /** Deletes a prompt. Throws PROMPT_NOT_FOUND, and FORBIDDEN unless by its owner or, if it is shared, an administrator. */
    async delete(caller: Sharer, _id: string): Promise<void> {
      const own = { user_id: caller.id }
      const deletable = caller.role === 'admin' ? { $or: [own, { 'grants.0': { $exists: true } }] } : own
      const deleted = await prompts.findOneAndDelete({ _id, ...deletable })
      if (!deleted) {
        await get(caller, _id)
        throw new AppError('FORBIDDEN')
      }
      noteChange(deleted)
    },

    /** Removes the prompts of a deleted account. */
    async removeAllOf(user_id: string): Promise<void> {
      const shared = await prompts.find({ user_id, 'grants.0': { $exists: true } }).toArray()
      await prompts.deleteMany({ user_id })
      for (const prompt of shared) noteChange(prompt)
    },
  }
}

/** True if this account may change the prompt. */
export const mayEdit = (prompt: PromptDocument, person: Person): boolean =>
  prompt.user_id === person.id || grantedAccess(prompt, person) === 'edit'

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
