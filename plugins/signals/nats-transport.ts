import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node'
import { isUnavailable, type Logger } from '#kernel'
import type { Ear, Packet, Topics, Transport } from './types.ts'

/** The time for the first connection, in milliseconds. */
const CONNECT_MS = 5000
/** Larger payloads are not sent, because servers refuse more than a megabyte by default, in bytes. */
const MAX_BYTES = 524_288

/** The options of a connection with NATS. */
type NatsSettings = Pick<ConnectionOptions, 'servers' | 'user' | 'pass' | 'token' | 'tls'>

/** Splits addresses such as `nats://user:password@host:4222,nats://other` into the options of the client. */
export function toNatsSettings(addresses: string): NatsSettings {
  const urls = addresses.split(',').map((address) => new URL(address.trim()))
  const { username, password, protocol } = urls[0]!
  const [user, pass] = [username, password].map(decodeURIComponent)
  return {
    servers: urls.map(({ host }) => host),
    ...(pass ? { user, pass } : user ? { token: user } : {}),
    ...(protocol === 'tls:' && { tls: {} }),
  }
}

/** Connects to NATS; the package is loaded only here. */
export async function connectNats(settings: NatsSettings, name: string): Promise<NatsConnection> {
  const { connect } = await import('@nats-io/transport-node')
  return connect({ ...settings, name, noEcho: true, maxReconnectAttempts: -1, timeout: CONNECT_MS })
}

/** Makes the transport over NATS. Databases that share a NATS server differ in the `space` of their subjects. */
export function createNatsTransport(
  {
    settings,
    readSpace,
    node_id,
    log,
  }: { settings: NatsSettings; readSpace: () => Promise<string>; node_id: string; log: Logger },
  ear: Ear,
): Transport & Topics {
  const listeners = new Map<string, { listener: (payload: unknown) => void; leave?: () => void }>()
  let connection: NatsConnection | undefined
  let space = ''

  const subscribe = (subject: string, receive: (payload: never) => void) => {
    const subscription = connection!.subscribe(`svc.${space}.${subject}`, {
      callback(error, message) {
        if (error) return log.warn({ error }, 'a signal could not be received')
        receive(message.json() as never)
      },
    })
    return () => subscription.unsubscribe()
  }

  const publish = (subject: string, payload: unknown) => {
    const text = JSON.stringify(payload)
    if (!connection || connection.isClosed() || Buffer.byteLength(text) > MAX_BYTES) return false
    connection.publish(`svc.${space}.${subject}`, text)
    return true
  }

  const watch = async (opened: NatsConnection) => {
    for await (const status of opened.status()) {
      if (status.type === 'disconnect') log.warn({ server: status.server }, 'NATS is unavailable')
      if (status.type === 'error') log.warn({ error: status.error }, 'NATS has reported an error')
      if (status.type === 'reconnect') ear.missed()
    }
  }

  return {
    async open() {
      space = await readSpace()
      const opened = await connectNats(settings, `svc ${node_id}`)
      connection = opened
      watch(opened).catch((error) => {
        if (!isUnavailable(error)) log.error({ error }, 'the connection with NATS cannot be watched')
      })
      subscribe('signals', (packet: Packet) => ear.receive(packet))
      for (const [topic, entry] of listeners) entry.leave = subscribe(topic, entry.listener)
      // The server knows the subscriptions then.
      await opened.flush()
    },
    async send(packet) {
      if (!publish('signals', packet)) throw new Error('NATS does not take the signals')
    },
    async close() {
      const closing = connection
      connection = undefined
      for (const entry of listeners.values()) entry.leave = undefined
      await closing?.drain()
    },
    tell: publish,
    listen(topic, listener) {
      const entry = { listener, leave: connection && subscribe(topic, listener) }
      listeners.set(topic, entry)
      return () => {
        if (listeners.get(topic) === entry) listeners.delete(topic)
        entry.leave?.()
      }
    },
  }
}
