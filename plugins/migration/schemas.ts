import { nullable, objectOf } from '#kernel'

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
const everyStatusField = [
  'remaining',
  'pending',
  'queued',
  'running',
  'failed',
  'processing',
  'agent_busy',
  'can_start',
] as const

export const migrationStatus = {
  title: 'HistoryMigration',
  ...objectOf(statusFields, everyStatusField),
} as const

export const migrationStarted = {
  title: 'HistoryMigrationStarted',
  ...objectOf({ accepted: { ...count, description: 'Queued by this call' }, ...statusFields }, [
    'accepted',
    ...everyStatusField,
  ]),
} as const

/** POST …/threads/import. */
export const importedThread = {
  title: 'ImportedThread',
  ...objectOf({ thread_id: text, session_key: text, imported_events: count, title: nullable(text) }, [
    'thread_id',
    'session_key',
    'imported_events',
    'title',
  ]),
} as const
