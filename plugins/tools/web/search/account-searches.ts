import { AppError, isDuplicateKey, NO_USAGE, toBillionths } from '#plugin-api'
import type { Cradle } from '../manifest.ts'
import type { SetEngine } from './search-settings.ts'
import type { SearchAnswer } from './types.ts'
import type { SearchRequest } from './web-searches.ts'

const DAY_SECONDS = 86_400

/** A search for an account, of an agent in a thread. */
export interface AccountSearch extends Omit<SearchRequest, 'charge'> {
  user_id: string
  agent_id: string
  thread_id: string
}

/** Searches for accounts, within their limits and budgets. */
export type AccountSearches = ReturnType<typeof createAccountSearches>

/** Creates the service. */
export function createAccountSearches({
  clock,
  collections: { search_counts },
  extensions,
  ids,
  searchSettings,
  users,
  webSearches,
}: Pick<
  Cradle,
  'clock' | 'collections' | 'extensions' | 'ids' | 'searchSettings' | 'users' | 'webSearches'
>) {
  /** Counts a search of the current UTC day in one step. Throws WEB_SEARCH_LIMITED. */
  async function count(user_id: string, limit: number): Promise<void> {
    const now = clock.seconds()
    const day = toDay(now)
    const isToday = { $eq: ['$day', day] }
    const counted = { $cond: [{ $lt: ['$count', limit] }, { $add: ['$count', 1] }, '$count'] }
    const update = [{ $set: { day, count: { $cond: [isToday, counted, 1] } } }]
    const earlier = await search_counts
      .findOneAndUpdate({ _id: user_id }, update, { upsert: true })
      .catch((error) => {
        // Another search of the account has just made the document.
        if (!isDuplicateKey(error)) throw error
        return search_counts.findOneAndUpdate({ _id: user_id }, update)
      })
    if (earlier?.day !== day || earlier.count < limit) return
    const resets_at = now - (now % DAY_SECONDS) + DAY_SECONDS
    throw new AppError('WEB_SEARCH_LIMITED', { limit, resets_at, resets_on: `${toDay(resets_at)} 00:00 UTC` })
  }

  /** Takes back the count of a search that no engine answered. */
  const uncount = (user_id: string) =>
    search_counts.updateOne(
      { _id: user_id, day: toDay(clock.seconds()), count: { $gt: 0 } },
      { $inc: { count: -1 } },
    )

  /** Reserves the price of a search in the budgets of the account, and stores its cost if the engine answered. */
  async function charge<Result>(
    { engine, price }: SetEngine,
    call: () => Promise<Result>,
    { user_id, agent_id, thread_id, signal }: AccountSearch,
  ): Promise<Result> {
    if (price === null) return call()
    const user = await users.find(user_id)
    const { budget = null, timezone = null } = user ?? {}
    const facts = {
      call_id: ids.make(),
      // Searches take no tokens.
      account: { user_id, token_quota: null, budget, timezone, agent_id, thread_id },
      purpose: 'search' as const,
      model: `search:${engine.name}`,
    }
    await extensions['providers.reservations'].ask({
      ...facts,
      ...(signal && { signal }),
      estimate: () => ({ prompt: 0, output: 0, cost: { prompt: toBillionths(price), token: 0 } }),
      limitOutput: () => undefined,
    })
    let isAnswered = false
    try {
      const result = await call()
      isAnswered = true
      return result
    } finally {
      const [currency = 'USD'] = await extensions['providers.currency'].ask({})
      await extensions['providers.usage'].ask({
        ...facts,
        usage: isAnswered ? { ...NO_USAGE, cost: { amount: price, currency } } : null,
        is_estimated: false,
        media: { searches: 1 },
      })
    }
  }

  return {
    /**
     * Searches with the engines that are set. Throws WEB_SEARCH_LIMITED, WEB_SEARCH_FAILED, WEB_SEARCH_NOT_SET and
     * BUDGET_EXCEEDED.
     */
    async search(request: AccountSearch): Promise<SearchAnswer> {
      const { user_id } = request
      const { engines, per_day } = await searchSettings.open()
      if (per_day !== null) await count(user_id, per_day)
      try {
        return await webSearches.search(engines, {
          ...request,
          charge: (set, call) => charge(set, call, request),
        })
      } catch (error) {
        if (per_day !== null) await uncount(user_id)
        throw error
      }
    },

    /** Removes the count of an account. */
    forget: async (user_id: string): Promise<void> => {
      await search_counts.deleteOne({ _id: user_id })
    },
  }
}

/** Returns the UTC day of a time in Unix seconds, as YYYY-MM-DD. */
const toDay = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)
