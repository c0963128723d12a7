import { route } from './manifest.ts'
import { importedThread, migrationStarted, migrationStatus } from './schemas.ts'

/** The most bytes of an export that can be imported. */
const EXPORT_BYTES = 64 * 1024 * 1024

/** The routes for migrating an agent's histories and importing threads. */
export const migrationRoutes = [
  route({
    method: 'POST',
    path: '/agents/:id/history-migration/start',
    operation_id: 'startHistoryMigration',
    summary: 'Queue the threads of an agent, of all its users, whose history must be rebuilt',
    guard: 'owner',
    response: { 200: migrationStarted },
    errors: ['AGENT_BUSY'],
    audit: 'history.migrate',
  }).handle(({ agent }, { historyMigration }) => historyMigration.start(agent)),

  route({
    method: 'GET',
    path: '/agents/:id/history-migration/status',
    operation_id: 'getHistoryMigration',
    summary: 'Read the progress of rebuilding histories',
    guard: 'owner',
    response: { 200: migrationStatus },
  }).handle(({ agent }, { historyMigration }) => historyMigration.status(agent)),

  route({
    method: 'POST',
    path: '/agents/:id/threads/import',
    operation_id: 'importThread',
    summary: 'Create a thread from an exported trajectory; its history is shown once it has been migrated',
    guard: 'agent',
    scope: 'chat',
    upload: { max_bytes: EXPORT_BYTES },
    response: { 201: importedThread },
    errors: ['BAD_EXPORT'],
    audit: 'thread.import',
  }).handle(async ({ caller, agent, file }, { threadImports }) => {
    const owner = { user_id: caller.id, agent_id: agent._id }
    const { thread, imported_events } = await threadImports.take(owner, file)
    const { _id: thread_id, session_key, title } = thread
    return { thread_id, session_key, imported_events, title }
  }),
]
