import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node'
import { isUnavailable, type Logger } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { Packet, PacketListener, Topics, Transport } from './types.ts'

/** The time for the first connection, in milliseconds. */
const CONNECT_MS = 5000
/** Longer messages are not sent, because servers refuse more than a megabyte by default, in bytes. */
const MAX_BYTES = 786_432
/** The least time between two lines of the log about messages of others, in milliseconds. */
const REFUSAL_LOG_MS = 60_000

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
    envelope,
    node_id,
    log,
  }: {
    settings: NatsSettings
    readSpace: () => Promise<string>
    envelope: NatsEnvelope
    node_id: string
    log: Logger
  },
  listener: PacketListener,
): Transport & Required<Topics> {
  const listeners = new Map<string, { listener: (payload: unknown) => void; leave?: () => void }>()
  let connection: NatsConnection | undefined
  let space = ''
  let refusals = 0
  let refusalLoggedAt = Number.NEGATIVE_INFINITY

  /** Logs seldom that messages are refused: other clients of NATS may send any number of them. */
  const noteRefusal = (error: unknown, subject: string) => {
    refusals += 1
    if (performance.now() - refusalLoggedAt < REFUSAL_LOG_MS) return
    log.warn(
      { error, subject, refusals },
      'NATS carries messages that no server with this secret.key has sent',
    )
    refusals = 0
    refusalLoggedAt = performance.now()
  }

  const subscribe = (topic: string, receive: (payload: never) => void) => {
    const subject = `svc.${space}.${topic}`
    const open = envelope.createOpener(subject)
    const subscription = connection!.subscribe(subject, {
      callback(error, message) {
        if (error) return log.warn({ error }, 'a signal could not be received')
        let payload: unknown
        try {
          payload = open(message.string())
        } catch (refusal) {
          return noteRefusal(refusal, subject)
        }
        receive(payload as never)
      },
    })
    return () => subscription.unsubscribe()
  }

  const publish = (topic: string, payload: unknown) => {
    if (!connection || connection.isClosed()) return false
    const subject = `svc.${space}.${topic}`
    const sealed = envelope.seal(subject, payload)
    if (sealed.length > MAX_BYTES) return false
    connection.publish(subject, sealed)
    return true
  }

  const watch = async (opened: NatsConnection) => {
    for await (const status of opened.status()) {
      if (status.type === 'disconnect') log.warn({ server: status.server }, 'NATS is unavailable')
      if (status.type === 'error') log.warn({ error: status.error }, 'NATS has reported an error')
      if (status.type === 'reconnect') listener.missed()
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
      subscribe('signals', (packet: Packet) => listener.receive(packet))
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

/**
 * The maximum age of a message by the clocks of its sender and receiver, in milliseconds. Older ones are refused, because
 * a process that has just started does not know what others have heard before.
 */
const MAX_AGE_MS = 300_000

/** The form of a sealed text; anything else costs no work. */
const SEALED = /^v1\.[\w-]{16}\.[\w-]{22}\.[\w-]+$/

/** Seals messages for NATS, whose other clients must neither read them nor write any. */
type NatsEnvelope = ReturnType<typeof createNatsEnvelope>

/**
 * Creates the envelope of one process. A message opens only where the key of the server is known, under the subject that
 * it was sealed for, and once: its stamps, in microseconds, rise with each message of a process.
 */
export function createNatsEnvelope({ secrets, node_id }: Pick<Cradle, 'secrets'> & { node_id: string }) {
  let lastStamp = 0
  const purposeOf = (subject: string) => `nats:${subject}`

  return {
    seal(subject: string, payload: unknown): string {
      lastStamp = Math.max(lastStamp + 1, Date.now() * 1000)
      return secrets.seal(JSON.stringify([node_id, lastStamp, payload]), purposeOf(subject))
    },

    /** Returns the function that opens the messages of one subscription; it throws for all but new ones of a server. */
    createOpener(subject: string): (sealed: string) => unknown {
      const lastStamps = new Map<string, number>()
      return (sealed) => {
        if (!SEALED.test(sealed)) throw new Error('the message is not sealed')
        const [sender, stamp, payload] = JSON.parse(secrets.open(sealed, purposeOf(subject))) as [
          string,
          number,
          unknown,
        ]
        if (stamp <= (lastStamps.get(sender) ?? 0) || Math.abs(Date.now() - stamp / 1000) > MAX_AGE_MS)
          throw new Error('the message is a repetition, or the clocks of the servers differ by minutes')
        lastStamps.set(sender, stamp)
        return payload
      }
    },
  }
}
