import { randomBytes } from 'node:crypto'
import type { Filter, IndexDescription } from 'mongodb'
import {
  AppError,
  type Conditional,
  findPage,
  missOf,
  type Page,
  type PageRequest,
  requireUnchanged,
  type TypeOf,
} from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { Cradle } from './manifest.ts'
import type { newWebhook, webhookChanges } from './schemas.ts'
import type { WebhookDocument } from './types.ts'

/** The bytes of a secret, as Standard Webhooks recommends. */
const SECRET_BYTES = 24

/** The indexes for lists, for those that are enabled, and for removals. */
export const webhookIndexes: IndexDescription[] = [
  { key: { user_id: 1, created_at: -1, _id: -1 } },
  { key: { enabled: 1 } },
  { key: { agent_id: 1 } },
]

/** The fields that the entity tag of a webhook is made from. */
export const webhookFields = ['url', 'events', 'agent_id', 'enabled'] as const

/** Returns the purpose for which the secret of a webhook is sealed. */
const purposeOf = (webhook_id: string) => `webhook:${webhook_id}`

/** The store of webhooks. */
export type Webhooks = ReturnType<typeof createWebhooks>

/** Creates the store of webhooks. */
export function createWebhooks({
  collections: { webhooks },
  webhookDeliveries,
  receivers,
  agents,
  clock,
  events,
  ids,
  limits,
  log,
  secrets,
}: Pick<
  Cradle,
  | 'collections'
  | 'webhookDeliveries'
  | 'receivers'
  | 'agents'
  | 'clock'
  | 'events'
  | 'ids'
  | 'limits'
  | 'log'
  | 'secrets'
>) {
  const makeSecret = () => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

  const announce = ({ _id: webhook_id, user_id }: Pick<WebhookDocument, '_id' | 'user_id'>) =>
    events.emit('webhook.changed', { webhook_id, user_id })

  const get = async (user_id: string, webhook_id: string): Promise<WebhookDocument> => {
    const webhook = await webhooks.findOne({ _id: webhook_id, user_id })
    if (!webhook) throw new AppError('NOT_FOUND')
    return webhook
  }

  const assertUsable = async (
    { id, role, groups }: Pick<AuthCaller, 'id' | 'role' | 'groups'>,
    { url, agent_id }: { url?: string; agent_id?: string | null },
  ): Promise<void> => {
    if (url !== undefined) await receivers.assertAllowed(url)
    if (agent_id != null) await agents.findVisible({ id, role, groups }, agent_id)
  }

  const removeAll = async (selected: Filter<WebhookDocument>): Promise<void> => {
    const removed = await webhooks.find(selected, { projection: { user_id: 1 } }).toArray()
    const _id = { $in: removed.map(({ _id }) => _id) }
    // First, so that nobody stores or sends another delivery.
    await webhooks.deleteMany({ _id })
    await webhookDeliveries.removeAllOf({ webhook_id: _id })
    await Promise.all(removed.map(announce))
  }

  return {
    get,

    /** Finds a webhook of any account. */
    find: (webhook_id: string) => webhooks.findOne({ _id: webhook_id }),

    count: (user_id: string) => webhooks.countDocuments({ user_id }),

    /** Lists the webhooks of an account, newest first. Throws VALIDATION_FAILED for an unknown cursor. */
    list: (user_id: string, page: PageRequest): Promise<Page<WebhookDocument>> =>
      findPage(webhooks, { parts: [{ user_id }], sort: { created_at: -1, _id: -1 } }, page),

    /** Lists the webhooks of all accounts that are enabled. */
    listEnabled: (): Promise<WebhookDocument[]> => webhooks.find({ enabled: true }).toArray(),

    /**
     * Creates a webhook and its secret. Throws ADDRESS_NOT_ALLOWED, AGENT_NOT_FOUND, LIMIT_REACHED, VALIDATION_FAILED.
     */
    async create(
      caller: AuthCaller,
      { agent_id = null, ...settings }: TypeOf<typeof newWebhook>,
    ): Promise<{ webhook: WebhookDocument; secret: string }> {
      await assertUsable(caller, { ...settings, agent_id })
      const _id = ids.make('whk_')
      const secret = makeSecret()
      const now = clock.seconds()
      const webhook: WebhookDocument = {
        _id,
        user_id: caller.id,
        agent_id,
        ...settings,
        events: [...settings.events],
        secret: secrets.seal(secret, purposeOf(_id)),
        disabled_reason: null,
        hears_since: clock.seconds() * 1000,
        failing_since: null,
        silences: 0,
        hold_until: 0,
        positions: 0,
        created_at: now,
        updated_at: now,
      }
      await limits.within('webhooks', caller.id, () => webhooks.insertOne(webhook))
      await announce(webhook)
      return { webhook, secret }
    },

    /** Changes a webhook. Throws what `create` throws, NOT_FOUND and PRECONDITION_FAILED. */
    async update(
      caller: AuthCaller,
      webhook_id: string,
      { events: chosen, ...changes }: TypeOf<typeof webhookChanges>,
      request: Conditional,
    ): Promise<WebhookDocument> {
      const old = await get(caller.id, webhook_id)
      const unchanged = requireUnchanged(request, old, webhookFields)
      await assertUsable(caller, changes)
      // Failures of the earlier address, and from before it was enabled again, no longer count.
      const isFresh = changes.url !== undefined || (changes.enabled === true && !old.enabled)
      const updated = await webhooks.findOneAndUpdate(
        { _id: webhook_id, user_id: caller.id, ...unchanged },
        {
          $set: {
            ...changes,
            ...(chosen && { events: [...chosen] }),
            ...(isFresh && { failing_since: null, silences: 0, hold_until: 0 }),
            ...(changes.enabled !== undefined && { disabled_reason: null }),
            ...(changes.enabled === true && !old.enabled && { hears_since: clock.seconds() * 1000 }),
            updated_at: clock.seconds(),
          },
        },
        { returnDocument: 'after' },
      )
      if (!updated) throw missOf(unchanged, 'NOT_FOUND')
      await announce(updated)
      return updated
    },

    /** Replaces the secret of a webhook; returns the new one. Throws NOT_FOUND. */
    async replaceSecret(user_id: string, webhook_id: string): Promise<string> {
      const secret = makeSecret()
      const sealed = secrets.seal(secret, purposeOf(webhook_id))
      const { matchedCount } = await webhooks.updateOne(
        { _id: webhook_id, user_id },
        { $set: { secret: sealed, updated_at: clock.seconds() } },
      )
      if (matchedCount === 0) throw new AppError('NOT_FOUND')
      return secret
    },

    /** Returns the secret of a webhook. */
    openSecret: ({ _id, secret }: Pick<WebhookDocument, '_id' | 'secret'>): string =>
      secrets.open(secret, purposeOf(_id)),

    /** Deletes a webhook with its deliveries; throws NOT_FOUND. */
    async remove(user_id: string, webhook_id: string): Promise<WebhookDocument> {
      const webhook = await get(user_id, webhook_id)
      await removeAll({ _id: webhook_id, user_id })
      return webhook
    },

    removeAllOf: (owner: Partial<Pick<WebhookDocument, 'user_id'>> & { agent_id?: string }) =>
      removeAll(owner),

    /** Disables a webhook whose receiver does not want its requests, and tells its account. */
    async disable(
      { _id, user_id, url }: Pick<WebhookDocument, '_id' | 'user_id' | 'url'>,
      disabled_reason: NonNullable<WebhookDocument['disabled_reason']>,
    ): Promise<void> {
      // Only if the address is still the one that has failed.
      const { modifiedCount } = await webhooks.updateOne(
        { _id, url, enabled: true },
        { $set: { enabled: false, disabled_reason, updated_at: clock.seconds() } },
      )
      if (modifiedCount === 0) return
      log.warn(
        { webhook: _id, disabled_reason },
        'a webhook was disabled, because its receiver refuses or fails',
      )
      await announce({ _id, user_id })
    },

    /** Reserves the positions of `count` deliveries; returns the first one, or null if the webhook is gone. */
    async takePositions(webhook_id: string, count: number): Promise<number | null> {
      const former = await webhooks.findOneAndUpdate(
        { _id: webhook_id },
        { $inc: { positions: count } },
        { projection: { positions: 1 } },
      )
      return former && former.positions + 1
    },

    /** Notes that the receiver has accepted a request. */
    async noteSuccess({ _id, failing_since, silences }: WebhookDocument): Promise<void> {
      if (failing_since === null && silences === 0) return
      await webhooks.updateOne({ _id }, { $set: { failing_since: null, silences: 0 } })
    },

    /** Notes a failure at `now`; returns the first one after the last success. All times are Unix milliseconds. */
    async noteFailure(
      { _id }: Pick<WebhookDocument, '_id'>,
      { now, hold_until, isSilent }: { now: number; hold_until: number; isSilent: boolean },
    ): Promise<number> {
      const changed = await webhooks.findOneAndUpdate(
        { _id },
        [
          {
            $set: {
              failing_since: { $ifNull: ['$failing_since', Math.floor(now / 1000)] },
              silences: isSilent ? { $add: ['$silences', 1] } : 0,
              hold_until: { $max: ['$hold_until', hold_until] },
            },
          },
        ],
        { returnDocument: 'after', projection: { failing_since: 1 } },
      )
      return changed?.failing_since ? changed.failing_since * 1000 : now
    },
  }
}
