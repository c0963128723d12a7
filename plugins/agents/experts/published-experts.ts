import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { IndexDescription } from 'mongodb'
import {
  AppError,
  type Conditional,
  createSemaphore,
  findFreeName,
  findPage,
  type Locale,
  missOf,
  type Page,
  type PageRequest,
  requireUnchanged,
  sharingIndexes,
  type TypeOf,
} from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { AgentDocument } from '../agents/types.ts'
import {
  assertNoSecret,
  type Character,
  expertFields,
  type LeftOut,
  type PublishedExpertDocument,
  type PublishedExpertSummary,
  pickCharacter,
  toInstallable,
} from './character.ts'
import { editableBy, isOwnerOf, mayEdit, type Reader, readableBy } from './expert-access.ts'
import { createExpertFolders } from './expert-folders.ts'
import { createNumbered, createSlugs, MAX_CHARS, STABLE_CHARS } from './free-names.ts'
import type { Cradle } from './manifest.ts'
import type { installation, publication, publishedChanges } from './schemas.ts'
import { createTurnFiles, takeSnapshot } from './snapshot.ts'

/** The only collation that the embedded engine supports. */
const COLLATION = { locale: 'en' }
const BY_NAME = { name: 1, _id: 1 } as const

/** Indexes to find published experts, to remove them with their creator, and to list them by name. */
export const publishedExpertIndexes: IndexDescription[] = [
  { key: { slug: 1 }, unique: true },
  { key: { created_by_id: 1 } },
  ...sharingIndexes,
  { key: BY_NAME, collation: COLLATION },
]

/** The number of workspaces that are scanned at a time, which keeps the processor busy. */
const PARALLEL_SNAPSHOTS = 2

/** The age from which a folder cannot belong to a publication in progress. */
const ABANDONED_MS = 60 * 60 * 1000

/** The settings that replace the agent's own; without a slug one is made from the name. */
type Publication = TypeOf<typeof publication>

/** The settings of a published expert. */
type PublishedSettings = Pick<PublishedExpertDocument, 'name' | 'description' | 'default_model'> &
  Required<Character>

/** The experts that users publish and install. */
export type PublishedExperts = ReturnType<typeof createPublishedExperts>

