import { randomUUID } from 'node:crypto'

/** The bot. */
export const BOT = '@helper:fake.test'

/** The group room that the bot is in; direct rooms are one per person. */
export const GROUP = '!group:fake.test'
export const directRoom = (person: string) => `!direct-${person}:fake.test`
export const isDirectRoom = (room_id: string) => room_id.startsWith('!direct-')

/** An event as the homeserver delivers it. */
export interface WireEvent {
  type: string
  event_id: string
  sender: string
  origin_server_ts: number
  // biome-ignore lint/suspicious/noExplicitAny: people write anything.
  content: any
  state_key?: string
  unsigned?: object
}

/** An event at its place in the stream of the homeserver; one that is delivered twice has two. */
interface Delivery {
  at: number
  event: WireEvent
}

/** A room with its members and its events. */
export interface WireRoom {
  members: Map<string, 'join' | 'invite' | 'leave'>
  names: Map<string, string>
  deliveries: Delivery[]
  /** Events that are older than the timeline. */
  archive: WireEvent[]
}

/** The parameters of a request for news. */
export interface SyncQuery {
  since: number | undefined
  types: readonly string[]
  limit: number
}

/** Creates the rooms of a homeserver and the stream of their events. */
export function createWorld() {
  const rooms = new Map<string, WireRoom>()
  const waiting = new Set<() => void>()
  let position = 0

  function deliver(room_id: string, event: WireEvent): number {
    position += 1
    rooms.get(room_id)!.deliveries.push({ at: position, event })
    for (const wake of [...waiting]) wake()
    return position
  }

  function add(room_id: string, fields: Partial<WireEvent> & { sender: string }): WireEvent {
    const event: WireEvent = {
      type: 'm.room.message',
      event_id: `$${randomUUID()}`,
      origin_server_ts: Date.now(),
      content: {},
      ...fields,
    }
    deliver(room_id, event)
    return event
  }

  function setMember(
    room_id: string,
    user: string,
    membership: 'join' | 'invite' | 'leave',
    sender = user,
  ): void {
    const room = rooms.get(room_id)!
    const previous = room.members.get(user)
    room.members.set(user, membership)
    const displayname = room.names.get(user)
    add(room_id, {
      type: 'm.room.member',
      sender,
      state_key: user,
      content: { membership, ...(displayname && { displayname }) },
      ...(previous && { unsigned: { prev_content: { membership: previous } } }),
    })
  }

  function createRoom(room_id: string, members: string[]): WireRoom {
    const room: WireRoom = { members: new Map(), names: new Map(), deliveries: [], archive: [] }
    rooms.set(room_id, room)
    for (const user of members) {
      room.names.set(user, user === BOT ? 'Helper' : user)
      setMember(room_id, user, 'join')
    }
    return room
  }

  /** Lists the events of a room between two positions, as the homeserver shows them to a member. */
  const between = (room: WireRoom, from: number, to: number, types: readonly string[]) =>
    room.deliveries.filter(({ at, event }) => at > from && at <= to && types.includes(event.type))

  function readNews({ since, types, limit }: SyncQuery, user: string) {
    const join: Record<string, object> = {}
    const invite: Record<string, object> = {}
    const leave: Record<string, object> = {}
    for (const [room_id, room] of rooms) {
      const membership = room.members.get(user)
      const isNew = room.deliveries.some(
        ({ at, event }) =>
          at > (since ?? 0) && event.state_key === user && event.content.membership === 'join',
      )
      // Of a room that was just joined, also what was before.
      const news = between(room, isNew ? 0 : (since ?? 0), position, types)
      const changed = news.some(({ event }) => event.state_key === user && event.type === 'm.room.member')
      if (membership === 'invite' && (changed || since === undefined))
        invite[room_id] = {
          invite_state: {
            events: news.map(({ event }) => event).filter((event) => event.state_key === user),
          },
        }
      if (membership === 'leave' && changed) leave[room_id] = {}
      if (membership !== 'join' || (news.length === 0 && since !== undefined)) continue
      const shown = news.slice(-limit)
      join[room_id] = {
        state: { events: [] },
        timeline: {
          events: shown.map(({ event }) => event),
          limited: shown.length < news.length,
          prev_batch: `t${(shown[0]?.at ?? position + 1) - 1}`,
        },
      }
    }
    const parts = Object.entries({ join, invite, leave }).filter(([, part]) => Object.keys(part).length > 0)
    return { next_batch: `s${position}`, ...(parts.length > 0 && { rooms: Object.fromEntries(parts) }) }
  }

  createRoom(GROUP, ['ann', BOT, 'bob'])

  return {
    rooms,
    add,
    deliver,
    setMember,
    createRoom,
    between,
    readNews,
    position: () => position,
    /** Returns the direct room of a person, which is created if there is none. */
    direct(person: string): string {
      const room_id = directRoom(person)
      if (!rooms.has(room_id)) createRoom(room_id, [person, BOT])
      return room_id
    },
    findEvent(room_id: string, event_id: string): WireEvent | undefined {
      const room = rooms.get(room_id)
      const delivered = room?.deliveries.find(({ event }) => event.event_id === event_id)?.event
      return delivered ?? room?.archive.find((event) => event.event_id === event_id)
    },
    /** Resolves when something is delivered, or the signal is aborted. */
    news: (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        const wake = () => {
          waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        waiting.add(wake)
        signal.addEventListener('abort', wake)
        if (signal.aborted) wake()
      }),
  }
}

/** The rooms of a homeserver. */
export type World = ReturnType<typeof createWorld>
