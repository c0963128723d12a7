import type { Managed, TypeOf } from '#plugin-api'
import type { deliver, pausedReason, runStatus, timeRule } from './schemas.ts'

/** The times at which a schedule runs. */
export type TimeRule = TypeOf<typeof timeRule>

/** A conversation of a channel, to which answers are delivered. */
export type Destination = TypeOf<typeof deliver>

/** A conversation that exists; one listener is the account of the agent's owner, whose memory may be used there. */
export interface KnownDestination extends Destination {
  listeners: 'one' | 'many'
}

/** The state of a run. */
export type RunStatus = TypeOf<typeof runStatus>

/** The reason for which the server itself has disabled a schedule. */
type PausedReason = TypeOf<typeof pausedReason>

/** The account and the agent of a schedule; part of every query of a client. */
export interface ScheduleOwner {
  user_id: string
  agent_id: string
}

/** A schedule; times are Unix seconds unless they say otherwise. */
export interface ScheduleDocument extends ScheduleOwner, Managed {
  _id: string
  name: string
  prompt: string
  schedule: TimeRule
  enabled: boolean
  thread: 'new' | 'same'
  model: string | null
  deliver: Destination | null
  /** Knowledge bases and connectors of its runs, besides the choices of the agent; missing if none were chosen. */
  knowledge_base_ids?: string[]
  connector_ids?: string[]
  /** The scopes of the credential that it was last changed with, if that is not a session: they limit its runs. */
  scopes: readonly string[] | null
  /** The time from which intervals count. */
  anchor: number
  /** Null if nothing is due any more. */
  next_run_at: number | null
  last_run_at: number | null
  last_status: RunStatus | null
  /** The number of due runs that have failed since the last success or change. */
  failures: number
  paused_reason: PausedReason | null
  /** The thread that its runs continue in, if `thread` is `same` and it has run. */
  thread_id: string | null
  /** The run that has not ended; a schedule has at most one. */
  active_run: ActiveRun | null
  /** The time at which a server must look at it, in Unix milliseconds; null if there is none. */
  wake_at: number | null
  created_at: number
  updated_at: number
}

/** The run of a schedule that has not ended. */
export interface ActiveRun {
  /** Made of the schedule and the due time, so that a due time has one run. */
  run_id: string
  /** Null if a person started it. */
  due_at: number | null
  started_at: number
  thread_id: string
  /** The time at which a server must check if it has started or ended, in Unix milliseconds. */
  check_at: number
  /** Null until the turn is known to have started or to be queued. */
  turn_id: string | null
  is_queued: boolean
}

/** The reason of a failed or skipped run; `details` are the values in its text. */
export interface RunError {
  code: string
  details: Record<string, string | number>
}

/** A run of a schedule, or the note that a due time was skipped; times are Unix seconds. */
export interface RunDocument {
  _id: string
  schedule_id: string
  user_id: string
  agent_id: string
  due_at: number | null
  started_at: number
  ended_at: number | null
  status: RunStatus
  thread_id: string | null
  turn_id: string | null
  error?: RunError
  /** Set until webhooks have heard of its end. */
  is_unreported?: true
}

declare module '#kernel/types' {
  interface Collections {
    schedules: {
      schedules: ScheduleDocument
      schedule_runs: RunDocument
    }
  }
  interface Events {
    /** A run of a schedule has ended, or a due time was skipped. May be emitted again after a crash. */
    'schedule.run_ended': {
      schedule_id: string
      run_id: string
      user_id: string
      agent_id: string
      status: RunStatus
    }
  }
  interface ExtensionPoints {
    /** Finds a conversation of an agent on another platform, by its ids or by its thread; undefined if it does not exist. */
    'schedules.destinations': (
      question: { agent_id: string } & ({ thread_id: string } | Destination),
    ) => Promise<KnownDestination | undefined>
    /**
     * Delivers the answer of a turn that has ended to a conversation, once for each `client_message_id`; false if the
     * conversation does not exist.
     */
    'schedules.deliveries': (
      question: {
        agent_id: string
        thread_id: string
        /** The message that has started the turn. */
        client_message_id: string
        /** The seq before that of the first event of the turn. */
        after_seq: number
      } & Destination,
    ) => Promise<boolean>
  }
}
