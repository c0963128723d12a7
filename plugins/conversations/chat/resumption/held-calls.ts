import type { HeldCall, HeldCallsOfTurn } from '../loop/running-call.ts'
import type { StopReason } from '../turns/turn.ts'
import type { TurnLease } from '../turns/turn-leases.ts'

/** The calls that this process holds for paused turns. */
export type HeldCalls = ReturnType<typeof createHeldCalls>

/** Creates an empty record. */
export function createHeldCalls() {
  const byTurn = new Map<string, { lease: TurnLease; calls: Map<string, HeldCall> }>()

  return {
    of: (lease: TurnLease): HeldCallsOfTurn => ({
      keep(call_id, call) {
        const heldTurn = byTurn.get(lease.turn_id) ?? { lease, calls: new Map() }
        byTurn.set(lease.turn_id, heldTurn)
        heldTurn.calls.set(call_id, call)
      },
      take(call_id) {
        const heldTurn = byTurn.get(lease.turn_id)
        const call = heldTurn?.calls.get(call_id)
        heldTurn?.calls.delete(call_id)
        if (heldTurn?.calls.size === 0) byTurn.delete(lease.turn_id)
        return call
      },
    }),
    /** Lists the turns with held calls. */
    turns: (): TurnLease[] => [...byTurn.values()].map(({ lease }) => lease),
    /** Abandons the calls of the matching turns. */
    abandon(match: (lease: TurnLease) => boolean, reason: StopReason): void {
      for (const { lease, calls } of [...byTurn.values()])
        if (match(lease)) for (const call of [...calls.values()]) call.abandon(reason)
    },
  }
}
