import type { ServerSentEvent } from '#plugin-api'
import type { Threads } from '../../conversations/chat/threads/threads.ts'
import { createFeed, type Feed, KEEP_MS } from './feed.ts'
import type { Cradle } from './manifest.ts'
import type { AccountEvent } from './schemas.ts'

/** The most waiting approvals that a stream begins with. */
const MAX_PENDING = 200

/** Returns the data of an event; undefined if there is none (any more). */
type Describe = () => AccountEvent | undefined | Promise<AccountEvent | undefined>

/** The feeds of the accounts that read theirs, or did so within the last minutes. */
export type Feeds = ReturnType<typeof createFeeds>

/** Creates the feeds. Nothing is kept or read for an account without readers. */
export function createFeeds({
  threads,
  clock,
  ids,
  log,
}: { threads: Threads } & Pick<Cradle, 'clock' | 'ids' | 'log'>) {
  const feeds = new Map<string, Feed>()

  /** Removes the feeds that no reader can continue any more. */
  const sweep = () => {
    for (const [account_id, { readers, idleSince }] of feeds)
      if (readers === 0 && idleSince < clock.now() - KEEP_MS) feeds.delete(account_id)
  }

  const open = (account_id: string): Feed => {
    const feed = feeds.get(account_id) ?? createFeed(account_id, { clock, ids })
    feeds.set(account_id, feed)
    return feed
  }

  const addTo = (feed: Feed, describe: Describe, key?: string) =>
    feed.inOrder(async () => {
      try {
        const event = await describe()
        if (event) feed.add(event)
      } catch (error) {
        log.error({ error, account_id: feed.account_id }, 'an event could not be added')
      }
    }, key)

  /** Yields `reset` under the id of this position, then the approvals that wait. */
  async function* begin(feed: Feed, position: number): AsyncGenerator<ServerSentEvent> {
    yield { id: feed.toId(position), event: 'reset', data: { type: 'reset' } satisfies AccountEvent }
    for (const { _id: thread_id, agent_id, active_turn } of await threads.listPaused(
      feed.account_id,
      MAX_PENDING,
    )) {
      const { pending_id, expires_at } = active_turn!.paused!
      const event = { type: 'approval.pending', thread_id, agent_id, pending_id, expires_at } as const
      yield { event: event.type, data: event satisfies AccountEvent }
    }
  }

  return {
    /** Returns the number of open readers of an account. */
    countReaders: (account_id: string): number => feeds.get(account_id)?.readers ?? 0,

    /** True if nobody could read an event. */
    areEmpty: (): boolean => feeds.size === 0,

    /**
     * Notifies an account if it reads its events. With a `key`, it does nothing while another event of this key waits,
     * whose `describe` has yet to look at the state.
     */
    notify(account_id: string, describe: Describe, key?: string): void {
      sweep()
      const feed = feeds.get(account_id)
      if (feed) addTo(feed, describe, key)
    },

    /** Notifies every account that reads its events, except for those that `describe` leaves out. */
    notifyAll(describe: (account_id: string) => ReturnType<Describe>): void {
      sweep()
      for (const feed of feeds.values()) addTo(feed, () => describe(feed.account_id))
    },

    /** Begins the streams of accounts anew, because they may see more or less from now on. */
    interrupt(account_ids: readonly string[]): void {
      for (const account_id of account_ids) feeds.get(account_id)?.interrupt()
    },

    /** Begins all streams anew, because what other processes told may have been lost. */
    interruptAll(): void {
      sweep()
      for (const feed of feeds.values()) feed.interrupt()
    },

    /** Yields an account's events after the one with this id, or from now on. */
    async *follow(
      account_id: string,
      lastEventId: string | undefined,
      signal: AbortSignal,
    ): AsyncGenerator<ServerSentEvent> {
      sweep()
      const feed = open(account_id)
      feed.readers += 1
      try {
        let position = lastEventId === undefined ? undefined : feed.fromId(lastEventId)
        while (!signal.aborted) {
          const event = position === undefined ? 'lost' : feed.at(position)
          if (event === 'lost') {
            position = feed.end()
            yield* begin(feed, position)
          } else if (event) {
            position! += 1
            yield { id: feed.toId(position!), event: event.type, data: event }
          } else await feed.next(signal)
        }
      } finally {
        feed.readers -= 1
        feed.idleSince = clock.now()
      }
    },

    /** Removes the events of a deleted account. */
    forget: (account_id: string): void => void feeds.delete(account_id),
  }
}
