import type { Filter, IndexDescription } from 'mongodb'
import {
  AppError,
  type Conditional,
  findPage,
  grantedAccess,
  isChangedOnlyBy,
  isEditableBy,
  isGrantedTo,
  listLosers,
  missOf,
  type PageRequest,
  type Person,
  requireUnchanged,
  type Shared,
  type StoredGrant,
  sharingIndexes,
  type TypeOf,
} from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { ProjectSettings } from '../chat/threads/thread-projects.ts'
import type { Cradle } from './manifest.ts'
import type { newProject, projectChanges } from './schemas.ts'

/** The indexes for lists, and for what is removed. */
export const projectIndexes: IndexDescription[] = [
  { key: { user_id: 1, _id: 1 } },
  ...sharingIndexes,
  { key: { deleted_at: 1 }, partialFilterExpression: { deleted_at: { $exists: true } } },
]

/** The fields that the entity tag of a project is made from. */
export const projectFields = ['name', 'description', 'instructions', 'knowledge_base_ids'] as const

/**
 * The time for which the id of a deleted project is kept, in seconds. A request or a backup that has read the project just
 * before may still put threads into it; they are taken out again meanwhile.
 */
const KEEP_ID_SECONDS = 3600

/** A project of an account. Of a deleted one, only the owner and the time of the deletion (Unix seconds) are left. */
export interface ProjectDocument extends Shared {
  _id: string
  user_id: string
  name: string
  description: string | null
  instructions: string | null
  knowledge_base_ids: string[]
  /** Unix seconds. */
  created_at: number
  deleted_at?: number
}

declare module '#kernel/types' {
  interface Collections {
    projects: {
      projects: ProjectDocument
    }
  }
  interface Events {
    /** A project is new or gone, or has changed, for an account and for those with these grants. */
    'project.changed': { project_id: string; user_id: string; grants: StoredGrant[] }
  }
}

/** The fields of a project that are removed when it is deleted. */
const CONTENTS = { name: 1, description: 1, instructions: 1, knowledge_base_ids: 1, grants: 1 } as const

const live = { deleted_at: { $exists: false } }

/** The projects of all accounts; who may see them is part of every query. */
export type Projects = ReturnType<typeof createProjects>

