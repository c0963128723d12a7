import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { ChannelFailure, type ChannelLink, type ChannelSettings } from '#plugin-api'
import { untilAborted } from '#toolbox'
import { createLibraryLogger, type EventHandler, loadLibrary } from './client-library.ts'
import { type FeishuConfig, findDomain } from './config.ts'
import { createEndpoint } from './endpoint.ts'
import { FeishuRefusal, startDeadline, toTransportFailure } from './failure.ts'
import type { Scrubber } from './scrubber.ts'

/** The long connection that delivers events. */
interface EventStream {
  /** Ends the connection at once. */
  close(): void
}

/** Time limit for the first connection; the library itself would try without end. */
const START_MS = 20_000
const HANDSHAKE_MS = 15_000
/** The connection counts as dead if nothing arrives this long after a ping. */
const PONG_SECONDS = 30

/** Connects; resolves when events can arrive. Later the library reconnects by itself, or `link.lost` is called. */
export async function openEventStream({
  settings,
  scrubber,
  link,
  life,
  handlers,
}: {
  settings: ChannelSettings<FeishuConfig>
  scrubber: Scrubber
  link: ChannelLink
  life: AbortSignal
  handlers: Record<string, EventHandler>
}): Promise<EventStream> {
  const { EventDispatcher, WSClient, LoggerLevel } = await loadLibrary()
  life.throwIfAborted()
  const { config } = settings
  const domain = findDomain(settings)
  const askEndpoint = createEndpoint(settings, scrubber, life)
  const { lookup } = settings
  const agent = domain.startsWith('https:') ? new HttpsAgent({ lookup }) : new HttpAgent({ lookup })
  const log = {
    logger: createLibraryLogger(scrubber, (said) => link.log.warn({ said }, 'Feishu connection')),
    loggerLevel: LoggerLevel.error,
  }
  const dispatcher = new EventDispatcher({
    ...log,
    encryptKey: config.encrypt_key,
    verificationToken: config.verification_token,
  }).register(handlers)

  let isOpen = false
  let failure: unknown
  let settle: { resolve(): void; reject(error: unknown): void }
  const started = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })

  const client = new WSClient({
    ...log,
    appId: config.app_id,
    appSecret: config.app_secret,
    domain,
    agent,
    handshakeTimeoutMs: HANDSHAKE_MS,
    wsConfig: { pingTimeout: PONG_SECONDS },
    httpInstance: {
      async request(request) {
        try {
          return await askEndpoint(request)
        } catch (error) {
          failure = error
          // For the first connection, the gateway decides about retries.
          settle.reject(error)
          if (!isFinal(error)) throw error
          // The library would treat an error as transient and retry without end; a reply with a code stops it.
          return { code: error.code, msg: error.message, data: {} }
        }
      },
    },
    onReady: () => settle.resolve(),
    onReconnecting: () => link.connecting('The connection to Feishu was lost.'),
    onReconnected: () => link.connected(),
    onError(error) {
      const reason = failure ?? new ChannelFailure('unreachable', scrubber.scrub(error.message))
      settle.reject(reason)
      if (isOpen && !life.aborted) link.lost(reason)
    },
  })
  // Ignores settings in pongs, which the library would apply unchecked; the checked ones of the handshake stay valid.
  client.handleControlData = async () => {}

  const close = () => {
    client.close({ force: true })
    // Only the agent can end a handshake that is under way.
    agent.destroy()
  }
  const deadline = startDeadline(START_MS, life)
  try {
    await client.start({ eventDispatcher: dispatcher })
    await untilAborted(deadline.signal, started)
    isOpen = true
    return { close }
  } catch (error) {
    close()
    throw toTransportFailure(error, deadline.signal)
  } finally {
    deadline.release()
  }
}

/** True if a retry is useless until a person has changed something. */
const isFinal = (error: unknown): error is FeishuRefusal =>
  error instanceof FeishuRefusal && error.reason !== 'unreachable'
