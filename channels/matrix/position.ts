import type { ChannelLink, JSONValue } from '#plugin-api'

/** Older entries beyond these numbers are dropped: a position has at most 16 KiB. */
const MAX_ROOMS = 12
const MAX_SEEN = 30
/** The longest ids of a room and its event together; usual ones have about 80 characters. */
const MAX_SEEN_CHARS = 200

/** The stored state of a channel. */
interface Position {
  /** The position in what the homeserver delivers, its `next_batch`; missing before the first answer. */
  since?: string
  /** The newest event that was read in each room. */
  seen?: [room_id: string, event_id: string][]
  /** The access token that the homeserver gave for the password. */
  token?: string
  /** Encrypted rooms in which the bot has said that it cannot read them. */
  notified?: string[]
  /** Rooms whose invitation is accepted, but which could not be joined yet. */
  invites?: string[]
}

/** Creates the view of a channel's stored state. */
export function createPosition(cursor: ChannelLink['cursor']) {
  const current: Position = { ...(cursor.get() as Position | undefined) }
  const pack = (): JSONValue => JSON.parse(JSON.stringify(current))
  const without = (rooms: string[] = [], room_id: string) => rooms.filter((room) => room !== room_id)

  /** Returns the state behind these events of rooms. */
  const behind = (since: string, newest: ReadonlyMap<string, string>): Position => ({
    ...current,
    since,
    seen: [...(current.seen ?? []).filter(([room_id]) => !newest.has(room_id)), ...newest]
      .filter((ids) => ids.join('').length <= MAX_SEEN_CHARS)
      .slice(-MAX_SEEN),
  })

  return {
    since: () => current.since,
    token: () => current.token,
    invites: (): readonly string[] => current.invites ?? [],
    wasTold: (room_id: string) => current.notified?.includes(room_id) ?? false,

    /** Returns the newest event that was read in a room. */
    seenIn: (room_id: string) => current.seen?.find(([room]) => room === room_id)?.[1],

    /** Returns the state with this position, to be stored with the last message before it; `newest` are the events read. */
    at: (since: string, newest: ReadonlyMap<string, string>): JSONValue =>
      JSON.parse(JSON.stringify(behind(since, newest))),
    /** Notes that everything before this position is stored. */
    moveTo(since: string, newest: ReadonlyMap<string, string>): void {
      Object.assign(current, behind(since, newest))
    },
    async saveToken(token: string): Promise<void> {
      current.token = token
      await cursor.set(pack())
    },
    addInvite(room_id: string): void {
      current.invites = [...without(current.invites, room_id), room_id].slice(-MAX_ROOMS)
    },
    removeInvite(room_id: string): void {
      current.invites = without(current.invites, room_id)
    },
    addTold(room_id: string): void {
      current.notified = [...without(current.notified, room_id), room_id].slice(-MAX_ROOMS)
    },
    /** Stores the state as it is. */
    save: (): Promise<void> => cursor.set(pack()),
  }
}

/** The stored state of an open channel. */
export type StoredPosition = ReturnType<typeof createPosition>
