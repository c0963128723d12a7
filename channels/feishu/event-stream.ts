import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { untilAborted } from '#kernel'
import { ChannelFailure, type ChannelLink, type ChannelSettings } from '#plugin-api'
import { createLibraryLogger, type EventHandler, loadLibrary } from './client-library.ts'
import { readSettings } from './config.ts'
import { startDeadline } from './deadline.ts'
import { createEndpoint } from './endpoint.ts'
import { FeishuRefusal, sortTransportError } from './failure.ts'
import type { Scrubber } from './scrubber.ts'

/** The long connection on which events come. */
export interface EventStream {
  /** Ends it at once. */
  close(): void
}

/** How long the first connection may take; the library itself would try for ever. */
const START_MS = 20_000
const HANDSHAKE_MS = 15_000
/** The platform is taken for gone where nothing comes so long after a ping. */
const PONG_SECONDS = 30

/** Connects, and resolves once events can arrive; later the library comes back by itself, or `link.lost` is called. */
export async function openEventStream({
  settings,
  scrubber,
  link,
  life,
  handlers,
}: {
  settings: ChannelSettings
  scrubber: Scrubber
  link: ChannelLink
  life: AbortSignal
  handlers: Record<string, EventHandler>
}): Promise<EventStream> {
  const { EventDispatcher, WSClient, LoggerLevel } = await loadLibrary()
  life.throwIfAborted()
  const { config, domain } = readSettings(settings)
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
          // The gateway tries the first connection again, and knows better when.
          settle.reject(error)
          if (!isFinal(error)) throw error
          // A refusal without data is taken for a passing fault by the library, which would then try for ever.
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
  // What a pong says would be taken for settings unchecked; those of the handshake are, and they count as long.
  client.handleControlData = async () => {}

  const close = () => {
    client.close({ force: true })
    // A handshake that is under way belongs to nobody but the agent.
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
    throw sortTransportError(error, deadline.signal)
  } finally {
    deadline.release()
  }
}

/** Whether asking again would be refused again, until somebody has changed something. */
const isFinal = (error: unknown): error is FeishuRefusal =>
  error instanceof FeishuRefusal && error.reason !== 'unreachable'
