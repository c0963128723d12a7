import { setTimeout as delay } from 'node:timers/promises'
import pino from 'pino'
import type { InboundMessage, JSONValue, OutboundMessage } from '#plugin-api'
import kind from '../../channels/feishu/index.ts'
import type { Test } from '../run/file-test.ts'
import { type FakeFeishu, startFakeFeishu } from '../support/fake-feishu.ts'
import { noCursor, openChannel, settingsFor } from '../support/open-channel.ts'
import { never } from './channel-calls.ts'

/** Starts a fake that must be left without a violation. */
export async function startFake(t: Test): Promise<FakeFeishu> {
  const fake = await startFakeFeishu()
  t.teardown(async () => {
    await fake.close()
    if (fake.violations.length > 0) throw new Error(fake.violations.join('; '))
  })
  return fake
}

/** Opens a channel on a fake of its own. */
export async function start(t: Test, options: Parameters<typeof openChannel>[3] = {}) {
  const fake = await startFake(t)
  return { fake, ...(await openChannel(t, kind, fake, options)) }
}

let keys = 0
/** A message with a key of its own. */
export function saying(text: string, more: Partial<OutboundMessage> = {}): OutboundMessage {
  keys += 1
  return { text, key: String(keys).padStart(26, '0'), ...more }
}

/** Waits until something holds. */
export async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (holds()) return
    await delay(10)
  }
  throw new Error('It never came to hold.')
}

/** The target of a message that somebody says now. */
export async function targetOf(
  { fake, received }: { fake: FakeFeishu; received: InboundMessage[] },
  where: Parameters<FakeFeishu['say']>[0] = { text: 'hello' },
): Promise<JSONValue> {
  await fake.say(where)
  return received.at(-1)!.target
}

/** All bytes of a download. */
export async function bytesOf(content: { bytes: AsyncIterable<Uint8Array> }): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content.bytes) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Tests a config as the gateway does. */
export const probe = (
  fake: FakeFeishu,
  config?: Record<string, unknown>,
  signal = AbortSignal.timeout(5000),
) => kind.probe(settingsFor(kind, fake, config), signal)

/** Opens without the gateway's place being taken by a helper, to look at failures. */
export function openBare(fake: FakeFeishu, settings = settingsFor(kind, fake), signal: AbortSignal = never) {
  const lines: string[] = []
  const link = {
    channel_id: 'chn_bare',
    cursor: noCursor,
    signal,
    log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
    receive: async () => {},
    moved: async () => {},
    press: async () => ({ notice: '' }),
    connecting() {},
    connected() {},
    lost() {},
  }
  return { lines, opened: kind.open(settings, link) }
}
