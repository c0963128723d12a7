import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import pino from 'pino'
import type { ChannelFailure, ChannelLink } from '#plugin-api'
import { noCursor } from '../support/open-channel.ts'

/** The signal of a call that nobody ends. */
export const never: AbortSignal = new AbortController().signal

/** Returns the failure with which a call rejects. */
export async function failureOf(work: Promise<unknown>): Promise<ChannelFailure & { code?: unknown }> {
  try {
    await work
  } catch (error) {
    return error as ChannelFailure & { code?: unknown }
  }
  throw new Error('It did not fail.')
}

/** Waits until a condition holds. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  for (const end = Date.now() + 40_000; !holds(); await delay(5))
    if (Date.now() > end) throw new Error(`It never came to this: ${what}`)
}

/** Returns a port of this machine on which nothing listens. */
export async function findClosedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await once(server.close(), 'close')
  return port
}

/** Creates the link of a channel that receives nothing. */
export const createIdleLink = (signal: AbortSignal): ChannelLink => ({
  channel_id: 'chn_test',
  cursor: noCursor,
  signal,
  log: pino({ enabled: false }),
  receive: async () => {},
  moved: async () => {},
  press: async () => ({ notice: '' }),
  connecting: () => {},
  connected: () => {},
  lost: () => {},
})
