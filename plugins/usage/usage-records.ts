import { setTimeout as pause } from 'node:timers/promises'
import { createGroupCommit, isOnlyDuplicates, isUnavailable } from '#kernel'
import type { ModelCalled } from '../providers/types.ts'
import type { Cradle } from './manifest.ts'
import type { UsageDocument } from './types.ts'
import type { Charge } from './usage-counters.ts'
import { usageRow } from './usage-row.ts'

/** The ledger of model calls. */
export interface UsageRecords {
  /** Charges a call that has ended, once however often it is told; resolves when that is durable. */
  record(call: ModelCalled): Promise<void>
  /** Gives up what a call has reserved that was not made. */
  release(user_id: string, call_id: string): Promise<void>
  /** Resolves when the rows of all calls that were charged before are stored. */
  stored(): Promise<void>
  /** Stores what a process that died had charged and not yet stored. */
  recover(): Promise<void>
  /** Removes all that is kept of an account, calls included that have ended just now. */
  forget(user_id: string): Promise<void>
  /** Stores what is left; what comes later is no longer tried again and again. */
  close(): Promise<void>
}

const RETRY_MS = { first: 50, most: 2000 }
/** For how long a write is tried again that fails for another reason than that the database is away. */
const PATIENCE_MS = 5000
/** How many of the last calls are known, so that none of them counts twice. */
const KNOWN_CALLS = 1000
const RECOVERED_AT_ONCE = 200

interface Item {
  user_id: string
  call_id: string
  row: UsageDocument | null
  resolve(): void
  reject(error: unknown): void
}

/**
 * Makes the ledger: calls that end at the same time are charged together, in one write, and their rows stored in the
 * next. As the charged counters hold the rows until then, a crash in between loses none.
 */
export function createUsageRecords({
  collections: { usage },
  usageCounters: counters,
  users,
  clock,
  log,
  server,
}: Pick<Cradle, 'collections' | 'usageCounters' | 'users' | 'clock' | 'log' | 'server'>): UsageRecords {
  const known = new Map<string, Promise<void>>()
  let batches = 0
  let storing: Promise<void> = Promise.resolve()
  let isClosing = false

  /** Tries again as long as the database is away, and for a while whatever else is wrong. */
  const insist = async (what: string, write: () => Promise<void>): Promise<void> => {
    let deadline = performance.now() + PATIENCE_MS
    for (let wait = RETRY_MS.first; ; wait = Math.min(wait * 2, RETRY_MS.most)) {
      try {
        return await write()
      } catch (error) {
        log.error({ error }, what)
        if (isUnavailable(error) && !isClosing) deadline = performance.now() + PATIENCE_MS
        if (performance.now() > deadline) throw error
        await pause(wait, undefined, { ref: false })
      }
    }
  }

  const charge = (batch: string, charges: Charge[]) =>
    insist('usage cannot be charged', () => counters.charge(batch, charges))

  const commits = createGroupCommit<Item>(async (items) => {
    batches += 1
    const batch = `${server.node_id}:${batches}`
    const charges = chargesOf(items)
    const failures = new Map<string, unknown>()
    try {
      await charge(batch, charges)
    } catch {
      // An account that cannot be charged must not keep the others from it.
      await Promise.all(
        charges.map((one) => charge(batch, [one]).catch((error) => failures.set(one.user_id, error))),
      )
    }
    storing = store(charges.filter(({ user_id }) => !failures.has(user_id)))
    for (const { user_id, row, resolve, reject } of items)
      if (failures.has(user_id)) {
        log.error({ error: failures.get(user_id), row }, 'a model call could not be charged')
        reject(failures.get(user_id))
      } else resolve()
    await storing
  })

  const store = async (charges: readonly Charge[]): Promise<void> => {
    const rows = charges.flatMap((charge) => charge.rows)
    try {
      await insist('usage cannot be stored', () => settle(charges, rows))
    } catch (error) {
      log.error({ error, rows }, 'the rows of model calls could not be stored')
    }
  }

  /** Does what follows from charged counters, as often as need be. */
  const settle = async (
    charges: readonly Pick<Charge, 'user_id'>[],
    rows: UsageDocument[],
  ): Promise<void> => {
    const user_ids = charges.map(({ user_id }) => user_id)
    if (user_ids.length === 0) return
    const found = await counters.listTotals(user_ids)
    const totals = new Map(user_ids.map((user_id) => [user_id, found.get(user_id) ?? 0]))
    const [missing] = await Promise.all([users.raiseTokensUsed(totals), insert(rows)])
    // Accounts that were deleted meanwhile have had removed what was there then.
    if (missing.length > 0) await remove(missing)
  }

  const insert = async (rows: UsageDocument[]): Promise<void> => {
    if (rows.length === 0) return
    try {
      await usage.insertMany(rows, { ordered: false })
    } catch (error) {
      if (!isOnlyDuplicates(error)) throw error
    }
  }

  const remove = async (user_ids: readonly string[]): Promise<void> => {
    await counters.remove(user_ids)
    await usage.deleteMany({ user_id: { $in: [...user_ids] } })
  }

  const add = (item: Pick<Item, 'user_id' | 'call_id' | 'row'>): Promise<void> =>
    new Promise((resolve, reject) => commits.add({ ...item, resolve, reject }))

  const addOnce = (item: Pick<Item, 'user_id' | 'call_id' | 'row'>): Promise<void> => {
    const { call_id } = item
    const before = known.get(call_id)
    if (before) return before
    const added = add(item).catch((error) => {
      known.delete(call_id)
      throw error
    })
    known.set(call_id, added)
    if (known.size > KNOWN_CALLS) known.delete(known.keys().next().value!)
    return added
  }

  return {
    async record(call) {
      const { account, call_id, usage } = call
      if (usage === null && account.token_quota === null) return
      const row = usage && usageRow({ ...call, usage }, clock.seconds())
      await addOnce({ user_id: account.user_id, call_id, row })
    },
    release: (user_id, call_id) => addOnce({ user_id, call_id, row: null }),
    stored: () => storing,
    async recover() {
      let charges: Charge[] = []
      const restore = async () => {
        const rows = charges.flatMap((charge) => charge.rows)
        const there = await usage.distinct('_id', { _id: { $in: rows.map(({ _id }) => _id) } })
        const stored = new Set(there)
        await settle(
          charges,
          rows.filter(({ _id }) => !stored.has(_id)),
        )
        charges = []
      }
      for await (const { _id: user_id, batches = [] } of counters.listRecent()) {
        charges.push({ user_id, rows: batches.flatMap(({ rows }) => rows), ended: [] })
        if (charges.length === RECOVERED_AT_ONCE) await restore()
      }
      await restore()
    },
    async forget(user_id) {
      // Behind what is being charged.
      await add({ user_id, call_id: '', row: null })
      await storing
      await remove([user_id])
    },
    async close() {
      isClosing = true
      await commits.idle()
    },
  }
}

/** What ended calls come to for each of their accounts. */
function chargesOf(items: readonly Item[]): Charge[] {
  const charges = new Map<string, Charge>()
  for (const { user_id, call_id, row } of items) {
    const charge = charges.get(user_id) ?? { user_id, rows: [], ended: [] }
    charges.set(user_id, charge)
    charge.ended.push(call_id)
    if (row) charge.rows.push(row)
  }
  return [...charges.values()]
}
