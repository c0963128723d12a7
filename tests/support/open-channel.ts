import pino from 'pino'
import { compileSchema, createGuardedFetch } from '#kernel'
import type {
  ButtonPress,
  ChannelConnection,
  ChannelCursor,
  ChannelKind,
  ChannelLink,
  ChannelSettings,
  InboundMessage,
  JSONValue,
  PressOutcome,
} from '#plugin-api'
import type { FakePlatform } from '../../plugin-api/testing/fake-platform.ts'
import type { Test } from '../run/file-test.ts'

/** A channel that a test opened in place of the gateway, with everything that it reported. */
export interface OpenedChannel {
  connection: ChannelConnection
  received: InboundMessage[]
  presses: ButtonPress[]
  /** The states that the connection reported: `connecting`, `connected`, or `lost: <reason or message>`. */
  states: string[]
  /** Returns the whole log as text. */
  logged(): string
  close(): Promise<void>
}

/** A cursor that stores nothing, for kinds that use none. */
export const noCursor: ChannelCursor = { get: () => undefined, set: async () => {} }

/** Creates a cursor in memory. */
export function createCursor(): ChannelCursor {
  let position: JSONValue | undefined
  return {
    get: () => position,
    async set(value) {
      position = value
    },
  }
}

/** Returns the settings for reaching a fake, with the fake's valid config unless another one is passed. */
export function settingsFor(
  kind: ChannelKind,
  { endpoints, config, allow_hosts = [] }: FakePlatform,
  changed: Record<string, unknown> = config,
): ChannelSettings {
  const settings = structuredClone(changed)
  compileSchema(kind.config_schema, 'json')(settings)
  kind.check?.(settings)
  const addresses = { ...kind.endpoints, ...endpoints }
  const { fetch, assertAllowed, lookup } = createGuardedFetch({
    allowHosts: [...allow_hosts, ...Object.values(addresses).map((address) => new URL(address).hostname)],
  })
  return { config: settings, endpoints: addresses, fetch, assertAllowed, lookup }
}

/** Opens a channel of this kind on a fake; `outcomeOf` returns the outcome of a pressed button. */
export async function openChannel(
  t: Test,
  kind: ChannelKind,
  platform: FakePlatform,
  {
    config,
    receive = async () => {},
    cursor,
    outcomeOf = () => ({ notice: 'noted' }),
  }: {
    config?: Record<string, unknown>
    /** Called before a message counts as received; throw to refuse it. */
    receive?(message: InboundMessage): Promise<void>
    /** The channel's cursor; one of its own by default. */
    cursor?: ChannelCursor
    outcomeOf?(press: ButtonPress): PressOutcome
  } = {},
): Promise<OpenedChannel> {
  const received: InboundMessage[] = []
  const presses: ButtonPress[] = []
  const states: string[] = []
  const lines: string[] = []
  const positions = cursor ?? createCursor()
  const abort = new AbortController()
  const settings = settingsFor(kind, platform, config)
  const link: ChannelLink = {
    channel_id: 'chn_test',
    signal: abort.signal,
    log: pino(
      { level: 'trace', serializers: { error: pino.stdSerializers.err } },
      { write: (line: string) => void lines.push(line) },
    ),
    cursor: positions,
    async receive(message, behind) {
      await receive(message)
      received.push(message)
      if (behind !== undefined) await positions.set(behind)
    },
    async press(press) {
      presses.push(press)
      return outcomeOf(press)
    },
    async moved(from, { id }) {
      states.push(`moved: ${from} ${id}`)
    },
    connecting: () => void states.push('connecting'),
    connected: () => void states.push('connected'),
    lost: (error) =>
      void states.push(`lost: ${(error as { reason?: string }).reason ?? (error as Error).message}`),
  }
  const connection = await kind.open(settings, link)
  if (kind.hook) platform.attach?.((request) => kind.hook!(settings, link, request))
  let closed = false
  const close = async () => {
    if (closed) return
    closed = true
    abort.abort()
    await connection.close()
  }
  t.teardown(close)
  return { connection, received, presses, states, logged: () => lines.join(''), close }
}
