import { isDeepStrictEqual } from 'node:util'
import type { ChannelCursor, InboundMessage, JSONValue } from '#plugin-api'
import type { KnownKind } from '../config/kinds.ts'
import type { ChannelInbox } from '../conversations/intake.ts'
import type { StoredCursor } from '../documents.ts'
import type { Cradle } from '../manifest.ts'

/** The longest position of a channel, in bytes of JSON. */
const MAX_POSITION_BYTES = 16 * 1024

/** The cursor of a channel, and the inbox that moves it. */
export interface OpenChannelCursor extends ChannelCursor {
  /** Reads what is stored. */
  load(): Promise<void>
  /** Stores a message and the position behind it in one write, after the calls before. */
  receive(message: InboundMessage, position?: JSONValue): Promise<void>
}

/** Creates the cursor of a channel with this config; a position that was stored for another account does not count. */
export function createChannelCursor({
  channel_id,
  kind,
  config,
  inbox,
  cradle: { collections, messageInbox, secrets },
}: {
  channel_id: string
  kind: KnownKind
  config: Readonly<Record<string, unknown>>
  inbox: ChannelInbox
  cradle: Pick<Cradle, 'collections' | 'messageInbox' | 'secrets'>
}): OpenChannelCursor {
  const { channels } = collections
  const purpose = `cursor:${channel_id}`
  const account = describeAccount(kind, config)
  let current: JSONValue | undefined
  let newest = 0
  let last: Promise<void> = Promise.resolve()

  /** Runs one call after the other. A failure refuses those that wait: a later position would skip its message. */
  const inOrder = (act: () => Promise<void>): Promise<void> => {
    const next = last.then(act)
    last = next
    next.catch(() => {
      if (last === next) last = Promise.resolve()
    })
    return next
  }

  const toStored = (position: JSONValue): StoredCursor => {
    const text = JSON.stringify({ account, position })
    if (position === undefined || Buffer.byteLength(text) > MAX_POSITION_BYTES)
      throw new Error(`the position of a channel must have at most ${MAX_POSITION_BYTES} bytes of JSON`)
    newest += 1
    return { text, number: newest }
  }

  const save = async ({ text, number }: StoredCursor, position: JSONValue) => {
    await channels.updateOne(
      { _id: channel_id, $or: [{ cursor_number: { $exists: false } }, { cursor_number: { $lt: number } }] },
      { $set: { cursor: secrets.seal(text, purpose), cursor_number: number } },
    )
    current = position
  }

  return {
    async load() {
      const [channel, received] = await Promise.all([
        channels.findOne({ _id: channel_id }, { projection: { cursor: 1, cursor_number: 1 } }),
        messageInbox.findCursor(channel_id),
      ])
      const ownPosition = { text: undefined as string | undefined, number: channel?.cursor_number ?? 0 }
      if (channel?.cursor) ownPosition.text = secrets.open(channel.cursor, purpose)
      // A crash came between the message and its channel.
      const { text, number } = received && received.number > ownPosition.number ? received : ownPosition
      newest = number
      const stored = text === undefined ? undefined : JSON.parse(text)
      current = isDeepStrictEqual(stored?.account, account) ? stored.position : undefined
    },
    get: () => structuredClone(current),
    set: (position) => inOrder(() => save(toStored(position), structuredClone(position))),
    receive(message, position) {
      if (position === undefined) return inbox.receive(message)
      const copy = structuredClone(position)
      return inOrder(async () => {
        const stored = toStored(copy)
        await inbox.receive(message, stored)
        await save(stored, copy)
      })
    },
  }
}

/** Returns what tells the account and the addresses of a config from others, as JSON has it. */
function describeAccount(kind: KnownKind, config: Readonly<Record<string, unknown>>): JSONValue {
  const identity = kind.identity?.(config)
  const own = Object.keys(Object(kind.config_schema.properties))
  const names = identity === undefined ? own : (kind.addresses ?? [])
  const fields = [...names].sort().map((name) => [name, config[name] ?? null])
  return JSON.parse(JSON.stringify([identity ?? null, fields]))
}
