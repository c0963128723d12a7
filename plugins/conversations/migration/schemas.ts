import { nullable, rowOf } from '#plugin-api'

const text = { type: 'string' } as const
const count = { type: 'integer', minimum: 0 } as const
const boolean = { type: 'boolean' } as const

const statusFields = {
  remaining: { ...count, description: 'Pending, queued and running' },
  pending: { ...count, description: 'Outdated, but not queued' },
  queued: { ...count, description: 'Waiting for a server' },
  running: { ...count, description: 'Being rebuilt' },
  failed: { ...count, description: 'Queued again by the next start' },
  processing: { ...boolean, description: 'True while a server works on the threads of this agent' },
  agent_busy: { ...boolean, description: "True while an operation of the agent's runtime is in flight" },
  can_start: { ...boolean, description: 'True if a start would queue a thread' },
} as const

const STATUS = {
  remaining: 3,
  pending: 0,
  queued: 2,
  running: 1,
  failed: 0,
  processing: true,
  agent_busy: false,
  can_start: false,
} as const

export const migrationStatus = {
  title: 'HistoryMigration',
  examples: [STATUS],
  ...rowOf(statusFields),
} as const

export const migrationStarted = {
  title: 'HistoryMigrationStarted',
  examples: [{ accepted: 3, ...STATUS }],
  ...rowOf({ accepted: { ...count, description: 'Queued by this call' }, ...statusFields }),
} as const

/** POST …/threads/import. */
export const importedThread = {
  title: 'ImportedThread',
  ...rowOf({
    thread_id: { ...text, examples: ['thr_01KDVMF0000000000000000001'] },
    session_key: { ...text, examples: ['ses_01KDVMF0000000000000000001'] },
    imported_events: { ...count, examples: [57] },
    title: nullable({ ...text, examples: ['Plans for the week'] }),
  }),
} as const
