import type { TurnLog } from '../ledger/turn-log.ts'
import type { PAUSED } from '../loop/running-call.ts'
import type { Turn } from './turns.ts'

/** The reason why a turn ends before its reply is complete. */
export type StopReason = 'stopped' | 'shutdown' | 'lost' | typeof PAUSED

/** A turn that this process runs or is about to run: `opened` is set once it has its thread. */
export interface RunningTurn {
  thread_id: string
  agent_id: string
  user_id: string
  client_message_id: string | undefined
  abort: AbortController
  opened?: { turn: Turn; log: TurnLog }
}

/** The turns that this process runs, by thread. */
export interface RunningTurns {
  add(running: RunningTurn): void
  remove(running: RunningTurn): void
  /** Returns the turn that has the thread, or else a turn that is about to take it. */
  get(thread_id: string): RunningTurn | undefined
  list(): RunningTurn[]
  countOf(user_id: string): number
  /** Calls a listener with each turn that had its thread and has ended or paused. */
  onEnd(listener: (ended: RunningTurn) => void): void
  /** Ends the matching turns early and waits until they are settled. */
  stop(match: (running: RunningTurn) => boolean, reason: StopReason): Promise<void>
  /** Resolves when no turn runs. */
  idle(): Promise<void>
}

/** Creates an empty record. */
export function createRunningTurns(): RunningTurns {
  const byThread = new Map<string, RunningTurn[]>()
  const waiting = new Map<RunningTurn, (() => void)[]>()
  const counts = new Map<string, number>()
  const listeners: ((ended: RunningTurn) => void)[] = []

  const list = () => [...byThread.values()].flat()

  const settled = (running: RunningTurn) =>
    new Promise<void>((resolve) => waiting.set(running, [...(waiting.get(running) ?? []), resolve]))

  const count = (user_id: string, change: 1 | -1) => {
    const next = (counts.get(user_id) ?? 0) + change
    if (next === 0) counts.delete(user_id)
    else counts.set(user_id, next)
  }

  return {
    add(running) {
      byThread.set(running.thread_id, [...(byThread.get(running.thread_id) ?? []), running])
      count(running.user_id, 1)
    },
    remove(running) {
      const turns = byThread.get(running.thread_id) ?? []
      if (!turns.includes(running)) return
      count(running.user_id, -1)
      const others = turns.filter((other) => other !== running)
      if (others.length > 0) byThread.set(running.thread_id, others)
      else byThread.delete(running.thread_id)
      for (const resolve of waiting.get(running) ?? []) resolve()
      waiting.delete(running)
      if (running.opened) for (const listener of listeners) listener(running)
    },
    get(thread_id) {
      const turns = byThread.get(thread_id)
      return turns?.find(({ opened }) => opened) ?? turns?.at(-1)
    },
    list,
    countOf: (user_id) => counts.get(user_id) ?? 0,
    onEnd: (listener) => void listeners.push(listener),
    async stop(match, reason) {
      const matching = list().filter(match)
      const ends = matching.map(settled)
      for (const { abort } of matching) abort.abort(reason)
      await Promise.all(ends)
    },
    async idle() {
      await Promise.all(list().map(settled))
    },
  }
}
