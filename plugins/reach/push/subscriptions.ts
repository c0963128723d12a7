import { createHash } from 'node:crypto'
import type { IndexDescription } from 'mongodb'
import { AppError, createRecentValues, type Issue, type Locale, type TypeOf } from '#plugin-api'
import { loadWebPush } from './library.ts'
import type { Cradle } from './manifest.ts'
import type { newSubscription } from './schemas.ts'
import type { SubscriptionDocument } from './types.ts'

const MAX_USER_AGENT = 256
/** The time for which it is remembered whether an account has subscriptions, in milliseconds. */
const RECENT_MS = 10_000

/** The purpose that the secret of a subscription is sealed for. */
export const AUTH_PURPOSE = 'push_subscription:{_id}'
const purposeOf = (id: string) => AUTH_PURPOSE.replace('{_id}', id)

/** The indexes for the subscriptions of accounts and of sessions. */
export const subscriptionIndexes: IndexDescription[] = [{ key: { user_id: 1 } }, { key: { session_id: 1 } }]

/** A subscription as browsers write it. */
export type BrowserSubscription = TypeOf<typeof newSubscription>['subscription']

/** The session and the browser that make a subscription. */
interface Subscriber {
  user_id: string
  session_id: string
  user_agent: string | null
  locale: Locale
}

/** The browsers that receive notifications. */
export type Subscriptions = ReturnType<typeof createSubscriptions>

/** Creates the store of subscriptions. */
export function createSubscriptions({
  collections: { push_subscriptions: subscriptions },
  clock,
  config,
  limits,
  secrets,
}: Pick<Cradle, 'collections' | 'clock' | 'config' | 'limits' | 'secrets'>) {
  const count = (user_id: string) => subscriptions.countDocuments({ user_id })

  /** The accounts with subscriptions: each turn asks, and most accounts have none. */
  const recent = createRecentValues(
    async (user_ids) => {
      const owners = await subscriptions.distinct('user_id', { user_id: { $in: [...user_ids] } })
      return new Map(user_ids.map((user_id) => [user_id, owners.includes(user_id)]))
    },
    clock.now,
    RECENT_MS,
  )

  return {
    count,

    /** Lists the subscriptions of an account, the oldest first. */
    list: (user_id: string): Promise<SubscriptionDocument[]> =>
      subscriptions.find({ user_id }).sort({ created_at: 1, _id: 1 }).toArray(),

    /** Lists the accounts that have subscriptions. */
    listAccounts: (): Promise<string[]> => subscriptions.distinct('user_id'),

    /** True if an account had subscriptions in the last seconds; what this process adds counts at once. */
    exist: async (user_id: string): Promise<boolean> => (await recent.get(user_id)) === true,

    find: (user_id: string, _id: string): Promise<SubscriptionDocument | null> =>
      subscriptions.findOne({ _id, user_id }),

    /**
     * Stores the subscription of a browser, or binds a stored one to this session. Throws VALIDATION_FAILED for keys that
     * nothing can be encrypted with, and LIMIT_REACHED.
     */
    async add(
      { user_id, session_id, user_agent, locale }: Subscriber,
      { endpoint, keys: { p256dh, auth } }: BrowserSubscription,
    ): Promise<void> {
      assertEndpoint(endpoint, config.allow_hosts)
      await assertKeys(p256dh, auth)
      const _id = createHash('sha256').update(endpoint).digest('base64url')
      const isKnown = (await subscriptions.countDocuments({ _id, user_id })) > 0
      if (!isKnown) limits.assertRoom('push_subscriptions', await count(user_id))
      const fields = { user_id, session_id, endpoint, p256dh, auth: secrets.seal(auth, purposeOf(_id)) }
      await subscriptions.updateOne(
        { _id },
        {
          $set: { ...fields, user_agent: user_agent?.slice(0, MAX_USER_AGENT) ?? null, locale },
          $setOnInsert: { created_at: clock.seconds(), last_sent_at: null },
        },
        { upsert: true },
      )
      recent.drop(user_id)
    },

    /** Returns a subscription as the library takes it. */
    open: ({ _id, endpoint, p256dh, auth }: SubscriptionDocument): BrowserSubscription => ({
      endpoint,
      keys: { p256dh, auth: secrets.open(auth, purposeOf(_id)) },
    }),

    async noteSent(_id: string): Promise<void> {
      await subscriptions.updateOne({ _id }, { $set: { last_sent_at: clock.seconds() } })
    },

    /** Removes subscriptions; returns false if none of them exists. */
    async remove(
      filter: Partial<Pick<SubscriptionDocument, '_id' | 'user_id' | 'session_id' | 'endpoint'>>,
    ): Promise<boolean> {
      return (await subscriptions.deleteMany(filter)).deletedCount > 0
    },
  }
}

const refuse = (path: string, rule: string, message: string): never => {
  throw new AppError('VALIDATION_FAILED', { issues: [{ path, rule, message } satisfies Issue] })
}

function assertEndpoint(endpoint: string, allowHosts: readonly string[]): void {
  const { protocol, hostname } = new URL(endpoint)
  if (protocol !== 'https:' && !(protocol === 'http:' && allowHosts.includes(hostname)))
    refuse('/subscription/endpoint', 'format', 'must be an https address')
}

/** Throws VALIDATION_FAILED unless a message can be encrypted with the keys. */
async function assertKeys(p256dh: string, auth: string): Promise<void> {
  const { encrypt } = await loadWebPush()
  try {
    encrypt(p256dh, auth, 'x', 'aes128gcm')
  } catch {
    refuse('/subscription/keys', 'format', 'must be the keys of a browser’s subscription')
  }
}
