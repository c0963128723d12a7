import type { HeldCall, HeldCallsOfTurn } from '../loop/running-call.ts'
import type { StopReason } from './running-turns.ts'
import type { Turn } from './turns.ts'

/** The calls that this process holds for paused turns. */
export interface HeldCalls {
  of(turn: Turn): HeldCallsOfTurn
  /** Lists the turns with held calls. */
  turns(): Turn[]
  /** Abandons the calls of the matching turns. */
  abandon(match: (turn: Turn) => boolean, reason: StopReason): void
}

/** Creates an empty record. */
export function createHeldCalls(): HeldCalls {
  const byTurn = new Map<string, { turn: Turn; calls: Map<string, HeldCall> }>()

  return {
    of: (turn) => ({
      keep(call_id, call) {
        const held = byTurn.get(turn.turn_id) ?? { turn, calls: new Map() }
        byTurn.set(turn.turn_id, held)
        held.calls.set(call_id, call)
      },
      take(call_id) {
        const held = byTurn.get(turn.turn_id)
        const call = held?.calls.get(call_id)
        held?.calls.delete(call_id)
        if (held?.calls.size === 0) byTurn.delete(turn.turn_id)
        return call
      },
    }),
    turns: () => [...byTurn.values()].map(({ turn }) => turn),
    abandon(match, reason) {
      for (const { turn, calls } of [...byTurn.values()])
        if (match(turn)) for (const call of [...calls.values()]) call.abandon(reason)
    },
  }
}
