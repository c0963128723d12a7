import type { MatrixApi } from './api.ts'
import { roomPath } from './api.ts'
import { readString } from './events.ts'
import { isFinal } from './failure.ts'

/** Rooms beyond this number are forgotten and asked for again. */
const MAX_ROOMS = 500

/** The members of a room. */
export interface Room {
  /** True if the bot is alone with one person. */
  is_direct: boolean
  /** Display names by user. */
  names: ReadonlyMap<string, string>
}

/** Creates the register of rooms and their members, who are requested when they are needed. */
export function createRooms(api: MatrixApi) {
  const rooms = new Map<string, Promise<Room>>()

  async function fetchRoom(room_id: string, signal: AbortSignal): Promise<Room> {
    try {
      const path = roomPath(room_id, 'joined_members')
      const { joined = {} } = await api.callPatiently<{
        joined?: Record<string, { display_name?: unknown } | null>
      }>({ method: 'GET', path }, signal)
      const names = Object.entries(joined).flatMap(([user_id, member]) => {
        const name = readString(member?.display_name)?.trim()
        return name ? [[user_id, name] as const] : []
      })
      return { is_direct: Object.keys(joined).length <= 2, names: new Map(names) }
    } catch (error) {
      // Without its members a room is a group, in which the bot must be mentioned.
      if (isFinal(error)) return { is_direct: false, names: new Map() }
      throw error
    }
  }

  return {
    /** Returns a room as it is now. */
    view(room_id: string, signal: AbortSignal): Promise<Room> {
      const viewed = rooms.get(room_id)
      if (viewed) return viewed
      const fetched = fetchRoom(room_id, signal)
      rooms.set(room_id, fetched)
      if (rooms.size > MAX_ROOMS) rooms.delete(rooms.keys().next().value!)
      fetched.catch(() => {
        if (rooms.get(room_id) === fetched) rooms.delete(room_id)
      })
      return fetched
    },
    /** Forgets a room whose members have changed. */
    forget: (room_id: string): void => void rooms.delete(room_id),
  }
}

/** The register of rooms. */
export type Rooms = ReturnType<typeof createRooms>
