import { setTimeout as pause } from 'node:timers/promises'
import {
  type Cost,
  createGroupCommit,
  isUnavailable,
  jointWriterOf,
  type MediaUsage,
  type TokenUsage,
  toBillionths,
  toRepeatable,
  type Write,
} from '#plugin-api'
import type { ModelSpending } from '../providers/types.ts'
import type { Cradle } from './manifest.ts'
import { toDay } from './periods.ts'
import { KEPT_MS } from './reservation.ts'
import type { ChargedBatch, UsageDocument } from './types.ts'
import type { AccountLimits, Batch, Charge } from './usage-counters.ts'

const RETRY_MS = { first: 50, most: 2000 }
/**
 * The time for which a write is retried if it fails for another reason than an unavailable database, in milliseconds.
 */
const PATIENCE_MS = 5000
/** The number of recent calls that are remembered, so that none of them is charged twice. */
const KNOWN_CALLS = 1000
const RECOVERY_BATCH = 200
/** The time after which the totals of accounts follow their counters, in milliseconds. */
const SETTLE_MS = 1000

interface Item {
  user_id: string
  limits: WarnedLimits
  call_id: string
  row: UsageDocument | null
  resolve(): void
  reject(error: unknown): void
}

/** The limits of the account of a call, of which it may have to be warned. */
type WarnedLimits = Pick<AccountLimits, 'budget' | 'timezone'>

const NO_LIMITS: WarnedLimits = { budget: null, timezone: null }

/** The ledger of model calls. */
export type UsageRecords = ReturnType<typeof createUsageRecords>

/**
 * Creates the ledger. Calls that end at the same time are charged together, and their rows are stored right behind the
 * counters. These hold the rows as well, so a crash in between loses none.
 */
