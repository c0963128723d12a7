import { setTimeout as pause } from 'node:timers/promises'
import { AppError, acquireLease, isUnavailable, untilTick } from '#plugin-api'
import { RETRIED_MS } from './deliveries.ts'
import { mayHear } from './hearing.ts'
import type { Cradle } from './manifest.ts'
import { type Answer, TIMEOUT_SECONDS } from './receivers.ts'
import type { DeliveryDocument, WebhookDocument } from './types.ts'

/** The longest time without a look at the database, which finds what other servers have left, in milliseconds. */
const IDLE_MS = 10_000
/** The webhooks that one server sends for at a time. */
const AT_ONCE = 16
/** The time for which a webhook is a server's: longer than an attempt, and renewed before each one. */
const LEASE_MS = 2 * TIMEOUT_SECONDS * 1000
/** The delay of the first retry; each further one is four times as long, up to the longest, in milliseconds. */
const FIRST_RETRY_MS = 5000
const LONGEST_RETRY_MS = 6 * 3_600_000
/** The longest pause that a receiver can ask for with `Retry-After`, in milliseconds. */
const LONGEST_PAUSE_MS = 3_600_000
/** The time without any success after which a webhook is disabled: until a delivery is given up that failed at once, in milliseconds. */
const FAILING_MS = RETRIED_MS - 600_000

/** Returns the delay after this many failures in a row, in milliseconds. */
const retryDelay = (failures: number): number =>
  Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 4 ** Math.max(0, failures - 1))

/** Sends the deliveries that are due. */
export type WebhookSender = ReturnType<typeof createWebhookSender>

/**
 * Creates the sender. All servers of a database look at the same deliveries; a lease on a webhook decides which one sends
 * for it, one request at a time in the order of positions.
 *
 * A receiver that answers with an error is asked again later while the next deliveries are sent. One that does not answer
 * at all would make each delivery wait for its time-out: the webhook is held instead, and its order is kept.
 */