/** Creates the store of projects. */
export function createProjects({
  agents,
  collections: { projects },
  clock,
  events,
  ids,
  limits,
  threads,
  users,
}: Pick<Cradle, 'agents' | 'collections' | 'clock' | 'events' | 'ids' | 'limits' | 'threads' | 'users'>) {
  const visibleTo = (person: Person): Filter<ProjectDocument> => ({
    ...live,
    $or: [{ user_id: person.id }, isGrantedTo(person)],
  })

  const noteChange = ({ _id: project_id, user_id, grants = [] }: ProjectDocument, after: Shared = {}) =>
    void events.emit('project.changed', { project_id, user_id, grants: [...grants, ...(after.grants ?? [])] })

  const findOne = async (filter: Filter<ProjectDocument>): Promise<ProjectDocument> => {
    const project = await projects.findOne(filter)
    if (!project) throw new AppError('PROJECT_NOT_FOUND')
    return project
  }

  /** Throws PROJECT_NOT_FOUND unless the project is the account's or shared with it. */
  const get = (person: Person, _id: string) => findOne({ _id, ...visibleTo(person) })

  /** Returns the part of a project that applies to the threads of an account; undefined if it sees no such project. */
  const readSettings = async (user_id: string, _id: string): Promise<ProjectSettings | undefined> => {
    const account = await users.findRecent(user_id)
    if (!account) return undefined
    const projection = { instructions: 1, knowledge_base_ids: 1, user_id: 1, grants: 1 } as const
    const filter = { _id, ...visibleTo({ id: user_id, groups: account.group_ids }) }
    const project = await projects.findOne(filter, { projection })
    if (!project) return undefined
    const { instructions, knowledge_base_ids, user_id: owner_id, grants } = project
    const is_own = isChangedOnlyBy({ id: user_id }, { owner_id, ...(grants && { grants }) })
    return { instructions, knowledge_base_ids, is_own }
  }

  /** Takes threads out of the projects that their accounts do not see: of all threads, of accounts, or in one project. */
  const release = async (selected: { project_id?: string; user_ids?: readonly string[] } = {}) => {
    for (const { user_id, project_id } of await threads.listProjects(selected)) {
      if (await readSettings(user_id, project_id)) continue
      await threads.leaveProjects([project_id], user_id)
      await events.emit('project.changed', { project_id, user_id, grants: [] })
    }
  }

  return {
    get,

    /** Does the same, and finds every project for administrators. */
    findShareable: (
      caller: Pick<AuthCaller, 'id' | 'groups' | 'role'>,
      _id: string,
    ): Promise<ProjectDocument> => (caller.role === 'admin' ? findOne({ _id, ...live }) : get(caller, _id)),

    readSettings,
    release,

    /** Announces another list of grants; threads of accounts that lose the project leave it. */
    async noteGrants(former: ProjectDocument, current: ProjectDocument): Promise<void> {
      if (listLosers(former, current).length > 0) await release({ project_id: current._id })
      noteChange(former, current)
    },

    /**
     * Lists an account's own projects, then those that others share with it, each oldest first. Throws VALIDATION_FAILED
     * for an unknown cursor.
     */
    list: (person: Person, page: PageRequest) =>
      findPage(
        projects,
        {
          parts: [
            { user_id: person.id, ...live },
            { ...isGrantedTo(person), user_id: { $ne: person.id }, ...live },
          ],
          sort: { _id: 1 },
          bytesOf: (project) => Buffer.byteLength(JSON.stringify(project)),
        },
        page,
      ),

    count: (user_id: string) => projects.countDocuments({ user_id, ...live }),

    /** Throws LIMIT_REACHED, KNOWLEDGE_BASE_NOT_FOUND. */
    async create(user_id: string, settings: TypeOf<typeof newProject>): Promise<ProjectDocument> {
      await agents.assertSearchable(user_id, settings.knowledge_base_ids)
      const project: ProjectDocument = {
        _id: ids.make('prj_'),
        user_id,
        name: '',
        description: null,
        instructions: null,
        knowledge_base_ids: [],
        ...toStored(settings),
        created_at: clock.seconds(),
      }
      await limits.within('projects', user_id, () => projects.insertOne(project))
      // A concurrent deletion of the account did not see this project.
      if (!(await users.find(user_id))) {
        await projects.deleteOne({ _id: project._id })
        throw new AppError('AUTH_FAILED')
      }
      noteChange(project)
      return project
    },

    /** Throws PROJECT_NOT_FOUND, FORBIDDEN, KNOWLEDGE_BASE_NOT_FOUND, PRECONDITION_FAILED. */
    async update(
      person: Person,
      _id: string,
      changes: TypeOf<typeof projectChanges>,
      request: Conditional,
    ): Promise<ProjectDocument> {
      const project = await get(person, _id)
      if (!mayEdit(project, person)) throw new AppError('FORBIDDEN')
      // Others may leave the bases that are there, also those that only the owner can search.
      const left = project.user_id === person.id ? [] : project.knowledge_base_ids
      await agents.assertSearchable(
        person.id,
        changes.knowledge_base_ids?.filter((id) => !left.includes(id)),
      )
      const unchanged = requireUnchanged(request, project, projectFields)
      const updated = await projects.findOneAndUpdate(
        { _id, ...live, $or: [{ user_id: person.id }, isEditableBy(person)], ...unchanged },
        { $set: toStored(changes) },
        { returnDocument: 'after' },
      )
      if (!updated) throw missOf(unchanged, 'PROJECT_NOT_FOUND')
      noteChange(updated)
      return updated
    },

    /** Deletes a project; its threads stay, without a project. Throws PROJECT_NOT_FOUND, and FORBIDDEN unless by its owner. */
    async delete(person: Person, _id: string): Promise<void> {
      const deleted = await projects.findOneAndUpdate(
        { _id, user_id: person.id, ...live },
        { $set: { deleted_at: clock.seconds() }, $unset: CONTENTS },
      )
      if (!deleted) {
        await get(person, _id)
        throw new AppError('FORBIDDEN')
      }
      await threads.leaveProjects([_id])
      noteChange(deleted)
    },

    /** Takes the threads out of deleted projects, also after a crash, and forgets the projects some time later. */
    async finishDeletions(signal?: AbortSignal): Promise<void> {
      const oldest = clock.seconds() - KEEP_ID_SECONDS
      const deleted = await projects.find({ deleted_at: { $gte: 0 } }, { projection: { _id: 1 } }).toArray()
      if (signal?.aborted) return
      if (deleted.length > 0) await threads.leaveProjects(deleted.map(({ _id }) => _id))
      await projects.deleteMany({ deleted_at: { $lt: oldest } })
    },

    /** Removes the projects of a deleted account; threads of others leave them. */
    async removeAllOf(user_id: string): Promise<void> {
      const shared = await projects.find({ user_id, 'grants.0': { $exists: true }, ...live }).toArray()
      await projects.updateMany(
        { user_id, ...live },
        { $set: { deleted_at: clock.seconds() }, $unset: CONTENTS },
      )
      const deleted = await projects.find({ user_id }, { projection: { _id: 1 } }).toArray()
      await threads.leaveProjects(deleted.map(({ _id }) => _id))
      await projects.deleteMany({ user_id })
      for (const project of shared) noteChange(project)
    },
  }
}

/** True if this account may change the project. */
export const mayEdit = (project: ProjectDocument, person: Person): boolean =>
  project.user_id === person.id || grantedAccess(project, person) === 'edit'

/** Returns settings as they are stored: the database cannot store half a character. */
const toStored = ({
  name,
  description,
  instructions,
  knowledge_base_ids,
}: TypeOf<typeof projectChanges>) => ({
  ...(name !== undefined && { name: name.trim().toWellFormed() }),
  ...(description !== undefined && { description: description?.toWellFormed() ?? null }),
  ...(instructions !== undefined && { instructions: instructions?.toWellFormed() ?? null }),
  ...(knowledge_base_ids && { knowledge_base_ids: [...knowledge_base_ids] }),
})
