import { setTimeout as pause } from 'node:timers/promises'
import { acquireLease, isUnavailable, type UnreportedRecord, untilTick, type WebhookFact } from '#plugin-api'
import type { Account } from '../../identity/users/types.ts'
import { isAbout, mayHear } from './hearing.ts'
import type { Cradle } from './manifest.ts'
import type { WebhookDocument } from './types.ts'

/** The longest time without a look at the records, which finds what no event has told, in milliseconds. */
const IDLE_MS = 10_000
/** The name of the lease with which one server at a time collects. */
const LEASE = 'collector'
const LEASE_MS = 20_000
/** The records of one source that are read at a time. */
const BATCH = 100

/** Turns what has happened into deliveries. */
export type WebhookCollector = ReturnType<typeof createWebhookCollector>

/**
 * Creates the collector. It reads records that their plugins have marked as unreported, stores the deliveries, and only
 * then has the marks removed: a process that dies in between leaves the marks, and the deliveries that it has stored are
 * found by their ids. There is no position in time behind which a record that becomes visible late could be missed. Events
 * of the process are only a signal to look now.
 */
export function createWebhookCollector(cradle: Cradle) {
  const { webhooks, webhookDeliveries: deliveries, webhookSender, collections, extensions, users } = cradle
  const { clock, log, server, signals } = cradle
  const ending = new AbortController()
  let waking = new AbortController()
  let running: Promise<void> | undefined
  let isRequested = false
  /** True while there was no webhook at the last look: events are no reason for another one then. */
  let hasNone = false

  const hold = () => {
    const now = clock.now()
    const request = { name: LEASE, holder: server.node_id, now, until: now + LEASE_MS }
    return acquireLease(collections.webhook_leases, request)
  }

  /** Stores the deliveries of facts to a webhook, in their order; returns how many there are. */
  const store = async (
    webhook: WebhookDocument,
    account: Account,
    facts: readonly WebhookFact[],
  ): Promise<number> => {
    const ownFacts: WebhookFact[] = []
    for (const fact of facts)
      if (
        isAbout(webhook, fact, account.role === 'admin') &&
        (await mayHear({ user_id: account._id, agent_id: fact.agent_id }, cradle))
      )
        ownFacts.push(fact)
    if (ownFacts.length === 0) return 0
    const first = await webhooks.takePositions(webhook._id, ownFacts.length)
    if (first === null) return 0
    const documents = ownFacts.map((fact, index) => deliveries.toDelivery(webhook, fact, first + index))
    await deliveries.add(webhook._id, documents)
    return ownFacts.length
  }

  /** Reads one batch of every source, unless no webhook would hear of it; returns the number of records. */
  const collect = async (): Promise<number> => {
    hasNone = false
    const enabled = await webhooks.listEnabled()
    hasNone = enabled.length === 0
    if (enabled.length === 0 || !(await hold())) return 0
    const rows = await users.listByIds([...new Set(enabled.map(({ user_id }) => user_id))])
    const accounts = new Map(rows.filter((account) => account.enabled).map((row) => [row._id, row]))
    const since = Math.min(...enabled.map(({ hears_since }) => hears_since))
    const question = { user_ids: [...accounts.keys()], since, limit: BATCH }
    const records: UnreportedRecord[] = []
    for (const source of extensions['webhooks.sources'].list())
      try {
        records.push(...(await source(question)))
      } catch (error) {
        if (isUnavailable(error)) throw error
        log.error({ error }, 'records for webhooks could not be read')
      }
    records.sort((one, other) => (one.facts[0]?.at ?? 0) - (other.facts[0]?.at ?? 0))
    const facts = records.flatMap((record) => record.facts)
    let stored = 0
    for (const webhook of enabled) {
      const account = accounts.get(webhook.user_id)
      if (account) stored += await store(webhook, account, facts)
    }
    for (const record of records) await record.settle()
    if (stored > 0) webhookSender.wake()
    return records.length
  }

  const run = async () => {
    while (!ending.signal.aborted) {
      waking = new AbortController()
      const { signal } = waking
      isRequested = false
      try {
        while (!ending.signal.aborted && (await collect()) > 0);
      } catch (error) {
        if (!isUnavailable(error))
          log.error({ error }, 'deliveries for webhooks could not be stored; retrying')
      }
      // Rejects only when aborted, which ends the wait.
      if (!isRequested) await pause(untilTick(IDLE_MS), undefined, { signal }).catch(() => undefined)
    }
  }

  const wakeHere = () => {
    isRequested = true
    waking.abort()
  }

  const wakeIfUsed = () => {
    if (!hasNone) wakeHere()
  }

  return {
    /** Looks at the records now, in whichever server collects. */
    wake(): void {
      wakeIfUsed()
      signals.publish('webhooks.news', {})
    },

    /** Looks for webhooks, and at the records, because webhooks have changed. */
    wakeForChange: wakeHere,

    begin(): void {
      signals.on('webhooks.news', wakeIfUsed)
      running = run()
    },

    /** Collects nothing more; resolves when nothing is being stored. */
    async end(): Promise<void> {
      ending.abort()
      wakeHere()
      await running
      await collections.webhook_leases.deleteOne({ _id: LEASE, holder: server.node_id })
    },
  }
}

declare module '../../operation/signals/types.ts' {
  interface Facts {
    /** Something has happened of which webhooks may hear. */
    'webhooks.news': Record<string, never>
  }
}
