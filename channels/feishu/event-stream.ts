import { setTimeout as sleep } from 'node:timers/promises'
import {
  ChannelFailure,
  type ChannelFailureReason,
  type ChannelLink,
  type ChannelSettings,
} from '#plugin-api'
import type { FeishuConfig } from './config.ts'
import { findSocketEndpoint, type ReconnectSettings } from './endpoint.ts'
import { createEventIntake, type EventHandler } from './event-intake.ts'
import type { Scrubber } from './scrubber.ts'
import { openSocket, type StreamSocket } from './stream-socket.ts'

/** A connection that is cut within this time counts as a failed attempt. */
const STABLE_MS = 10_000

/** Failures that another attempt may fix. */
const TRANSIENT: readonly ChannelFailureReason[] = ['unreachable', 'timeout', 'rate_limited']

/** Connects; resolves when events can arrive. Later it reconnects by itself, or `link.lost` is called. */
export async function openEventStream({
  settings,
  scrubber,
  link,
  life,
  handlers,
}: {
  settings: ChannelSettings<FeishuConfig>
  scrubber: Scrubber
  link: Pick<ChannelLink, 'log' | 'connecting' | 'connected' | 'lost'>
  /** Aborted when the channel is closed. */
  life: AbortSignal
  handlers: Readonly<Record<string, EventHandler>>
}) {
  const { lookup, config } = settings
  const { encrypt_key: encryptKey } = config
  const intake = createEventIntake({ handlers, encryptKey, log: link.log, scrubber, life })
  let reconnectSettings: ReconnectSettings
  let failures = 0

  async function connect(): Promise<StreamSocket> {
    const endpoint = await findSocketEndpoint(settings, scrubber, life)
    reconnectSettings = endpoint.reconnect
    return openSocket({ endpoint, lookup, scrubber, life, onFrame: intake.take })
  }

  /** Makes attempts until one succeeds; throws the failure that is final or exceeds the platform's limit. */
  async function reconnect(): Promise<StreamSocket> {
    let retryAfterMs = 0
    for (;;) {
      const { spreadMs, intervalMs } = reconnectSettings
      const pauseMs = failures === 0 ? spreadMs * Math.random() : Math.max(intervalMs, retryAfterMs)
      await sleep(pauseMs, undefined, { signal: life })
      failures += 1
      try {
        return await connect()
      } catch (error) {
        life.throwIfAborted()
        const { attempts } = reconnectSettings
        if (!(error instanceof ChannelFailure) || !TRANSIENT.includes(error.reason)) throw error
        if (attempts >= 0 && failures >= attempts) throw error
        link.log.debug({ reason: error.reason }, 'Feishu still cannot be reached')
        retryAfterMs = error.retry_after_ms ?? 0
      }
    }
  }

  async function keepConnected(first: StreamSocket): Promise<void> {
    for (let socket = first; ; ) {
      const openedAt = performance.now()
      const reason = await socket.closed
      life.throwIfAborted()
      link.connecting(reason)
      if (performance.now() - openedAt >= STABLE_MS) failures = 0
      socket = await reconnect()
      link.connected()
    }
  }

  const closed = keepConnected(await connect()).catch((error) => {
    if (!life.aborted) link.lost(error)
  })
  /** `closed` resolves when the connection has ended, soon after `life` is aborted. */
  return { closed }
}
