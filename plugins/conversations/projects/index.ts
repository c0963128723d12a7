// Owns projects. Threads name their project; `chat` asks for its settings at the start of each turn.
import { createShareable, definePlugin, grantRoutes } from '#plugin-api'
import { manifest } from './manifest.ts'
import { createProjects, type ProjectDocument, type Projects, projectIndexes } from './projects.ts'
import { projectRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    projects: {
      projects: Projects
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('projects', { indexes: projectIndexes })
    host.service('projects', createProjects)
    host.limit('projects', ({ projects }, user_id) => projects.count(user_id))
    host.routes(projectRoutes)
    host.routes(
      grantRoutes({
        kind: 'project',
        path: '/projects/:id',
        title: 'Project',
        noun: 'a project',
        missing: 'PROJECT_NOT_FOUND',
      }),
    )
    host.extend('chat.projects', ({ user_id, project_id }, { projects }) =>
      projects.readSettings(user_id, project_id),
    )
    host.extend('users.removal', ({ user_id }, { projects }) => projects.removeAllOf(user_id))
    host.extend(
      'groups.shareables',
      createShareable<ProjectDocument>({
        name: 'project',
        label: { en: 'Project', zh: '项目' },
        access: ['use', 'edit'],
        is_open: false,
        collection: () => host.cradle.collections.projects,
        owner: 'user_id',
        nameOf: ({ name }) => name,
        find: (caller, key) => host.cradle.projects.findShareable(caller, key),
        changed: (former, current) => host.cradle.projects.noteGrants(former, current),
      }),
    )
    host.on('user.changed', ({ user_id }, { projects }) => projects.release({ user_ids: [user_id] }))
    host.on('group.changed', ({ user_ids }, { projects }) => projects.release({ user_ids }))
    // A backup lacks the projects that were created while it was made.
    host.extend('backup.restored', (_, { projects }) => projects.release())
    host.job({
      name: 'projects.removal',
      every_seconds: 60,
      run: ({ projects }, signal) => projects.finishDeletions(signal),
    })
  },
  // A server that died may have left threads in a deleted project.
  ready: ({ projects }) => projects.finishDeletions(),
})
