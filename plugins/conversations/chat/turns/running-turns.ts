import type { StopReason, Turn } from './turn.ts'

/** The turns of this process, by thread. */
export type RunningTurns = ReturnType<typeof createRunningTurns>

/** Creates an empty record. */
export function createRunningTurns() {
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
    add(turn: Turn): void {
      byThread.set(turn.thread_id, [...(byThread.get(turn.thread_id) ?? []), turn])
      count(turn.user_id, 1)
    },
    remove(turn: Turn): void {
      const turns = byThread.get(turn.thread_id) ?? []
      if (!turns.includes(turn)) return
      count(turn.user_id, -1)
      const others = turns.filter((other) => other !== turn)
      if (others.length > 0) byThread.set(turn.thread_id, others)
      else byThread.delete(turn.thread_id)
      if (turn.opened) for (const listener of listeners) listener(turn)
    },
    /** Returns the turn that has the thread, or else a turn that is about to take it. */
    get(thread_id: string): Turn | undefined {
      const turns = byThread.get(thread_id)
      return turns?.find(({ opened }) => opened) ?? turns?.at(-1)
    },
    list,
    countOf: (user_id: string): number => counts.get(user_id) ?? 0,
    /** Calls a listener with each turn that had its thread and has ended or paused. */
    onEnd: (listener: (ended: Turn) => void): void => void listeners.push(listener),
    /** Ends the matching turns early and waits until they are settled. */
    async stop(match: (turn: Turn) => boolean, reason: StopReason): Promise<void> {
      await Promise.all(
        list()
          .filter(match)
          .map((turn) => turn.stop(reason)),
      )
    },
    /** Resolves when no turn runs. */
    async idle(): Promise<void> {
      await Promise.all(list().map(({ left }) => left))
    },
  }
}
