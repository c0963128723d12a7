import type { IndexDescription } from 'mongodb'
import type { Locale } from '#plugin-api'
import type { TurnPosition } from '../chat/threads/added-turns.ts'
import type { ImportKind } from './conversation.ts'

/** The results of importing a conversation. */
export const LINE_STATUSES = ['imported', 'unchanged', 'empty', 'failed'] as const

/** The result of importing a conversation. */
export type LineStatus = (typeof LINE_STATUSES)[number]

/** The states of an import; in the first two it has work. */
export const IMPORT_STATES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const

/** The state of an import. */
export type ImportState = (typeof IMPORT_STATES)[number]

/** An error as it is stored, to be described in the language of a reader. */
export interface StoredReason {
  code: string
  details: Record<string, unknown>
}

/** An import of an archive; times are Unix seconds. */
export interface ImportDocument {
  _id: string
  user_id: string
  agent_id: string
  /** The language of texts that the import itself writes. */
  locale: Locale
  filename: string
  /** Bytes of the archive. */
  size: number
  /** The product of the first conversation; null until that is read. */
  kind: ImportKind | null
  state: ImportState
  /** Set while it has work: at most one import of an account has. */
  is_active?: true
  /** The reason of the failure. */
  reason: StoredReason | null
  counts: Record<LineStatus, number>
  /** The index of the next conversation. */
  next: number
  /** The number of attempts since the last progress. */
  attempts: number
  /** Unpacked bytes of JSON: read, and in total. */
  bytes_read: number
  bytes_total: number
  created_at: number
  ended_at: number | null
}

/** The result of one conversation; `_id` has the import and the index. */
export interface ImportLineDocument {
  _id: string
  import_id: string
  user_id: string
  index: number
  title: string | null
  status: LineStatus
  reason: StoredReason | null
  /** Messages that were added. */
  messages: number
  agent_id: string | null
  thread_id: string | null
}

/** A conversation that was imported; `_id` has the account, the kind and the id of the conversation. */
export interface ImportedConversationDocument {
  _id: string
  user_id: string
  thread_id: string
  /** False while its thread is being created. */
  is_complete: boolean
  /** When the conversation was last changed in its product, in Unix milliseconds. */
  updated_at: number | null
  turns: ImportedTurn[]
  /** The import that last added messages, and their number. */
  import_id: string
  added: number
}

/** A turn of an imported conversation: a hash of its texts, and its end in the thread. */
export interface ImportedTurn extends TurnPosition {
  hash: string
}

/** The indexes of imports. */
export const importIndexes: IndexDescription[] = [
  { key: { user_id: 1, _id: -1 } },
  { key: { is_active: 1, user_id: 1 }, unique: true, partialFilterExpression: { is_active: true } },
]

/** The indexes of the lines of reports. */
export const lineIndexes: IndexDescription[] = [
  { key: { import_id: 1, index: 1 } },
  { key: { import_id: 1, status: 1, index: 1 } },
  { key: { user_id: 1 } },
]

/** The indexes of imported conversations. */
export const conversationIndexes: IndexDescription[] = [{ key: { user_id: 1 } }]
