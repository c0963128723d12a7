import type { ThreadOwner } from './threads.ts'

/** Selects threads that are not removed, including unfinished forks. */
export const notRemoved = { deleted_at: null }

/** Selects the threads that their users see. */
export const visible = { deleted_at: { $exists: false } }

/** A thread and its owner. */
export interface OwnedThread extends ThreadOwner {
  thread_id: string
}

/** A turn, its thread and its owner. */
interface OwnedTurn extends OwnedThread {
  turn_id: string
}

declare module '#kernel/types' {
  interface Events {
    /** A thread was created, renamed, pinned, read or otherwise changed, except by a turn. */
    'thread.changed': OwnedThread
    /** A thread was deleted. May come again after a crash. */
    'thread.deleted': OwnedThread
    /** A turn has started, and the message that it answers is stored. */
    'turn.started': OwnedTurn
    /** A call of a tool has ended; `ms` leaves out the time that it waited for people. */
    'tool.called': OwnedTurn & { name: string; is_error: boolean; ms: number; ended_ms: number }
    /** A turn has paused until a person decides about its calls. */
    'approval.requested': OwnedTurn & { pending_id: string; expires_at: number }
    /** The wait for a person has ended: by a decision, by a stop or because it took too long. */
    'approval.resolved': OwnedTurn & { pending_id: string; outcome: 'decided' | 'expired' | 'stopped' }
  }
}

/** Returns the fields of a thread that its facts begin with. */
export const toOwnedThread = ({
  _id: thread_id,
  agent_id,
  user_id,
}: ThreadOwner & { _id: string }): OwnedThread => ({
  thread_id,
  agent_id,
  user_id,
})
