import { AppError } from '#plugin-api'
import type { ThreadDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'

/** The settings of a project that apply to its threads. */
export interface ProjectSettings {
  instructions: string | null
  knowledge_base_ids: readonly string[]
  /** True if nobody but the account can change them. */
  is_own: boolean
}

declare module '#kernel/types' {
  interface ExtensionPoints {
    /** Returns the settings that a project has for the threads of an account; undefined if the account sees no such project. */
    'chat.projects': (question: {
      user_id: string
      project_id: string
    }) => Promise<ProjectSettings | undefined>
  }
}

/** The projects of threads; the plugin that owns projects decides about them. */
export type ThreadProjects = ReturnType<typeof createThreadProjects>

/** Creates the projects of threads. */
export function createThreadProjects({ extensions, threads }: Pick<Cradle, 'extensions' | 'threads'>) {
  const point = extensions['chat.projects']
  const find = async (user_id: string, project_id: string): Promise<ProjectSettings | undefined> =>
    (await point.ask({ user_id, project_id })).find((settings) => settings !== undefined)

  return {
    /** Returns the settings of the project of a thread; undefined if it has none. */
    read: async ({ user_id, project_id }: ThreadDocument): Promise<ProjectSettings | undefined> =>
      project_id === undefined ? undefined : find(user_id, project_id),

    /** Throws PROJECT_NOT_FOUND if the account does not see the project, and VALIDATION_FAILED if the server has no projects. */
    async assertVisible(user_id: string, project_id: string | null | undefined): Promise<void> {
      if (typeof project_id !== 'string') return
      if (point.list().length === 0)
        throw new AppError('VALIDATION_FAILED', {
          issues: [
            {
              path: '/project_id',
              rule: 'plugin',
              message: 'is not supported: no plugin of this server has projects',
            },
          ],
        })
      if (!(await find(user_id, project_id))) throw new AppError('PROJECT_NOT_FOUND')
    },

    /** Takes a thread that was just written out of its project if its account no longer sees the project. */
    async settle(thread: ThreadDocument): Promise<ThreadDocument> {
      const { _id, user_id, project_id } = thread
      if (project_id === undefined || point.list().length === 0 || (await find(user_id, project_id)))
        return thread
      await threads.leaveProjects([project_id], user_id)
      return threads.get(thread, _id)
    },
  }
}
