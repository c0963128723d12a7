import type { Document } from 'mongodb'
import { createRecentValues, findPage, type PageRequest } from '#plugin-api'
import type { ChangedAccount } from '../users/types.ts'
import type { Cradle } from './manifest.ts'
import type { Origin, SessionDocument } from './types.ts'

const MAX_USER_AGENT = 256
const TOMBSTONE_MS = 60_000

/** The store of sessions. */
export type Sessions = ReturnType<typeof createSessions>

/** Creates the store of sessions. */
export function createSessions({
  collections: { sessions },
  clock,
  ids,
  events,
  limits,
  config,
}: Pick<Cradle, 'collections' | 'clock' | 'ids' | 'events' | 'limits' | 'config'>) {
  const recent = createRecentValues(async (ids) => {
    const rows = await sessions.find({ _id: { $in: [...ids] } }).toArray()
    return new Map(rows.map((session) => [session._id, session]))
  })

  const { access_token_ttl_seconds, refresh_token_ttl_seconds } = config

  const expiry = (now: number, life = access_token_ttl_seconds) => {
    const expires_at = now + life
    return { expires_at, delete_at: new Date(expires_at * 1000) }
  }

  const whereLive = (user_id: string) => ({ user_id, ended_at: null, expires_at: { $gt: clock.seconds() } })

  const announceEnd = async (user_id: string, ids: string[]) => {
    for (const session_id of ids) await events.emit('session.ended', { session_id, user_id })
  }

  /** Ends the account's sessions except one, or only those that must still do something. */
  const endAll = async (
    user_id: string,
    { except, required_action }: { except?: string; required_action?: string } = {},
  ): Promise<void> => {
    const filter = {
      ...whereLive(user_id),
      ...(except !== undefined && { _id: { $ne: except } }),
      ...(required_action !== undefined && { required_actions: required_action }),
    }
    const ending = await sessions.find(filter, { projection: { _id: 1 } }).toArray()
    // By the filter instead of the list of ids, so that a session opened in between ends as well.
    await sessions.updateMany(filter, { $set: { ended_at: clock.now() } })
    recent.drop()
    await announceEnd(
      user_id,
      ending.map(({ _id }) => _id),
    )
  }

  /** Ends the oldest sessions of an account that exceeds its limit with the session that was just opened. */
  const endOldest = async ({ _id, user_id }: SessionDocument): Promise<void> => {
    const others = sessions
      .find({ ...whereLive(user_id), _id: { $ne: _id } }, { projection: { _id: 1 } })
      .sort({ created_at: -1, _id: -1 })
      .skip(limits.of('sessions') - 1)
    for (const oldest of await others.toArray()) await end(user_id, oldest._id)
  }

  /** Ends one of the account's live sessions; false if it has none with this id. */
  const end = async (user_id: string, session_id: string): Promise<boolean> => {
    const { modifiedCount } = await sessions.updateOne(
      { _id: session_id, ...whereLive(user_id) },
      { $set: { ended_at: clock.now() } },
    )
    recent.drop(session_id)
    if (modifiedCount > 0) await announceEnd(user_id, [session_id])
    return modifiedCount > 0
  }

  return {
    /** Opens a session, for refresh tokens if it has a cookie; ends the account's oldest if it has too many. */
    async create(
      user_id: string,
      { ip, user_agent }: Origin,
      { hasCookie = false, required_actions = [] }: { hasCookie?: boolean; required_actions?: string[] } = {},
    ): Promise<SessionDocument> {
      const created_at = clock.seconds()
      const session: SessionDocument = {
        _id: ids.make('ses_'),
        user_id,
        created_at,
        ...expiry(created_at, hasCookie ? refresh_token_ttl_seconds : access_token_ttl_seconds),
        ip,
        user_agent: user_agent?.slice(0, MAX_USER_AGENT) ?? null,
        ended_at: null,
        ...(hasCookie && { refresh: { number: 0, rotated_at: clock.now() } }),
        ...(required_actions.length > 0 && { required_actions }),
      }
      await sessions.insertOne(session)
      await endOldest(session)
      return session
    },

    find: (session_id: string) => sessions.findOne({ _id: session_id }),

    /** Returns a session as it was at most 300 ms ago; changes by this process are seen at once. */
    findRecent: recent.get,
    /** Drops sessions that other processes have changed from memory. */
    dropRecent: recent.drop,

    count: (user_id: string) => sessions.countDocuments(whereLive(user_id)),

    /** Lists the account's live sessions, newest first. Throws VALIDATION_FAILED for an unknown cursor. */
    list: (user_id: string, page: PageRequest) =>
      findPage(sessions, { parts: [whereLive(user_id)], sort: { created_at: -1, _id: -1 } }, page),

    /** Returns the sessions that are live, with the times at which they expire. */
    listExpiries: (session_ids: readonly string[]) =>
      sessions
        .find(
          { _id: { $in: [...session_ids] }, ended_at: null, expires_at: { $gt: clock.seconds() } },
          { projection: { expires_at: 1 } },
        )
        .toArray(),

    /** Extends a live session by the lifetime of a token, unless it lasts longer; null if it has ended. */
    async extend(session_id: string): Promise<SessionDocument | null> {
      const extended = await sessions.findOneAndUpdate(
        { _id: session_id, ended_at: null },
        { $max: expiry(clock.seconds()) },
        { returnDocument: 'after' },
      )
      recent.drop(session_id)
      return extended
    },

    /** Replaces the current refresh token of a live session, if it has this number; extends the session. */
    async rotate(session_id: string, number: number): Promise<SessionDocument | null> {
      const rotated = await sessions.findOneAndUpdate(
        { _id: session_id, ended_at: null, 'refresh.number': number },
        {
          $set: {
            ...expiry(clock.seconds(), refresh_token_ttl_seconds),
            refresh: { number: number + 1, rotated_at: clock.now() },
          },
        },
        { returnDocument: 'after' },
      )
      recent.drop(session_id)
      return rotated
    },

    end,
    endAll,

    /** Removes a required action that a session has completed. */
    async completeAction(session_id: string, action: string): Promise<void> {
      await sessions.updateOne({ _id: session_id }, { $pull: { required_actions: action } })
      recent.drop(session_id)
    },

    /** Removes a session whose token was never sent. */
    async discard(session_id: string): Promise<void> {
      await sessions.deleteOne({ _id: session_id })
      recent.drop(session_id)
    },

    /**
     * Ends the sessions of a deleted account and removes the account from them. The rest is kept for a minute, from
     * which other processes learn that the sessions ended.
     */
    async forget(user_id: string): Promise<void> {
      await endAll(user_id)
      const delete_at = new Date(clock.now() + TOMBSTONE_MS)
      await sessions.updateMany({ user_id }, { $set: { user_id: '', ip: '', user_agent: null, delete_at } })
      recent.drop()
    },

    /** Ends every session of every account; returns their number. */
    async endEverybody(): Promise<number> {
      const { modifiedCount } = await sessions.updateMany(
        { ended_at: null, expires_at: { $gt: clock.seconds() } },
        { $set: { ended_at: clock.now() } },
      )
      recent.drop()
      return modifiedCount
    },

    /**
     * Lists the ids of sessions that ended at or after a time in Unix milliseconds, and the accounts that further
     * stages of the same query append.
     */
    async listChangesSince(
      ms: number,
      accountStages: Document[],
    ): Promise<{ ended: string[]; accounts: ChangedAccount[] }> {
      const stages = [{ $match: { ended_at: { $gte: ms } } }, { $project: { _id: 1 } }, ...accountStages]
      const rows = await sessions.aggregate<{ _id: string } | ChangedAccount>(stages).toArray()
      return {
        ended: rows.flatMap((row) => ('enabled' in row ? [] : [row._id])),
        accounts: rows.filter((row) => 'enabled' in row),
      }
    },
  }
}
