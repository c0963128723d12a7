import { nullable, rowOf } from '#kernel'

const text = { type: 'string' } as const
const count = { type: 'integer', minimum: 0 } as const
const boolean = { type: 'boolean' } as const

const statusFields = {
  remaining: { ...count, description: 'Pending, queued and running' },
  pending: { ...count, description: 'Outdated, but not queued' },
  queued: count,
  running: count,
  failed: { ...count, description: 'Queued again by the next start' },
  processing: { ...boolean, description: 'True while a server works on the threads of this agent' },
  agent_busy: { ...boolean, description: "True while an operation of the agent's runtime is in flight" },
  can_start: boolean,
} as const

export const migrationStatus = {
  title: 'HistoryMigration',
  ...rowOf(statusFields),
} as const

export const migrationStarted = {
  title: 'HistoryMigrationStarted',
  ...rowOf({ accepted: { ...count, description: 'Queued by this call' }, ...statusFields }),
} as const

/** POST …/threads/import. */
export const importedThread = {
  title: 'ImportedThread',
  ...rowOf({ thread_id: text, session_key: text, imported_events: count, title: nullable(text) }),
} as const