/** Creates the store of published experts. */
export function createPublishedExperts(
  cradle: Pick<
    Cradle,
    | 'agents'
    | 'clock'
    | 'collections'
    | 'ids'
    | 'limits'
    | 'log'
    | 'models'
    | 'extensions'
    | 'server'
    | 'users'
  >,
) {
  const { agents, clock, ids, limits, log, models, extensions, users } = cradle
  const { published_experts } = cradle.collections
  const folders = createExpertFolders(cradle)
  const slugs = createSlugs(cradle)
  const snapshots = createSemaphore()

  /** Finds an expert that an account may see, by id or slug. Throws NOT_FOUND. */
  const find = async (reader: Reader, key: string): Promise<PublishedExpertDocument> => {
    const named = { $or: [{ _id: key }, { slug: key }] }
    const expert = await published_experts.findOne({ $and: [named, readableBy(reader)] })
    if (!expert) throw new AppError('NOT_FOUND')
    return expert
  }

  /** Deletes the document first, so that nobody installs the expert any more; `clean` removes files after a crash. */
  const erase = async (_id: string): Promise<void> => {
    await published_experts.deleteOne({ _id })
    await folders.remove(_id)
  }

  /** Returns the name of an agent, with a number if an expert already has it. */
  const chooseName = async (name: string): Promise<string> => {
    const stem = [...name].slice(0, STABLE_CHARS).join('')
    const similar = { name: { $gte: stem, $lt: `${stem}\uffff` } }
    return findFreeName(name, new Set(await published_experts.distinct('name', similar)), MAX_CHARS)
  }

  const copyFiles = async (
    { _id: agent_id }: AgentDocument,
    expert_id: string,
    include_files: readonly string[] | undefined,
  ) => {
    const paths = new Set((await extensions['agents.written_files'].ask({ agent_id })).flat())
    const turnFiles = createTurnFiles(paths, include_files)
    const release = await snapshots.acquire(PARALLEL_SNAPSHOTS)
    return folders
      .create(expert_id, (folder) => takeSnapshot(agents.workspaceOf(agent_id), folder, turnFiles))
      .finally(release)
  }

  /** Returns null if the user may not use the model. */
  const ifUsable = async (model: string, user_id: string): Promise<string | null> => {
    try {
      await models.assertUsable(model, user_id)
      return model
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }

  const removeAllOf = async (user_id: string): Promise<void> => {
    const own = published_experts.find({ created_by_id: user_id }, { projection: { _id: 1 } })
    for (const { _id } of await own.toArray()) await erase(_id)
  }

  const store = async (
    agent: AgentDocument,
    publisher: AuthCaller,
    settings: PublishedSettings,
    { slug, include_files }: Pick<Publication, 'slug' | 'include_files'>,
  ): Promise<{ expert: PublishedExpertDocument; left_out: LeftOut[] }> => {
    const _id = ids.make()
    const { files, left_out } = await copyFiles(agent, _id, include_files)
    const now = clock.seconds()
    const expert: PublishedExpertDocument = {
      _id,
      slug: '',
      ...settings,
      created_by_id: publisher.id,
      created_by: publisher.username,
      source_agent_id: agent._id,
      files,
      created_at: now,
      updated_at: now,
    }
    try {
      // If the agent was deleted meanwhile, its files may have been removed while they were copied.
      if (!(await agents.find(agent._id))) throw new AppError('AGENT_NOT_FOUND')
      await slugs.claim({ slug, name: settings.name }, (free) => {
        expert.slug = free
        return published_experts.insertOne(expert)
      })
      // If the account was deleted meanwhile, its experts were removed before this one was stored.
      if (!(await users.find(publisher.id))) throw new AppError('AUTH_FAILED')
    } catch (error) {
      await erase(_id)
      throw error
    }
    return { expert, left_out }
  }

  return {
    find,
    removeAllOf,

    /** Lists the experts that an account may see, by name. Throws VALIDATION_FAILED for an unknown cursor. */
    list(reader: Reader, page: PageRequest): Promise<Page<PublishedExpertSummary>> {
      const projection = { files: 0, system_prompt: 0, welcome_message: 0, config: 0 }
      const listing = { parts: [readableBy(reader)], sort: BY_NAME, collation: COLLATION, projection }
      return findPage(published_experts, listing, page)
    },

    /**
     * Publishes an agent as it is now, with the publishable files of its workspace that turns have not written. Throws
     * SECRET_IN_SETTINGS, PROVIDER_NOT_VISIBLE, LIMIT_REACHED, WORKSPACE_TOO_LARGE or PUBLISHED_EXPERT_SLUG_TAKEN, and
     * AGENT_NOT_FOUND or AUTH_FAILED if the agent or account is deleted meanwhile.
     */
    async publish(
      agent: AgentDocument,
      publisher: AuthCaller,
      { name, slug, include_files, default_model = null, ...texts }: Publication,
    ): Promise<{ expert: PublishedExpertDocument; left_out: LeftOut[] }> {
      const settings = {
        name: name?.trim() ?? (await chooseName(agent.name)),
        description: texts.description === undefined ? agent.description : texts.description,
        default_model,
        ...pickCharacter({ ...agent, ...texts }),
      }
      await assertNoSecret(settings)
      if (default_model !== null) await models.assertUsable(default_model, publisher.id)
      if (slug !== undefined) await slugs.assertFree(slug)
      return limits.within('published_experts', publisher.id, () =>
        store(agent, publisher, settings, { slug, include_files }),
      )
    },

    /**
     * Changes the settings of agents that are installed from now on. Throws NOT_FOUND, FORBIDDEN, SECRET_IN_SETTINGS,
     * PROVIDER_NOT_VISIBLE or PRECONDITION_FAILED.
     */
    async update(
      key: string,
      reader: Reader,
      { name, description, default_model, ...character }: TypeOf<typeof publishedChanges>,
      request: Conditional,
    ): Promise<PublishedExpertDocument> {
      const expert = await find(reader, key)
      if (!mayEdit(expert, reader)) throw new AppError('FORBIDDEN')
      const unchanged = requireUnchanged(request, expert, expertFields)
      const changes = {
        ...(name !== undefined && { name: name.trim() }),
        ...(description !== undefined && { description }),
        ...(default_model !== undefined && { default_model }),
        ...pickCharacter({ ...expert, ...character }),
      }
      await assertNoSecret(changes)
      if (default_model != null) await models.assertUsable(default_model, reader.id)
      const updated = await published_experts.findOneAndUpdate(
        { _id: expert._id, ...unchanged, ...editableBy(reader) },
        { $set: { ...changes, updated_at: clock.seconds() } },
        { returnDocument: 'after' },
      )
      if (!updated) throw missOf(unchanged, 'NOT_FOUND')
      return updated
    },

    /** Returns what publishing an agent now would copy and leave out. Throws WORKSPACE_TOO_LARGE. */
    async preview(
      agent: AgentDocument,
      include_files: readonly string[] | undefined,
    ): Promise<{ files: string[]; left_out: LeftOut[] }> {
      const folder = ids.make()
      try {
        return await copyFiles(agent, folder, include_files)
      } finally {
        await folders.remove(folder)
      }
    },

    /**
     * Creates an agent from a published expert, by default under the expert's name, made unique. Throws NOT_FOUND, and
     * the errors of creating an agent.
     */
    async install(
      key: string,
      owner: AuthCaller,
      { name, ...changes }: TypeOf<typeof installation>,
      locale: Locale,
    ): Promise<AgentDocument> {
      const expert = await find(owner, key)
      const { _id, slug, description, files, default_model: model } = expert
      const settings = {
        description,
        default_model: model && changes.default_model === undefined ? await ifUsable(model, owner.id) : null,
        ...toInstallable(expert, extensions['agents.experts']),
        ...changes,
      }
      const seed = async (workspace: string) => {
        for (const file of files) await copyInto(join(workspace, file), join(folders.pathOf(_id), file))
      }
      const create = (unusedName: string) =>
        agents.create(owner, { ...settings, name: unusedName }, { locale, seed })
      if (name !== undefined) return create(name)
      return createNumbered(cradle, { owner_id: owner.id, label: expert.name, id: slug }, create)
    },

    /** Clears the id of a deleted agent in the experts that were published from it. */
    async forgetSource(agent_id: string): Promise<void> {
      await published_experts.updateMany({ source_agent_id: agent_id }, { $set: { source_agent_id: null } })
    },

    /** Removes an expert but no installed copies. Throws NOT_FOUND, or FORBIDDEN unless by its creator or an administrator. */
    async remove(key: string, reader: Reader): Promise<void> {
      const expert = await find(reader, key)
      if (!isOwnerOf(expert, reader)) throw new AppError('FORBIDDEN')
      await erase(expert._id)
    },

    /** Removes the folders of processes that died while they published or removed an expert. */
    async clean(signal: AbortSignal): Promise<void> {
      const names = await folders.listOlderThan(clock.now() - ABANDONED_MS)
      const rows = published_experts.find({ _id: { $in: names } }, { projection: { _id: 1 } })
      const storedIds = new Set((await rows.toArray()).map(({ _id }) => _id))
      for (const name of names) {
        if (signal.aborted) return
        if (storedIds.has(name)) continue
        await folders.remove(name)
        log.info({ folder: name }, 'files of an unfinished published expert removed')
      }
    },
  }
}

/** Throws NOT_FOUND if the file is missing because its expert is being removed. */
async function copyInto(path: string, source: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  try {
    await copyFile(source, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new AppError('NOT_FOUND', {}, { cause: error })
  }
}
