import type { IndexDescription } from 'mongodb'
import {
  AppError,
  type Conditional,
  findPage,
  missOf,
  type PageRequest,
  requireUnchanged,
  type TypeOf,
} from '#plugin-api'
import type { ProjectSettings } from '../chat/threads/thread-projects.ts'
import type { Cradle } from './manifest.ts'
import type { newProject, projectChanges } from './schemas.ts'

/** The indexes for lists, and for what is removed. */
export const projectIndexes: IndexDescription[] = [
  { key: { user_id: 1, _id: 1 } },
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
export interface ProjectDocument {
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
    /** A project of an account is new or gone, or its settings have changed. */
    'project.changed': { project_id: string; user_id: string }
  }
}

const live = { deleted_at: { $exists: false } }

/** The projects of all accounts; the owner is part of every query. */
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
  const noteChange = (user_id: string, project_id: string) =>
    void events.emit('project.changed', { project_id, user_id })

  return {
    /** Throws PROJECT_NOT_FOUND. */
    async get(user_id: string, _id: string): Promise<ProjectDocument> {
      const project = await projects.findOne({ _id, user_id, ...live })
      if (!project) throw new AppError('PROJECT_NOT_FOUND')
      return project
    },

    /** Returns the part of a project that applies to its threads; undefined if the account has no such project. */
    async readSettings(user_id: string, _id: string): Promise<ProjectSettings | undefined> {
      const projection = { _id: 0, instructions: 1, knowledge_base_ids: 1 } as const
      return (await projects.findOne({ _id, user_id, ...live }, { projection })) ?? undefined
    },

    /** Lists the projects of an account, oldest first. Throws VALIDATION_FAILED for an unknown cursor. */
    list: (user_id: string, page: PageRequest) =>
      findPage(
        projects,
        {
          parts: [{ user_id, ...live }],
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
      noteChange(user_id, project._id)
      return project
    },

    /** Throws PROJECT_NOT_FOUND, KNOWLEDGE_BASE_NOT_FOUND, PRECONDITION_FAILED. */
    async update(
      project: ProjectDocument,
      changes: TypeOf<typeof projectChanges>,
      request: Conditional,
    ): Promise<ProjectDocument> {
      const { _id, user_id } = project
      await agents.assertSearchable(user_id, changes.knowledge_base_ids)
      const unchanged = requireUnchanged(request, project, projectFields)
      const updated = await projects.findOneAndUpdate(
        { _id, user_id, ...live, ...unchanged },
        { $set: toStored(changes) },
        { returnDocument: 'after' },
      )
      if (!updated) throw missOf(unchanged, 'PROJECT_NOT_FOUND')
      noteChange(user_id, _id)
      return updated
    },

    /** Deletes a project; its threads stay, without a project. Throws PROJECT_NOT_FOUND. */
    async delete(user_id: string, _id: string): Promise<void> {
      const contents = { name: 1, description: 1, instructions: 1, knowledge_base_ids: 1 } as const
      const { matchedCount } = await projects.updateOne(
        { _id, user_id, ...live },
        { $set: { deleted_at: clock.seconds() }, $unset: contents },
      )
      if (matchedCount === 0) throw new AppError('PROJECT_NOT_FOUND')
      await threads.leaveProjects(user_id, [_id])
      noteChange(user_id, _id)
    },

    /** Takes the threads out of deleted projects, also after a crash, and forgets the projects some time later. */
    async finishDeletions(signal?: AbortSignal): Promise<void> {
      const oldest = clock.seconds() - KEEP_ID_SECONDS
      const idsByUser = new Map<string, string[]>()
      for await (const { _id, user_id } of projects.find({ deleted_at: { $gte: 0 } })) {
        const idsOfUser = idsByUser.get(user_id) ?? []
        idsOfUser.push(_id)
        idsByUser.set(user_id, idsOfUser)
      }
      for (const [user_id, project_ids] of idsByUser) {
        if (signal?.aborted) return
        await threads.leaveProjects(user_id, project_ids)
      }
      await projects.deleteMany({ deleted_at: { $lt: oldest } })
    },

    /** Takes threads out of projects that a backup does not have because they were created while it was made. */
    async repairRestored(): Promise<void> {
      for (const { user_id, project_id } of await threads.listProjects())
        if (!(await projects.findOne({ _id: project_id, user_id, ...live }, { projection: { _id: 1 } })))
          await threads.leaveProjects(user_id, [project_id])
    },

    /** Removes the projects of a deleted account, whose threads are removed as well. */
    async removeAllOf(user_id: string): Promise<void> {
      await projects.deleteMany({ user_id })
    },
  }
}

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
