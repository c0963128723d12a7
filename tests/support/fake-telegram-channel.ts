import { setTimeout as sleep } from 'node:timers/promises'
import { ChannelFailure, type OutboundMessage } from '#plugin-api'
import kind from '../../channels/telegram/index.ts'
import t, { type Test } from '../run/file-test.ts'
import { type FakeTelegram, startFakeTelegram } from './fake-telegram.ts'
import { type OpenedChannel, openChannel } from './open-channel.ts'

/** A signal that is never aborted. */
export const never: AbortSignal = new AbortController().signal

/** Adds a test with a fake of its own, which must have found no fault with the bot. */
export function testTelegram(name: string, run: (t: Test, telegram: FakeTelegram) => Promise<void>): void {
  t.test(name, async (t) => {
    const telegram = await startFakeTelegram()
    t.teardown(() => telegram.close())
    await run(t, telegram)
    t.same(telegram.violations, [])
  })
}

/** Opens a channel in which somebody has said hello, and returns with it the target of the answer. */
export async function openWith(
  t: Test,
  telegram: FakeTelegram,
  place: 'direct' | 'group' = 'direct',
  options: Parameters<typeof openChannel>[3] = {},
) {
  const channel: OpenedChannel = await openChannel(t, kind, telegram, options)
  await telegram.say({ text: 'hello', place })
  return { ...channel, target: channel.received[0]!.target }
}

/** Waits until a condition holds; throws after a generous time. */
export async function eventually(holds: () => boolean, what: string): Promise<void> {
  for (const end = performance.now() + 40_000; !holds(); await sleep(5))
    if (performance.now() > end) throw new Error(`${what}: not so after forty seconds`)
}

/** Returns the failure with which a call rejects. */
export async function failureOf(work: Promise<unknown> | undefined): Promise<ChannelFailure> {
  const error = await Promise.resolve(work).then(
    () => undefined,
    (error) => error,
  )
  if (!(error instanceof ChannelFailure)) throw new Error(`no ChannelFailure but ${error}`)
  return error
}

/** Returns a message as the gateway sends it. */
export const message = (text: string, more: Partial<OutboundMessage> = {}): OutboundMessage => ({
  text,
  key: '01J0000000000000000000000A',
  ...more,
})
