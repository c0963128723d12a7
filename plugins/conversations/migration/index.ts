import { definePlugin, type LeaseDocument } from '#plugin-api'
import { type AgentLeases, createAgentLeases } from './agent-leases.ts'
import { createHistoryMigration, type HistoryMigration } from './history-migration.ts'
import { manifest } from './manifest.ts'
import { migrationRoutes } from './routes.ts'
import { createThreadImports, type ThreadImportDocument, type ThreadImports } from './thread-imports.ts'

declare module '#kernel/types' {
  interface Collections {
    migration: {
      migration_leases: LeaseDocument
      thread_imports: ThreadImportDocument
    }
  }
  interface PrivateServices {
    migration: {
      agentLeases: AgentLeases
      historyMigration: HistoryMigration
      threadImports: ThreadImports
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('migration_leases')
    host.collection('thread_imports')
    host.service('agentLeases', createAgentLeases)
    host.service('historyMigration', createHistoryMigration)
    host.service('threadImports', createThreadImports)
    host.routes(migrationRoutes)
    host.extend('agents.removal', ({ agent_id }, { agentLeases }) => agentLeases.remove(agent_id))
    host.job({ name: 'migration', every_seconds: 60, run: ({ historyMigration }) => historyMigration.look() })
    host.job({
      name: 'migration.cleaning',
      every_seconds: 600,
      async run({ agentLeases, threadImports }) {
        await agentLeases.clean()
        await threadImports.clean()
      },
    })
  },
  stop: ({ historyMigration }) => historyMigration.stop(),
})
