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
    summary: 'Rebuild the histories of an agent',
    description:
      'Queues the threads of all users of the agent whose history must be rebuilt from its events: imported ones, and those of an older version of the server. Threads that have failed are queued again. The work continues in the background; poll its status.',
    guard: 'editor',
    response: { 200: migrationStarted },
    errors: ['AGENT_BUSY'],
    audit: 'history.migrate',
  }).handle(({ agent }, { historyMigration }) => historyMigration.start(agent)),

  route({
    method: 'GET',
    path: '/agents/:id/history-migration/status',
    operation_id: 'getHistoryMigration',
    summary: 'Get the progress of rebuilding histories',
    description:
      'Counts the threads of the agent whose histories are still to be rebuilt, by state. The work is done when `remaining` is 0.',
    guard: 'editor',
    response: { 200: migrationStatus },
  }).handle(({ agent }, { historyMigration }) => historyMigration.status(agent)),

  route({
    method: 'POST',
    path: '/agents/:id/threads/import',
    operation_id: 'importThread',
    summary: 'Import a thread',
    description:
      'Creates a thread of your own from the file of an export, sent as the field `file` of a form. Its history is empty until it has been rebuilt: the owner of the agent starts that with `POST /agents/{id}/history-migration/start`. Files that the thread refers to are not imported.',
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
