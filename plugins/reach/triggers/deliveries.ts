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

  const toDeleteAt = () => new Date(clock.now() + config.keep_days * 86_400_000)

  /** Stores a request; false if it is stored already. */
  const insert = async (delivery: TriggerDeliveryDocument): Promise<boolean> => {
    try {
      await deliveries.insertOne(delivery)
      return true
    } catch (error) {
      if (isDuplicateKey(error)) return false
      throw error
    }
  }

  const removeAllOf = (owner: Partial<TriggerOwner> & { trigger_id?: string }) => deliveries.deleteMany(owner)

  return {
    idOf,

    find: (_id: string) => deliveries.findOne({ _id }),

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
        delete_at: toDeleteAt(),
      }
      return (await insert(delivery)) ? delivery : null
    },

    /** Counts that a request came again. */
    async noteRepeat({ _id }: Pick<TriggerDeliveryDocument, '_id'>): Promise<void> {
      await deliveries.updateOne({ _id }, { $inc: { repeats: 1 } })
    },

    /** Takes up a request again that was refused, or is too old to be a repetition; null if another process does. */
    async reopen(
      former: TriggerDeliveryDocument,
      { thread_id, bytes, missing }: Omit<ReceivedRequest, 'delivery_id'>,
    ): Promise<TriggerDeliveryDocument | null> {
      const { _id, received_ms, turn_id } = former
      // The list keeps the former request with its turn.
      if (turn_id !== null) await insert({ ...former, _id: `${_id}:${received_ms}` })
      return deliveries.findOneAndUpdate(
        { _id, received_ms, status: { $ne: 'received' } },
        {
          $set: {
            status: 'received',
            error: null,
            turn_id: null,
            repeats: 0,
            received_ms: Math.max(clock.now(), received_ms + 1),
            delete_at: toDeleteAt(),
            ...{ thread_id, bytes, missing },
          },
        },
        { returnDocument: 'after' },
      )
    },

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

    /**
     * Counts the requests that came before one and within `ms` milliseconds and were not refused, at most as many as a
     * trigger may start; `oldest_ms` is the time of the first of them.
     */
    async readRate(
      { trigger_id, _id, received_ms }: TriggerDeliveryDocument,
      ms: number,
    ): Promise<{ count: number; oldest_ms: number | null }> {
      const earlier = await deliveries
        .find(
          {
            trigger_id,
            status: { $ne: 'refused' },
            $or: [
              { received_ms: { $gt: received_ms - ms, $lt: received_ms } },
              { received_ms, _id: { $lt: _id } },
            ],
          },
          { projection: { received_ms: 1 } },
        )
        .sort({ received_ms: -1, _id: -1 })
        .limit(config.requests_per_minute)
        .toArray()
      return { count: earlier.length, oldest_ms: earlier.at(-1)?.received_ms ?? null }
    },

    /** Removes a request that came too early, so that it can come again. */
    forget: ({ _id, received_ms }: TriggerDeliveryDocument) => deliveries.deleteOne({ _id, received_ms }),

    /** Lists the requests of a trigger, newest first. Throws VALIDATION_FAILED for an unknown cursor. */
    list: (trigger_id: string, page: PageRequest): Promise<Page<TriggerDeliveryDocument>> =>
      findPage(deliveries, { parts: [{ trigger_id }], sort: { received_ms: -1, _id: -1 } }, page),

    removeAllOf,
  }
}
