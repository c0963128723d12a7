import { createHash } from 'node:crypto'
import type { Condition, IndexDescription } from 'mongodb'
import {
  AppError,
  findPage,
  isOnlyDuplicates,
  type Page,
  type PageRequest,
  type WebhookFact,
} from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { DeliveryDocument, DeliveryError, WebhookDocument } from './types.ts'

/** The time for which a delivery is retried, in milliseconds. */
export const RETRIED_MS = 86_400_000
/** The most deliveries of a webhook that wait to be sent; beyond it, the oldest ones fail. */
const MAX_PENDING = 20_000
/** The newest finished deliveries of a webhook that are kept. */
const MAX_FINISHED = 1000
/** The deliveries of a webhook that one command stores. */
const BATCH = 500

/** The indexes for lists, for what is due, for removals and for expiry. */
export const deliveryIndexes: IndexDescription[] = [
  { key: { webhook_id: 1, position: -1 } },
  { key: { webhook_id: 1, next_at: 1 }, partialFilterExpression: { next_at: { $gt: 0 } } },
  { key: { next_at: 1, webhook_id: 1 }, partialFilterExpression: { next_at: { $gt: 0 } } },
  { key: { user_id: 1 } },
  { key: { agent_id: 1 } },
  { key: { delete_at: 1 }, expireAfterSeconds: 0 },
]

/** Returns the id of the delivery of a fact to a webhook, the same in every process. */
const deliveryId = (webhook_id: string, fact_id: string) =>
  `evt_${createHash('sha256').update(`${webhook_id} ${fact_id}`).digest('base64url').slice(0, 26)}`

/** The store of deliveries. */
export type Deliveries = ReturnType<typeof createDeliveries>

