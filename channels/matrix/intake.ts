import type { ChannelLink, InboundMessage } from '#plugin-api'
import { type MatrixApi, roomPath } from './api.ts'
import type { Content, JoinedRoom, MatrixEvent, SyncAnswer } from './events.ts'
import { isFinal } from './failure.ts'
import { readMessage, type Target } from './inbound.ts'
import type { createInvites } from './invites.ts'
import type { createOutbound } from './outbound.ts'
import type { StoredPosition } from './position.ts'
import type { Rooms } from './rooms.ts'
import { readTimeline } from './timeline.ts'

/** Said once in an encrypted room. */
const ENCRYPTED =
  'This room is encrypted, and I cannot read encrypted messages. Please invite me to a room without encryption.\n\n' +
  '此房间已加密，我无法读取加密消息。请邀请我加入未加密的房间。'

/** Creates the handler of a sync: it stores the messages, and the position behind the last of them. */
export function createIntake({
  api,
  link,
  position,
  rooms,
  invites,
  outbound,
  user_id,
  accepts,
  signal,
}: {
  api: MatrixApi
  link: ChannelLink
  position: StoredPosition
  rooms: Rooms
  invites: ReturnType<typeof createInvites>
  outbound: ReturnType<typeof createOutbound>
  user_id: string
  accepts(sender: string): boolean
  signal: AbortSignal
}) {
  const { log } = link
  const receipts = new Set<Promise<void>>()

  async function fetchEvent(room_id: string, event_id: string): Promise<MatrixEvent | undefined> {
    try {
      const path = roomPath(room_id, 'event', event_id)
      return await api.callPatiently<MatrixEvent>({ method: 'GET', path }, signal)
    } catch (error) {
      // The message may be from before the bot joined.
      if (isFinal(error)) return undefined
      throw error
    }
  }

  /** Reads a message; an unreadable one is logged and dropped, because another delivery would be unreadable too. */
  async function read(event: MatrixEvent, room_id: string): Promise<InboundMessage | undefined> {
    try {
      return await readMessage(event, {
        room_id,
        user_id,
        viewRoom: () => rooms.view(room_id, signal),
        fetchEvent: (event_id) => fetchEvent(room_id, event_id),
      })
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      log.warn({ error, room_id }, 'the homeserver delivered an unreadable message')
      return undefined
    }
  }

  /** Joins the room that replaces another one; if that needs an invitation, the room is joined when it comes. */
  async function join({ sender, content }: MatrixEvent): Promise<void> {
    const replacement = content?.replacement_room
    if (typeof replacement !== 'string') return
    try {
      await invites.join(replacement, sender?.slice(sender.indexOf(':') + 1))
    } catch (error) {
      if (!isFinal(error)) throw error
      log.info({ error, replacement }, 'the room that replaces another one cannot be joined yet')
    }
  }

  /** Moves the conversation of a room to the one that replaces it, if the old room says so as well. */
  async function moveFrom(predecessor: string, room_id: string): Promise<void> {
    const path = roomPath(predecessor, 'state', 'm.room.tombstone')
    try {
      const { replacement_room } = await api.callPatiently<Content>({ method: 'GET', path }, signal)
      const target: Target = { room_id }
      if (replacement_room === room_id) await link.moved(predecessor, { id: room_id, target })
    } catch (error) {
      if (!isFinal(error)) throw error
      log.info({ error, room_id }, 'the room that a new one claims to replace cannot be read')
    }
  }

  /** Says in an encrypted room that nothing can be read there, unless it was said before. */
  async function explainEncryption(room_id: string): Promise<void> {
    if (position.wasTold(room_id)) return
    try {
      await outbound.notify(room_id, `encrypted-${room_id}`, ENCRYPTED, signal)
    } catch (error) {
      if (!isFinal(error)) throw error
      log.warn({ error, room_id }, 'the room is encrypted, which could not be said there')
    }
    position.addTold(room_id)
  }

  async function readRoom(room_id: string, room: JoinedRoom, since: string): Promise<InboundMessage[]> {
    const created = listEvents(room).find(({ type }) => type === 'm.room.create')
    const predecessor = created?.content?.predecessor?.room_id
    if (typeof predecessor === 'string') await moveFrom(predecessor, room_id)
    const events = await readTimeline(room, {
      api,
      log,
      room_id,
      user_id,
      since,
      last_read: position.seenIn(room_id),
      signal,
    })
    const messages: InboundMessage[] = []
    for (const event of events) {
      if (event.type === 'm.room.tombstone') await join(event)
      const message = await read(event, room_id)
      if (message) messages.push(message)
    }
    const isEncrypted = [...listEvents(room), ...events].some(
      ({ type, sender }) =>
        type === 'm.room.encryption' ||
        (type === 'm.room.encrypted' && sender !== undefined && sender !== user_id && accepts(sender)),
    )
    if (isEncrypted) await explainEncryption(room_id)
    return messages
  }

  /** Shows in the background that messages were read. */
  function confirm(messages: readonly InboundMessage[]): void {
    const newest = new Map(messages.map(({ id, target }) => [(target as Target).room_id, id]))
    for (const [room_id, event_id] of newest) {
      const path = roomPath(room_id, 'receipt', 'm.read', event_id)
      const sent = api
        .call({ method: 'POST', path, body: {} }, signal)
        .then(
          () => {},
          (error) => {
            if (!signal.aborted) log.info({ error, room_id }, 'a read receipt could not be sent')
          },
        )
        .finally(() => receipts.delete(sent))
      receipts.add(sent)
    }
  }

  return {
    async handle(answer: SyncAnswer, since: string | undefined): Promise<void> {
      const { join = {}, leave = {} } = answer.rooms ?? {}
      for (const room_id of Object.keys(leave)) rooms.forget(room_id)
      const messages: InboundMessage[] = []
      const newest = new Map<string, string>()
      for (const [room_id, room] of Object.entries(join)) {
        const events = listEvents(room)
        const last = room.timeline?.events?.at(-1)?.event_id
        if (last) newest.set(room_id, last)
        if (room.timeline?.limited || events.some(({ type }) => type === 'm.room.member'))
          rooms.forget(room_id)
        // Messages from before the first connection are not answered.
        if (since !== undefined) messages.push(...(await readRoom(room_id, room, since)))
      }
      invites.collect(answer)
      const behind = position.at(answer.next_batch, newest)
      for (const [index, message] of messages.entries())
        await link.receive(message, index === messages.length - 1 ? behind : undefined)
      position.moveTo(answer.next_batch, newest)
      // Without news, the position before them serves as well.
      if (messages.length === 0 && (since === undefined || answer.rooms)) await position.save()
      confirm(messages)
      invites.accept()
    },
    /** Resolves when no receipt is under way. */
    async ended(): Promise<void> {
      await Promise.all(receipts)
      await invites.ended()
    },
  }
}

/** Lists the events that an answer has of a room; its state may be among the events before the account joined. */
const listEvents = ({ state, timeline }: JoinedRoom): MatrixEvent[] => [
  ...(state?.events ?? []),
  ...(timeline?.events ?? []),
]
