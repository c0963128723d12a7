// Owns projects. Threads name their project; `chat` asks for its settings at the start of each turn.
import { definePlugin } from '#plugin-api'
import { manifest } from './manifest.ts'
import { createProjects, type Projects, projectIndexes } from './projects.ts'
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
    host.extend('chat.projects', ({ user_id, project_id }, { projects }) =>
      projects.readSettings(user_id, project_id),
    )
    host.extend('users.removal', ({ user_id }, { projects }) => projects.removeAllOf(user_id))
    host.extend('backup.restored', (_, { projects }) => projects.repairRestored())
    host.job({
      name: 'projects.removal',
      every_seconds: 60,
      run: ({ projects }, signal) => projects.finishDeletions(signal),
    })
  },
  // A server that died may have left threads in a deleted project.
  ready: ({ projects }) => projects.finishDeletions(),
})