/** Creates the store of deliveries. */
export function createDeliveries({
  collections: { webhook_deliveries: deliveries, webhooks },
  clock,
  config,
}: Pick<Cradle, 'collections' | 'clock' | 'config'>) {
  const toDeleteAt = () => new Date(clock.now() + config.keep_days * 86_400_000)

  const toDelivery = (
    { _id: webhook_id, user_id }: Pick<WebhookDocument, '_id' | 'user_id'>,
    {
      id,
      event,
      agent_id,
      at,
      data,
    }: Omit<WebhookFact, 'user_id' | 'event'> & Pick<DeliveryDocument, 'event'>,
    position: number,
  ): DeliveryDocument => ({
    _id: deliveryId(webhook_id, id),
    webhook_id,
    user_id,
    agent_id,
    event,
    position,
    body: JSON.stringify({ type: event, timestamp: new Date(at).toISOString(), data }),
    status: 'pending',
    attempts: 0,
    next_at: clock.now(),
    give_up_at: clock.now() + RETRIED_MS,
    created_at: clock.seconds(),
    last_attempt_at: null,
    response_status: null,
    error: null,
    delete_at: null,
  })

  /** Stores deliveries that are not stored yet; returns true if any was new. */
  const insert = async (documents: DeliveryDocument[]): Promise<boolean> => {
    let isAnyNew = false
    for (let start = 0; start < documents.length; start += BATCH)
      try {
        await deliveries.insertMany(documents.slice(start, start + BATCH), { ordered: false })
        isAnyNew = true
      } catch (error) {
        if (!isOnlyDuplicates(error)) throw error
      }
    return isAnyNew
  }

  const get = async (webhook_id: string, delivery_id: string): Promise<DeliveryDocument> => {
    const delivery = await deliveries.findOne({ _id: delivery_id, webhook_id })
    if (!delivery) throw new AppError('NOT_FOUND')
    return delivery
  }

  const self = {
    toDelivery,

    /** Stores deliveries of a webhook once, and ends the oldest ones beyond MAX_PENDING. */
    async add(webhook_id: string, documents: DeliveryDocument[]): Promise<void> {
      if (!(await insert(documents))) return
      // The webhook may have been deleted meanwhile, with the deliveries that were stored then.
      if (!(await webhooks.findOne({ _id: webhook_id }, { projection: { _id: 1 } })))
        return void (await self.removeAllOf({ webhook_id }))
      const [oldest] = await deliveries
        .find({ webhook_id, next_at: { $gt: 0 } }, { projection: { position: 1 } })
        .sort({ webhook_id: 1, position: -1 })
        .skip(MAX_PENDING)
        .limit(1)
        .toArray()
      if (!oldest) return
      const error = { code: 'WEBHOOK_OVERFLOW', details: { max: MAX_PENDING } }
      await deliveries.updateMany(
        { webhook_id, next_at: { $gt: 0 }, position: { $lte: oldest.position } },
        { $set: { status: 'failed', next_at: null, error, delete_at: toDeleteAt() } },
      )
    },

    /** Stores a delivery that was sent already. */
    store: (delivery: DeliveryDocument) => deliveries.insertOne({ ...delivery, delete_at: toDeleteAt() }),

    get,

    /** Lists the deliveries of a webhook, newest first. Throws VALIDATION_FAILED for an unknown cursor. */
    list: (webhook_id: string, page: PageRequest): Promise<Page<DeliveryDocument>> =>
      findPage(deliveries, { parts: [{ webhook_id }], sort: { position: -1 } }, page),

    /** Lists the webhooks with deliveries that are due. */
    listDue: (now: number): Promise<string[]> =>
      deliveries.distinct('webhook_id', { next_at: { $gt: 0, $lte: now } }),

    /** Returns the time of the next attempt at any delivery after a time, in Unix milliseconds; null if there is none. */
    async nextTime(after: number): Promise<number | null> {
      const [next] = await deliveries
        .find({ next_at: { $gt: after } }, { projection: { next_at: 1 } })
        .sort({ next_at: 1 })
        .limit(1)
        .toArray()
      return next?.next_at ?? null
    },

    /** Returns the first delivery of a webhook that is due, in the order of positions; null if there is none. */
    findFirstDue: (webhook_id: string, now: number): Promise<DeliveryDocument | null> =>
      deliveries.findOne({ webhook_id, next_at: { $gt: 0, $lte: now } }, { sort: { position: 1 } }),

    /** Stores the outcome of an attempt: another one at `next_at`, or the end of the delivery. */
    async noteAttempt(
      { _id }: Pick<DeliveryDocument, '_id'>,
      outcome: {
        status: DeliveryDocument['status']
        next_at: number | null
        response_status: number | null
        error: DeliveryError | null
      },
    ): Promise<void> {
      const delete_at = outcome.next_at === null ? toDeleteAt() : null
      await deliveries.updateOne(
        { _id },
        { $set: { ...outcome, last_attempt_at: clock.seconds(), delete_at }, $inc: { attempts: 1 } },
      )
    },

    /** Ends a delivery that was not sent. */
    async giveUp({ _id }: Pick<DeliveryDocument, '_id'>, error: DeliveryError): Promise<void> {
      await deliveries.updateOne(
        { _id, next_at: { $gt: 0 } },
        { $set: { status: 'failed', next_at: null, error, delete_at: toDeleteAt() } },
      )
    },

    /** Ends all deliveries whose time is over although nobody could try them, such as deliveries of disabled webhooks. */
    async giveUpOld(): Promise<void> {
      await deliveries.updateMany(
        { next_at: { $gt: 0 }, give_up_at: { $lt: clock.now() } },
        {
          $set: {
            status: 'failed',
            next_at: null,
            error: { code: 'WEBHOOK_GIVEN_UP', details: {} },
            delete_at: toDeleteAt(),
          },
        },
      )
    },

    /** Has a delivery sent now, once more or for the first time, and retried for another day. Throws NOT_FOUND. */
    async retry(webhook_id: string, delivery_id: string): Promise<DeliveryDocument> {
      const now = clock.now()
      const retried = await deliveries.findOneAndUpdate(
        { _id: delivery_id, webhook_id },
        {
          $set: {
            status: 'pending',
            attempts: 0,
            next_at: now,
            give_up_at: now + RETRIED_MS,
            error: null,
            delete_at: null,
          },
        },
        { returnDocument: 'after' },
      )
      if (!retried) throw new AppError('NOT_FOUND')
      return retried
    },

    /** Removes the oldest finished deliveries of these webhooks beyond MAX_FINISHED. */
    async trim(webhook_ids: readonly string[]): Promise<void> {
      for (const webhook_id of webhook_ids) {
        const finished = { webhook_id, next_at: null }
        const [oldest] = await deliveries
          .find(finished, { projection: { position: 1 } })
          .sort({ position: -1 })
          .skip(MAX_FINISHED)
          .limit(1)
          .toArray()
        if (oldest) await deliveries.deleteMany({ ...finished, position: { $lte: oldest.position } })
      }
    },

    removeAllOf: (owner: { webhook_id?: Condition<string>; user_id?: string; agent_id?: string }) =>
      deliveries.deleteMany(owner),
  }
  return self
}
