import type { IndexDescription } from 'mongodb'
import { unreportedIndex } from '../ledger/unreported-turns.ts'
import { migrationIndexes } from './thread-migrations.ts'

/** The order of lists: pinned threads first, then by last activity; within one second, newer threads first. */
export const LIST_ORDER = { pinned: -1, last_active: -1, _id: -1 } as const

/** The indexes for lists: the threads of an account with one agent, with all agents, and of a project. */
export const LISTS = {
  agent: { user_id: 1, agent_id: 1, ...LIST_ORDER },
  account: { user_id: 1, ...LIST_ORDER },
  project: { user_id: 1, project_id: 1, ...LIST_ORDER },
} as const
/** The index that the threads of projects are counted with, and found when they leave their project. */
export const PROJECT_COUNTS = { project_id: 1, user_id: 1, archived: 1 } as const
const inProject = { partialFilterExpression: { project_id: { $exists: true } } }

/** The indexes for listing, resuming, counting, recovering, rebuilding and removing threads. */
export const threadIndexes: IndexDescription[] = [
  { key: LISTS.agent },
  { key: LISTS.account },
  { key: LISTS.project, ...inProject },
  { key: PROJECT_COUNTS, ...inProject },
  { key: { session_key: 1 }, unique: true },
  { key: { agent_id: 1, projection_version: 1 } },
  ...migrationIndexes,
  unreportedIndex,
  {
    key: { 'active_turn.lease_until': 1 },
    partialFilterExpression: { 'active_turn.lease_until': { $exists: true } },
  },
  {
    key: { 'active_turn.paused.expires_at': 1 },
    partialFilterExpression: { 'active_turn.paused.expires_at': { $exists: true } },
  },
  { key: { user_id: 1, agent_id: 1, unread: 1 }, partialFilterExpression: { unread: { $gt: 0 } } },
  { key: { deleted_at: 1 }, partialFilterExpression: { deleted_at: { $exists: true } } },
  { key: { 'base.thread_id': 1 }, partialFilterExpression: { 'base.thread_id': { $exists: true } } },
]