export function createWebhookSender(cradle: Cradle) {
  const { webhooks, webhookDeliveries: deliveries, receivers, collections } = cradle
  const { clock, ids, log, server, signals } = cradle
  const { webhook_leases: leases } = collections
  const ending = new AbortController()
  let waking = new AbortController()
  let running: Promise<void> | undefined

  const holder = server.node_id

  /** Takes or renews the lease of a webhook; false while another server has it. */
  const hold = (name: string) => {
    const now = clock.now()
    return acquireLease(leases, { name, holder, now, until: now + LEASE_MS })
  }

  /** Stores what follows from an answer: for the delivery, and for the webhook. */
  const note = async (webhook: WebhookDocument, delivery: DeliveryDocument, answer: Answer) => {
    const { status: response_status, error, retry_after } = answer
    if (!error) {
      await deliveries.noteAttempt(delivery, { status: 'delivered', next_at: null, response_status, error })
      return webhooks.noteSuccess(webhook)
    }
    const now = clock.now()
    const isSilent = response_status === null
    const wait = retryDelay(isSilent ? webhook.silences + 1 : delivery.attempts + 1)
    const askedPause = Math.min(retry_after ?? 0, LONGEST_PAUSE_MS)
    const next = Math.min(now + Math.max(wait, askedPause), Math.max(delivery.give_up_at, now + askedPause))
    const isOver = now >= delivery.give_up_at || response_status === 410
    await deliveries.noteAttempt(delivery, {
      status: isOver ? 'failed' : 'pending',
      next_at: isOver ? null : next,
      response_status,
      error,
    })
    const failing_since = await webhooks.noteFailure(webhook, {
      now,
      hold_until: isSilent ? now + wait : askedPause > 0 ? now + askedPause : 0,
      isSilent,
    })
    if (response_status === 410) await webhooks.disable(webhook, 'GONE')
    else if (now - failing_since >= FAILING_MS) await webhooks.disable(webhook, 'FAILING')
  }

  /** Sends the next delivery of a webhook; false if none may be sent now. */
  const sendNext = async (webhook_id: string): Promise<boolean> => {
    if (ending.signal.aborted || !(await hold(webhook_id))) return false
    const webhook = await webhooks.find(webhook_id)
    if (!webhook?.enabled || webhook.hold_until > clock.now()) return false
    const { user_id } = webhook
    if (!(await mayHear({ user_id, agent_id: null }, cradle))) return false
    const delivery = await deliveries.findFirstDue(webhook_id, clock.now())
    if (!delivery) return false
    if (!(await mayHear({ user_id, agent_id: delivery.agent_id }, cradle))) {
      await deliveries.removeAllOf({ webhook_id, agent_id: delivery.agent_id! })
      return true
    }
    const secret = webhooks.openSecret(webhook)
    const { _id: id, body } = delivery
    await note(webhook, delivery, await receivers.send({ url: webhook.url, secret, id, body }))
    return true
  }

  /** Sends all that is due for a webhook, unless another server does. */
  const sendAll = async (webhook_id: string): Promise<void> => {
    try {
      while (await sendNext(webhook_id));
    } finally {
      await leases.deleteOne({ _id: webhook_id, holder })
    }
  }

  const look = async (): Promise<void> => {
    const due = await deliveries.listDue(clock.now())
    const worker = async () => {
      for (let next = due.shift(); next !== undefined && !ending.signal.aborted; next = due.shift())
        try {
          await sendAll(next)
        } catch (error) {
          if (isUnavailable(error)) throw error
          log.error({ error, webhook: next }, 'deliveries of a webhook could not be sent; retrying')
        }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  }

  /** Sends what is due, if anything is; returns the time of the next attempt. */
  const lookOnce = async (): Promise<number | null> => {
    const next = await deliveries.nextTime(0)
    if (next === null || next > clock.now()) return next
    await look()
    // Deliveries that are still due wait for their webhook to be enabled, or for another server.
    return deliveries.nextTime(clock.now())
  }

  const run = async () => {
    while (!ending.signal.aborted) {
      waking = new AbortController()
      const { signal } = waking
      const next = await lookOnce().catch((error) => {
        if (!isUnavailable(error)) log.error({ error }, 'deliveries could not be read')
        return null
      })
      const ms = Math.min(untilTick(IDLE_MS), Math.max(next === null ? IDLE_MS : next - clock.now(), 100))
      // Rejects only when aborted, which ends the wait.
      await pause(ms, undefined, { signal }).catch(() => undefined)
    }
  }

  const wakeHere = () => waking.abort()

  return {
    /** Looks for deliveries now, in every server. */
    wake(): void {
      wakeHere()
      signals.publish('webhooks.due', {})
    },

    /** Sends an event of the type `webhook.test` once; returns its delivery. */
    async test(webhook: WebhookDocument): Promise<DeliveryDocument> {
      const fact = { id: ids.make(), event: 'webhook.test' as const, agent_id: null, at: clock.now() }
      const position = (await webhooks.takePositions(webhook._id, 1)) ?? 0
      const data = { webhook_id: webhook._id, events: webhook.events }
      const delivery = deliveries.toDelivery(webhook, { ...fact, data }, position)
      const { _id: id, body } = delivery
      const secret = webhooks.openSecret(webhook)
      const { status, error } = await receivers.send({ url: webhook.url, secret, id, body })
      const sent = {
        ...delivery,
        status: error ? ('failed' as const) : ('delivered' as const),
        attempts: 1,
        next_at: null,
        last_attempt_at: clock.seconds(),
        response_status: status,
        error,
      }
      await deliveries.store(sent)
      return sent
    },

    /** Has a delivery sent again, now. Throws NOT_FOUND, WEBHOOK_DISABLED. */
    async retry({ _id, enabled }: WebhookDocument, delivery_id: string): Promise<DeliveryDocument> {
      await deliveries.get(_id, delivery_id)
      if (!enabled) throw new AppError('WEBHOOK_DISABLED')
      const delivery = await deliveries.retry(_id, delivery_id)
      await collections.webhooks.updateOne({ _id }, { $set: { hold_until: 0 } })
      this.wake()
      return delivery
    },

    begin(): void {
      signals.on('webhooks.due', wakeHere)
      running = run()
    },

    /** Sends nothing more; resolves when no request is on its way. */
    async end(): Promise<void> {
      ending.abort()
      wakeHere()
      await running
      await receivers.close()
    },
  }
}

declare module '../../operation/signals/types.ts' {
  interface Facts {
    /** Deliveries may be due. */
    'webhooks.due': Record<string, never>
  }
}
