import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type {
  FakePlatform,
  Place,
  Saying,
  SentFile,
  ShownMessage,
} from '../../plugin-api/testing/fake-platform.ts'
import { createFakeApi, type Troubles } from './fake-matrix-api.ts'
import { BOT, createWorld, GROUP, isDirectRoom, type WireEvent, type World } from './fake-matrix-world.ts'

/** The fake of a Matrix homeserver, with what only Matrix has. */
export interface FakeMatrix extends FakePlatform {
  world: World
  troubles: Troubles
  password: string
  /** The config that signs in with the password. */
  password_config: Record<string, unknown>
  tokens: Map<string, string>
  receipts: string[]
  /** Rooms that the bot may join without an invitation. */
  joinable: Set<string>
  /** Adds an event of any kind; resolves when the bot has it. */
  write(room_id: string, fields: Partial<WireEvent>): Promise<string>
  /** Stores a file; returns its address. */
  host(file: SentFile): string
  /** The events of the bot in a room, oldest first. */
  eventsOf(room_id: string): WireEvent[]
  /** Ends every session of the bot. */
  revoke(): void
}

/** Starts a homeserver on loopback, with the bot in a group room. */
export async function startFakeMatrix(): Promise<FakeMatrix> {
  const world = createWorld()
  const violations: string[] = []
  const files = new Map<string, SentFile>()
  const password = `pass ${randomUUID()}`
  const access_token = `syt_${randomUUID()}`
  const tokens = new Map([[access_token, 'BY_HAND']])
  const troubles: Troubles = { limited: { calls: 0, seconds: 0 }, failing: 0, answers: [], is_old: false }
  const waiting = new Map<() => void, number>()
  const polls = new Set<IncomingMessage>()
  const receipts: string[] = []
  const joinable = new Set<string>()
  let seenUpTo = 0
  let typings = 0

  const api = createFakeApi({
    world,
    troubles,
    violations,
    password,
    tokens,
    files,
    polls,
    receipts,
    joinable,
    typed: () => void typings++,
    seen(position) {
      seenUpTo = Math.max(seenUpTo, position)
      for (const [resolve, at] of waiting) if (at <= position) resolve()
    },
  })
  const server = createServer((request, response) => {
    api(request, response).catch((error) => {
      violations.push(String(error))
      response.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const homeserver = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const seen = (position: number) =>
    new Promise<void>((resolve, reject) => {
      if (seenUpTo >= position) return resolve()
      const timer = setTimeout(() => reject(new Error('the bot never took the message')), 40_000)
      waiting.set(() => {
        clearTimeout(timer)
        resolve()
      }, position)
    })

  function host(file: SentFile): string {
    const id = randomUUID().replaceAll('-', '')
    files.set(`/fake.test/${id}`, file)
    return `mxc://fake.test/${id}`
  }

  const roomOf = (place: Place, sender: string) => (place === 'group' ? GROUP : world.direct(sender))

  function compose({ text, place = 'direct', sender = 'ann', mention = true, ...more }: Saying): {
    room_id: string
    fields: Partial<WireEvent> & { sender: string }
  } {
    const room_id = roomOf(place, sender)
    const isMention = place === 'group' && mention
    const content: Record<string, unknown> = {
      msgtype: 'm.text',
      body: isMention ? `Helper: ${text}` : text,
      'm.mentions': isMention ? { user_ids: [BOT] } : {},
      ...(isMention && {
        format: 'org.matrix.custom.html',
        formatted_body: `<a href="https://matrix.to/#/${encodeURIComponent(BOT)}">Helper</a>: ${text}`,
      }),
    }
    if (more.quote !== undefined) {
      const event_id = `$${randomUUID()}`
      const original = { msgtype: 'm.text', body: more.quote }
      world.rooms.get(room_id)!.archive.push({
        type: 'm.room.message',
        event_id,
        sender: 'ben',
        origin_server_ts: 0,
        content: original,
      })
      content['m.relates_to'] = { 'm.in_reply_to': { event_id } }
    }
    if (more.file) {
      const { filename, media_type, bytes } = more.file
      Object.assign(content, {
        msgtype: 'm.file',
        filename,
        url: host(more.file),
        info: { mimetype: media_type, size: bytes.length },
      })
    }
    return {
      room_id,
      fields: {
        sender,
        content,
        ...(more.id !== undefined && { event_id: more.id }),
        ...(more.sent_at !== undefined && { origin_server_ts: more.sent_at }),
      },
    }
  }

  function listShown(): ShownMessage[] {
    const shown = new Map<string, ShownMessage & { at: number }>()
    for (const [room_id, room] of world.rooms)
      for (const { at, event } of room.deliveries) {
        const { sender, type, content, event_id } = event
        if (sender !== BOT || type !== 'm.room.message') continue
        const relation = content['m.relates_to']
        const original = relation?.rel_type === 'm.replace' ? shown.get(relation.event_id) : undefined
        if (original) {
          if (original.text !== content['m.new_content'].body) original.history.push(original.text)
          original.text = content['m.new_content'].body
          continue
        }
        const stored = content.url && files.get(content.url.replace('mxc:/', ''))
        shown.set(event_id, {
          at,
          id: event_id,
          place: isDirectRoom(room_id) ? 'direct' : 'group',
          text: stored ? '' : content.body,
          history: [],
          is_live: false,
          buttons: [],
          ...(stored && { file: { ...stored, filename: content.filename } }),
        })
      }
    return [...shown.values()].sort((a, b) => a.at - b.at).map(({ at: _, ...message }) => message)
  }

  const say = (saying: Saying) => {
    const { room_id, fields } = compose(saying)
    return world.add(room_id, fields).event_id
  }

  return {
    endpoints: {},
    allow_hosts: ['127.0.0.1'],
    config: { homeserver, user_id: BOT, access_token },
    password_config: { homeserver, user_id: BOT, password },
    wrong_config: { homeserver, user_id: BOT, access_token: 'syt_wrong' },
    world,
    troubles,
    violations,
    password,
    tokens,
    receipts,
    joinable,
    host,
    async write(room_id, fields) {
      const { event_id } = world.add(room_id, { sender: 'ann', ...fields })
      await seen(world.position())
      return event_id
    },
    async say(saying) {
      const event_id = say(saying)
      await seen(world.position())
      return event_id
    },
    sayUnheard: async (saying) => say(saying),
    async redeliver(id) {
      for (const [room_id, room] of world.rooms) {
        const delivery = room.deliveries.find(({ event }) => event.event_id === id)
        if (delivery) await seen(world.deliver(room_id, delivery.event))
      }
    },
    shown: (place) => listShown().filter((message) => !place || message.place === place),
    eventsOf: (room_id) =>
      world.rooms
        .get(room_id)!
        .deliveries.map(({ event }) => event)
        .filter(({ sender, type }) => sender === BOT && type === 'm.room.message'),
    press: async () => undefined,
    connections: () => polls.size,
    drop() {
      for (const { socket } of polls) socket.destroy()
    },
    limitRate(calls, seconds) {
      Object.assign(troubles.limited, { calls, seconds })
    },
    fail(calls) {
      troubles.failing = calls
    },
    typings: () => typings,
    revoke: () => tokens.clear(),
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