export function createUsageRecords({
  collections: { usage },
  usageCounters: counters,
  serverSpending,
  budgetWarnings,
  users,
  clock,
  config: { keep_days },
  log,
  server,
}: Pick<
  Cradle,
  | 'collections'
  | 'usageCounters'
  | 'serverSpending'
  | 'budgetWarnings'
  | 'users'
  | 'clock'
  | 'config'
  | 'log'
  | 'server'
>) {
  const recentCalls = new Map<string, Promise<void>>()
  const jointWriter = jointWriterOf(usage)
  let batches = 0
  /** The accounts whose totals do not include their last charges, with their limits. */
  let unsettled = new Map<string, WarnedLimits>()
  let settling: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let isClosing = false

  /** Retries as long as the database is unavailable; any other failure is retried for PATIENCE_MS. */
  const retry = async (message: string, write: () => Promise<void>): Promise<void> => {
    let deadline = performance.now() + PATIENCE_MS
    for (let wait = RETRY_MS.first; ; wait = Math.min(wait * 2, RETRY_MS.most)) {
      try {
        return await write()
      } catch (error) {
        log.error({ error }, message)
        // A client that was closed does not connect again.
        if (isClosing && (error as Error).name === 'MongoNotConnectedError') throw error
        if (isUnavailable(error) && !isClosing) deadline = performance.now() + PATIENCE_MS
        if (performance.now() > deadline) throw error
        await pause(wait, undefined, { ref: false })
      }
    }
  }

  /** Unix seconds; rows before it are removed. */
  const oldest = () => (keep_days === undefined ? -Infinity : clock.seconds() - keep_days * 86_400)

  /** Charges accounts, and then the server: what a crash in between leaves out is counted by `recover`. */
  const charge = (batch: Batch, charges: Charge[], { is_whole }: { is_whole: boolean }) => {
    let isRepeated = !is_whole
    return retry('usage could not be charged', () => {
      const rows = charges.flatMap((one) => one.rows).map(toRowWrite)
      const writes = [
        ...counters.toWrites(batch, charges),
        ...serverSpending.toWrites({ ...batch, at: clock.now() }, charges, { is_whole }),
        ...(isRepeated ? rows.map(toRepeatable) : rows),
      ]
      isRepeated = true
      return jointWriter.write(writes)
    })
  }

  const toRowWrite = (document: UsageDocument): Write => ({
    name: 'insertOne',
    namespace: usage.namespace,
    document,
  })

  const commits = createGroupCommit<Item>(async (items) => {
    batches += 1
    const batch = { _id: `${server.node_id}:${batches}`, writer: server.node_id, number: batches }
    const charges = groupCharges(items)
    const failures = new Map<string, unknown>()
    try {
      await charge(batch, charges, { is_whole: true })
    } catch {
      // An account that cannot be charged must not prevent the charges of others.
      await Promise.all(
        charges.map((one) =>
          charge(batch, [one], { is_whole: false }).catch((error) => failures.set(one.user_id, error)),
        ),
      )
    }
    const written = items.filter(({ user_id }) => !failures.has(user_id))
    const call_ids = written.map(({ call_id }) => call_id)
    counters.noteEnded(call_ids)
    serverSpending.noteEnded(call_ids)
    for (const { user_id, limits } of written) settleLater(user_id, limits)
    for (const { user_id, row, resolve, reject } of items)
      if (failures.has(user_id)) {
        log.error({ error: failures.get(user_id), row }, 'a model call could not be charged')
        reject(failures.get(user_id))
      } else resolve()
  })

  const settleLater = (user_id: string, limits: WarnedLimits) => {
    unsettled.set(user_id, limits)
    timer ??= setTimeout(settle, SETTLE_MS).unref()
  }

  const settle = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const accounts = unsettled
    unsettled = new Map()
    settling = settling.then(() =>
      retry('the totals of accounts could not be stored', () => raiseTotals(accounts)).catch((error) =>
        log.error({ error, user_ids: [...accounts.keys()] }, 'the totals of accounts are behind'),
      ),
    )
    return settling
  }

  /** Raises the totals of accounts to what their counters say; can be repeated. */
  const raiseTotals = async (accounts: ReadonlyMap<string, WarnedLimits>): Promise<void> => {
    if (accounts.size === 0) return
    const user_ids = [...accounts.keys()]
    const stored = await counters.list(user_ids)
    const missing = await users.raiseTokensUsed(
      new Map(user_ids.map((user_id) => [user_id, stored.get(user_id)?.total ?? 0])),
    )
    await budgetWarnings.check(
      [...accounts].map(([user_id, limits]) => ({ user_id, ...limits, spent: stored.get(user_id)?.spent })),
    )
    // Accounts deleted in the meantime had removed only what was stored at that time.
    if (missing.length > 0) await remove(missing)
  }

  const remove = async (user_ids: readonly string[]): Promise<void> => {
    await counters.remove(user_ids)
    await usage.deleteMany({ user_id: { $in: [...user_ids] } })
  }

  const add = (item: Omit<Item, 'resolve' | 'reject'>): Promise<void> =>
    new Promise((resolve, reject) => commits.add({ ...item, resolve, reject }))

  const addOnce = (item: Omit<Item, 'resolve' | 'reject'>): Promise<void> => {
    const { call_id } = item
    const earlier = recentCalls.get(call_id)
    if (earlier) return earlier
    const added = add(item).catch((error) => {
      recentCalls.delete(call_id)
      throw error
    })
    recentCalls.set(call_id, added)
    if (recentCalls.size > KNOWN_CALLS) recentCalls.delete(recentCalls.keys().next().value!)
    return added
  }

  return {
    /** Charges a call that has ended, once even if it is repeated; resolves when the charge is durable. */
    async record(call: ModelSpending): Promise<void> {
      const { account, call_id, usage } = call
      if (usage === null && !counters.isHeld(call_id) && !serverSpending.isHeld(call_id)) return
      const row = usage && toUsageRow({ ...call, usage }, clock.seconds())
      await addOnce({ user_id: account.user_id, limits: account, call_id, row })
    },
    /** Releases the reservation of a call that was not made. */
    release: (user_id: string, call_id: string): Promise<void> =>
      addOnce({ user_id, limits: NO_LIMITS, call_id, row: null }),
    /** Stores the rows that a crashed process had charged but not stored. */
    async recover(): Promise<void> {
      let charges: { user_id: string; batches: readonly ChargedBatch[] }[] = []
      let newest = 0
      const restore = async () => {
        const rows = charges.flatMap(({ batches }) => batches.flatMap((batch) => batch.rows))
        const storedIds = new Set(await usage.distinct('_id', { _id: { $in: rows.map(({ _id }) => _id) } }))
        const missing = rows.filter(({ _id, ts }) => !storedIds.has(_id) && ts >= oldest())
        const recent = charges.flatMap(({ user_id, batches }) =>
          batches.filter(({ at }) => at > newest - KEPT_MS).map((batch) => ({ user_id, batch })),
        )
        const writes = [
          ...(await serverSpending.toRecoveryWrites(recent)),
          ...missing.map(toRowWrite).map(toRepeatable),
        ]
        if (writes.length > 0) await jointWriter.write(writes)
        await raiseTotals(new Map(charges.map(({ user_id }) => [user_id, NO_LIMITS])))
        charges = []
      }
      for await (const { _id: user_id, batches = [], changed_at = 0 } of counters.listRecent()) {
        newest = Math.max(newest, changed_at)
        charges.push({ user_id, batches })
        if (charges.length === RECOVERY_BATCH) await restore()
      }
      await restore()
    },
    /** Removes everything that is stored of an account, including calls that have just ended. */
    async forget(user_id: string): Promise<void> {
      // Waits behind the charges that are being written.
      await add({ user_id, limits: NO_LIMITS, call_id: '', row: null })
      await settle()
      await remove([user_id])
    },
    /** Removes rows that are older than the settings say, or counts them; counters keep their sums. */
    async prune({ dry_run }: { dry_run: boolean }) {
      const kind = 'usage rows'
      if (keep_days === undefined) return { kind, keep_days: null, count: 0 }
      const old = { ts: { $lt: oldest() } }
      if (dry_run) return { kind, keep_days, count: await usage.countDocuments(old) }
      return { kind, keep_days, count: (await usage.deleteMany(old)).deletedCount }
    },
    /** Stores what is left; writes that come later are no longer retried. */
    async close(): Promise<void> {
      isClosing = true
      await commits.idle()
      await settle()
    },
  }
}

