import type { Collection } from 'mongodb'
import type { Write } from '#toolbox'
import type { Artifact, Source, ThreadDocument } from '../documents.ts'
import { toAppendNewest } from './references.ts'

/** The changes that an ending turn makes to its thread. */
interface ThreadProgress {
  thread_id: string
  turn_id: string
  last_seq: number
  /** Unix seconds. */
  last_active: number
  title: string
  artifacts: readonly Artifact[]
  sources: readonly Source[]
  unseen: boolean
}

/** Returns the write that ends the active turn of a thread; it can be repeated. */
export const toProgressWrite = (
  { thread_id, turn_id, last_seq, last_active, title, artifacts, sources, unseen }: ThreadProgress,
  { namespace }: Collection<ThreadDocument>,
): Write => ({
  name: 'updateOne',
  namespace,
  filter: { _id: thread_id, 'active_turn.turn_id': turn_id },
  update: [
    {
      $set: {
        active_turn: null,
        last_seq,
        last_active,
        title: { $ifNull: ['$title', { $literal: title }] },
        ...(unseen ? { unread: { $add: ['$unread', 1] } } : {}),
        ...(artifacts.length > 0 ? { artifacts: toAppendNewest('artifacts', 'path', artifacts) } : {}),
        ...(sources.length > 0 ? { sources: toAppendNewest('sources', 'id', sources) } : {}),
      },
    },
  ],
})
