import type { CollectionInfo } from 'mongodb'
import { isUnavailable } from '#plugin-api'
import { createDatabaseTransport } from './database-transport.ts'
import type { Cradle } from './manifest.ts'
import { createNatsEnvelope, createNatsTransport, toNatsSettings } from './nats-transport.ts'

import type { Nodes } from './nodes.ts'
import type { Facts, Packet } from './types.ts'

/** The time for which facts are collected before they are sent together, in milliseconds. */
const COLLECT_MS = 5
/** The most facts that are sent together. */
const MAX_FACTS = 500
/** The most facts that wait to be sent; more of them are dropped, and the others look at everything. */
const MAX_WAITING = 20_000
const RETRY_MS = 5000
/** Tells the others that facts of this process may have been lost. */
const MISSED = 'signals.missed'

/** The channel between the server processes on one database. */
export type Signals = ReturnType<typeof createSignals>

/** Creates the channel. It is silent while this process is the only one. */
export function createSignals({
  collections,
  config: { nats_url },
  nodes,
  log,
  secrets,
  server: { node_id },
}: { nodes: Nodes } & Pick<Cradle, 'collections' | 'config' | 'log' | 'secrets' | 'server'>) {
  const listeners = new Map<string, ((payload: never) => unknown)[]>()
  const onMissed: (() => unknown)[] = []
  let waiting: [name: string, payload: unknown][] = []
  let isOpen = false
  let sending: Promise<void> | undefined
  let changing = Promise.resolve()
  let isStopped = false

  const call = async (listener: () => unknown, name: string) => {
    try {
      await listener()
    } catch (error) {
      if (!isUnavailable(error)) log.error({ error, signal: name }, 'a listener to a signal failed')
    }
  }

  const notifyMissed = () => {
    for (const listener of onMissed) void call(listener, MISSED)
  }

  const receive = ({ facts }: Packet) => {
    nodes.hurry()
    for (const [name, payload] of facts) {
      if (name === MISSED) notifyMissed()
      for (const listener of listeners.get(name) ?? []) void call(() => listener(payload as never), name)
    }
  }

  /** The id that the database gave a collection when it was made, which is the same for all of its processes. */
  const readSpace = async () => {
    const { db, collectionName: name } = collections.nodes
    const [info] = (await db.listCollections({ name }).toArray()) as CollectionInfo[]
    return String(info!.info?.uuid)
  }

  const listener = { receive, missed: notifyMissed }
  const topics =
    nats_url === undefined
      ? undefined
      : createNatsTransport(
          {
            settings: toNatsSettings(nats_url),
            readSpace,
            envelope: createNatsEnvelope({ secrets, node_id }),
            node_id,
            log,
          },
          listener,
        )
  const transport =
    topics ?? createDatabaseTransport({ collection: collections.signals, node_id, log }, listener)

  const send = async () => {
    await new Promise((resolve) => setTimeout(resolve, COLLECT_MS))
    while (waiting.length > 0) {
      const facts = waiting.splice(0, MAX_FACTS)
      try {
        await transport.send({ from: node_id, facts })
      } catch (error) {
        if (!isUnavailable(error)) log.warn({ error }, 'signals could not be sent')
        waiting = [[MISSED, null]]
        return
      }
    }
  }

  const add = (name: string, payload: unknown) => {
    if (waiting.length >= MAX_WAITING) waiting = [[MISSED, null]]
    waiting.push([name, payload])
    sending ??= send().finally(() => {
      sending = undefined
    })
  }

  /** Opens or closes the transport when others come or all of them leave. */
  const follow = () => {
    changing = changing.then(async () => {
      const isWanted = nodes.peers > 0 && !isStopped
      try {
        if (isWanted && !isOpen) {
          await transport.open()
          isOpen = true
        } else if (!isWanted && isOpen) {
          isOpen = false
          await sending
          await transport.close()
        }
      } catch (error) {
        log.warn({ error }, 'the channel of signals could not be opened; retrying')
        setTimeout(follow, RETRY_MS).unref()
      }
      // Until now, new processes did not receive from this one, nor this one from them.
      if (isOpen) {
        add(MISSED, null)
        notifyMissed()
      }
    })
  }
  nodes.onChange(follow)

  const tell = (topic: string, payload: unknown): void => {
    if (nodes.peers > 0) topics?.tell(topic, payload)
  }

  return {
    /** Notifies the other processes, if there are any. A fact may get lost, so it must only save time. */
    publish<Name extends keyof Facts>(name: Name, payload: Facts[Name]): void {
      if (nodes.peers > 0 && !isStopped) add(name, payload)
    },
    /** Calls a listener with the facts of a name that other processes publish. */
    on<Name extends keyof Facts>(name: Name, listener: (payload: Facts[Name]) => unknown): void {
      listeners.set(name, [...(listeners.get(name) ?? []), listener])
    },
    /** Calls a listener when facts may have been lost, also when another process has joined. */
    onMissed: (listener: () => unknown) => void onMissed.push(listener),
    tell: topics && tell,
    listen: topics?.listen ?? (() => () => undefined),
    async start(): Promise<void> {
      await nodes.start()
      await changing
    },
    async stop(): Promise<void> {
      isStopped = true
      follow()
      await changing
      await nodes.stop()
    },
  }
}
