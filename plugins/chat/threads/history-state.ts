import type { ThreadDocument } from '../documents.ts'
import { PROJECTION_VERSION } from './projection-version.ts'

/** How often whoever waits for a history may look again, in milliseconds. */
const RETRY_MS = 1000

/** Whether a thread's messages are those of today's projection, and what becomes of them where they are not. */
export interface HistoryState {
  history_status: 'ready' | 'pending' | 'queued' | 'running' | 'failed'
  history_loading: boolean
  history_retry_after_ms: number | null
}

/** The state of a thread's history, as its document tells it. */
export function historyStateOf({
  projection_version = 0,
  migration,
}: Pick<ThreadDocument, 'projection_version' | 'migration'>): HistoryState {
  const isCurrent = projection_version >= PROJECTION_VERSION
  const history_status = isCurrent ? 'ready' : (migration?.status ?? 'pending')
  const history_loading = history_status === 'queued' || history_status === 'running'
  return { history_status, history_loading, history_retry_after_ms: history_loading ? RETRY_MS : null }
}
