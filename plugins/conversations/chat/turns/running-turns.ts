import type { StopReason, Turn } from './turn.ts'

/** The turns of this process, by thread. */
export interface RunningTurns {
  add(turn: Turn): void
  remove(turn: Turn): void
  /** Returns the turn that has the thread, or else a turn that is about to take it. */
  get(thread_id: string): Turn | undefined
  list(): Turn[]
  countOf(user_id: string): number
  /** Calls a listener with each turn that had its thread and has ended or paused. */
  onEnd(listener: (ended: Turn) => void): void
  /** Ends the matching turns early and waits until they are settled. */
  stop(match: (turn: Turn) => boolean, reason: StopReason): Promise<void>
  /** Resolves when no turn runs. */
  idle(): Promise<void>
}

/** Creates an empty record. */
export function createRunningTurns(): RunningTurns {
  const byThread = new Map<string, Turn[]>()
  const counts = new Map<string, number>()
  const listeners: ((ended: Turn) => void)[] = []

  const list = () => [...byThread.values()].flat()

  const count = (user_id: string, change: 1 | -1) => {
    const next = (counts.get(user_id) ?? 0) + change
    if (next === 0) counts.delete(user_id)
    else counts.set(user_id, next)
  }

  return {
    add(turn) {
      byThread.set(turn.thread_id, [...(byThread.get(turn.thread_id) ?? []), turn])
      count(turn.user_id, 1)
    },
    remove(turn) {
      const turns = byThread.get(turn.thread_id) ?? []
      if (!turns.includes(turn)) return
      count(turn.user_id, -1)
      const others = turns.filter((other) => other !== turn)
      if (others.length > 0) byThread.set(turn.thread_id, others)
      else byThread.delete(turn.thread_id)
      if (turn.opened) for (const listener of listeners) listener(turn)
    },
    get(thread_id) {
      const turns = byThread.get(thread_id)
      return turns?.find(({ opened }) => opened) ?? turns?.at(-1)
    },
    list,
    countOf: (user_id) => counts.get(user_id) ?? 0,
    onEnd: (listener) => void listeners.push(listener),
    async stop(match, reason) {
      await Promise.all(
        list()
          .filter(match)
          .map((turn) => turn.stop(reason)),
      )
    },
    async idle() {
      await Promise.all(list().map(({ left }) => left))
    },
  }
}