/** Groups ended calls into one charge per account. */
function groupCharges(items: readonly Item[]): Charge[] {
  const charges = new Map<string, Charge>()
  for (const { user_id, limits, call_id, row } of items) {
    const { timezone } = limits
    const charge = charges.get(user_id) ?? { user_id, timezone, rows: [], ended: [] }
    charges.set(user_id, charge)
    charge.ended.push(call_id)
    if (row) charge.rows.push(row)
  }
  return [...charges.values()]
}

/** An upper bound for the tokens of one call; an upstream that reports more is wrong. */
const MAX_TOKENS = 1e12

/** Converts a call that ended at `ts` (Unix seconds) to its row. */
function toUsageRow(
  {
    call_id,
    account,
    model,
    purpose,
    usage,
    media = {},
    is_estimated,
  }: ModelSpending & { usage: TokenUsage },
  ts: number,
): UsageDocument {
  const { user_id, agent_id, thread_id } = account
  const input_tokens = toTokenCount(usage.input_tokens)
  const output_tokens = toTokenCount(usage.output_tokens)
  const cached_input_tokens = toTokenCount(usage.cached_input_tokens)
  const reasoning_tokens = toTokenCount(usage.reasoning_tokens)
  return {
    _id: call_id,
    user_id,
    agent_id,
    thread_id,
    model,
    provider: model.slice(0, model.indexOf(':')),
    purpose,
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    ...(cached_input_tokens && { cached_input_tokens }),
    ...(reasoning_tokens && { reasoning_tokens }),
    ...toMeasures(media),
    ...toStoredCost(usage.cost),
    is_estimated,
    ts,
    day: toDay(ts),
  }
}

/** Converts a cost to whole numbers, which add up exactly. */
const toStoredCost = (cost: Cost | null | undefined): Pick<UsageDocument, 'cost_billionths' | 'currency'> =>
  cost ? { cost_billionths: toBillionths(cost.amount), currency: cost.currency } : {}

/** Reads the measures that a call has. */
function toMeasures({ pictures, characters, seconds, searches }: MediaUsage): MediaUsage {
  const measures = Object.entries({ pictures, characters, seconds, searches })
  return Object.fromEntries(
    measures.flatMap(([name, said]) => (toTokenCount(said) > 0 ? [[name, toTokenCount(said)]] : [])),
  )
}

/** Limits a token count reported by an upstream, which may be the account's own and could report anything. */
const toTokenCount = (said = 0): number =>
  Number.isFinite(said) ? Math.min(Math.max(0, Math.round(said)), MAX_TOKENS) : 0
