import type { Ledger } from './ledger.ts'
import { isTerminal, type LedgerEvent, seqOf } from './ledger-event.ts'

const PAGE = 200

/**
 * Reads a ledger turn by turn, a changed path like a turn, from `after`, or from its start if that is null, to `upTo`, the end of a turn.
 * Throws if the ledger does not consist of whole turns without gaps.
 */
export async function* readTurns(
  ledger: Pick<Ledger, 'read'>,
  { thread_id, after, upTo }: { thread_id: string; after: number | null; upTo: number },
): AsyncGenerator<LedgerEvent[], void, void> {
  let turn: LedgerEvent[] = []
  let position = after ?? 0
  let isAnywhere = after === null
  while (position < upTo) {
    const page = await ledger.read(thread_id, position, PAGE)
    const events = page.filter((event) => seqOf(event) <= upTo)
    if (events.length === 0 && isAnywhere) return
    if (events.length === 0) throw new Error(`the ledger lacks event ${upTo}, the end of its last turn`)
    for (const event of events) {
      const seq = seqOf(event)
      const [first] = turn
      const isFirst = event.type === 'turn_started' || event.type === 'path_changed'
      if (!first && !isFirst) throw new Error(`event ${seq} belongs to no turn`)
      if (!first && seq !== position + 1 && !isAnywhere)
        throw new Error(`the ledger lacks event ${position + 1}, the start of a turn`)
      if (first && event.turn_id !== first.turn_id) throw new Error(`the turn before event ${seq} has no end`)
      isAnywhere = false
      position = seq
      turn.push(event)
      if (!isTerminal(event)) continue
      yield turn
      turn = []
    }
  }
  if (turn.length > 0) throw new Error(`the turn before event ${position + 1} has no end`)
}
