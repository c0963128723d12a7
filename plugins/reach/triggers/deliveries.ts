import { createHash } from 'node:crypto'
import type { IndexDescription } from 'mongodb'
import { findPage, isDuplicateKey, type Page, type PageRequest } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { TriggerDeliveryDocument, TriggerDocument, TriggerOwner } from './types.ts'

/** The newest requests of a trigger that are kept. */
const MAX_KEPT = 2000

/** The indexes for lists, for the rate, for removals and for expiry. */
export const deliveryIndexes: IndexDescription[] = [
  { key: { trigger_id: 1, received_ms: -1, _id: -1 } },
  { key: { user_id: 1 } },
  { key: { agent_id: 1 } },
  { key: { delete_at: 1 }, expireAfterSeconds: 0 },
]

/** The facts of a request that are stored before its turn starts. */
type ReceivedRequest = Pick<TriggerDeliveryDocument, 'delivery_id' | 'thread_id' | 'bytes' | 'missing'>

/** The store of verified requests. */
export type TriggerDeliveries = ReturnType<typeof createTriggerDeliveries>

/** Creates the store of requests. */
export function createTriggerDeliveries({
  collections: { trigger_deliveries: deliveries, triggers },
  clock,
  config,
}: Pick<Cradle, 'collections' | 'clock' | 'config'>) {
  const idOf = (trigger_id: string, delivery_id: string) =>
    `${trigger_id}:${createHash('sha256').update(delivery_id).digest('base64url')}`

  const removeAllOf = (owner: Partial<TriggerOwner> & { trigger_id?: string }) => deliveries.deleteMany(owner)

  return {
    find: (trigger_id: string, delivery_id: string) =>
      deliveries.findOne({ _id: idOf(trigger_id, delivery_id) }),

    /** Stores a request; null if it is stored already. */
    async add(
      { _id: trigger_id, user_id, agent_id }: TriggerDocument,
      request: ReceivedRequest,
    ): Promise<TriggerDeliveryDocument | null> {
      const delivery: TriggerDeliveryDocument = {
        _id: idOf(trigger_id, request.delivery_id),
        ...{ trigger_id, user_id, agent_id },
        ...request,
        received_ms: clock.now(),
        status: 'received',
        repeats: 0,
        turn_id: null,
        error: null,
        delete_at: new Date(clock.now() + config.keep_days * 86_400_000),
      }
      try {
        await deliveries.insertOne(delivery)
      } catch (error) {
        if (isDuplicateKey(error)) return null
        throw error
      }
      return delivery
    },

    /** Counts that a request came again. */
    async noteRepeat({ _id }: Pick<TriggerDeliveryDocument, '_id'>): Promise<void> {
      await deliveries.updateOne({ _id }, { $inc: { repeats: 1 } })
    },

    /** Takes a refused request up again, with what it brings now; null if another process does. */
    reopen: (
      { _id }: Pick<TriggerDeliveryDocument, '_id'>,
      { thread_id, bytes, missing }: Omit<ReceivedRequest, 'delivery_id'>,
    ): Promise<TriggerDeliveryDocument | null> =>
      deliveries.findOneAndUpdate(
        { _id, status: 'refused' },
        {
          $set: { status: 'received', error: null, received_ms: clock.now(), thread_id, bytes, missing },
        },
        { returnDocument: 'after' },
      ),

    /** Stores what a request has started, or why it has started nothing. */
    async settle(
      { _id, trigger_id }: Pick<TriggerDeliveryDocument, '_id' | 'trigger_id'>,
      outcome: Pick<TriggerDeliveryDocument, 'status' | 'turn_id' | 'error'>,
    ): Promise<void> {
      await deliveries.updateOne({ _id, turn_id: null }, { $set: outcome })
      // The trigger may have been deleted meanwhile, with the requests that were stored then.
      if (!(await triggers.findOne({ _id: trigger_id }, { projection: { _id: 1 } })))
        return void (await removeAllOf({ trigger_id }))
      const [oldest] = await deliveries
        .find({ trigger_id }, { projection: { received_ms: 1 } })
        .sort({ received_ms: -1, _id: -1 })
        .skip(MAX_KEPT)
        .limit(1)
        .toArray()
      if (oldest) await deliveries.deleteMany({ trigger_id, received_ms: { $lte: oldest.received_ms } })
    },

    /** Counts the requests of a trigger since a time in Unix milliseconds that were not refused, and the oldest one's time. */
    async readRate(trigger_id: string, since: number): Promise<{ count: number; oldest: number | null }> {
      const recent = await deliveries
        .find(
          { trigger_id, received_ms: { $gt: since }, status: { $ne: 'refused' } },
          { projection: { received_ms: 1 } },
        )
        .sort({ received_ms: -1, _id: -1 })
        .limit(config.requests_per_minute)
        .toArray()
      return { count: recent.length, oldest: recent.at(-1)?.received_ms ?? null }
    },

    /** Lists the requests of a trigger, newest first. Throws VALIDATION_FAILED for an unknown cursor. */
    list: (trigger_id: string, page: PageRequest): Promise<Page<TriggerDeliveryDocument>> =>
      findPage(deliveries, { parts: [{ trigger_id }], sort: { received_ms: -1, _id: -1 } }, page),

    removeAllOf,
  }
}
