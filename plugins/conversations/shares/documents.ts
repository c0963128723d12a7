import type { IndexDescription } from 'mongodb'
import type { TypeOf } from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { audience, sharedBlock, sharedMessage, sharedSource } from './schemas.ts'

/** The people who may open a share. */
export type Audience = TypeOf<typeof audience>

/** A message of a share as the API shows it. */
export type SharedMessage = TypeOf<typeof sharedMessage>

/** A part of such a message. */
export type SharedBlock = TypeOf<typeof sharedBlock>

/** A source that such a message names. */
export type SharedSource = TypeOf<typeof sharedSource>

/** A link to a snapshot of a thread; `_id` is the secret in its address. Times are Unix seconds. */
export interface ShareDocument {
  _id: string
  user_id: string
  agent_id: string
  thread_id: string
  audience: Audience
  include_steps: boolean
  /** The snapshot that readers see. */
  snapshot_id: string
  title: string | null
  created_at: number
  updated_at: number
  /** Null for a share that does not expire. */
  expires_at: number | null
  /** The number of times that somebody else has opened it. */
  views: number
  /** When its thread was last checked to exist. */
  checked_at: number
}

/** A file of a workspace as a message names it. */
export interface NamedFile {
  path: string
  filename: string
  media_type: string
}

/** A file that a snapshot contains. */
export interface SnapshotFile extends NamedFile {
  file_id: string
  size: number
}

/** A copy of a thread's messages and files. */
export interface SnapshotDocument {
  _id: string
  share_id: string
  user_id: string
  title: string | null
  agent_name: string
  /** Unix seconds. */
  created_at: number
  files: SnapshotFile[]
  /** The size of its files. */
  bytes: number
  /** When it is removed, in Unix seconds; null while its share shows it. */
  delete_at: number | null
}

/** A part of a stored message that names a file, which has no address yet. */
export type FileBlock = NamedFile & ({ type: 'file' } | { type: 'image' })

/** A part of a stored message. */
export type StoredBlock = Exclude<SharedBlock, { url: unknown }> | FileBlock

/** A message as it is stored. */
export type StoredMessage = Omit<SharedMessage, 'content' | 'artifacts'> & {
  content: StoredBlock[]
  artifacts?: NamedFile[]
}

/** True for a part that names a file. */
export const isFileBlock = (block: StoredBlock): block is FileBlock =>
  block.type === 'image' || block.type === 'file'

/** A message of a snapshot. */
export interface SharedMessageDocument {
  /** The id of the snapshot and the position. */
  _id: string
  snapshot_id: string
  position: number
  message: StoredMessage
}

declare module '#kernel/types' {
  interface Collections {
    shares: {
      shares: ShareDocument
      share_snapshots: SnapshotDocument
      shared_messages: SharedMessageDocument
    }
  }
  interface GuardContexts {
    /** Everybody whom the audience of the share in the path includes: accounts, or also people without one. */
    share_reader: { caller?: AuthCaller; share: ShareDocument }
  }
}

/** The indexes for lists, for removals by thread, and for the cleaning. */
export const shareIndexes: IndexDescription[] = [
  { key: { user_id: 1, created_at: -1, _id: -1 } },
  { key: { thread_id: 1 } },
  { key: { checked_at: 1 } },
  { key: { expires_at: 1 }, partialFilterExpression: { expires_at: { $gt: 0 } } },
]

export const snapshotIndexes: IndexDescription[] = [
  { key: { share_id: 1 } },
  { key: { user_id: 1 } },
  { key: { delete_at: 1 }, partialFilterExpression: { delete_at: { $gt: 0 } } },
]

export const sharedMessageIndexes: IndexDescription[] = [{ key: { snapshot_id: 1, position: 1 } }]
