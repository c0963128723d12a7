import pino from 'pino'
import type { ChannelCapabilities, Dialect } from '../../../../plugin-api/channel-kind.ts'
import {
  createReplyWriter,
  type WritingProgress,
} from '../../../../plugins/reach/channels/writing/reply-writer.ts'
import t from '../../../run/file-test.ts'
import { amount, chooseSeed } from '../../../run/tier.ts'
import { type Chance, createChance } from '../../../support/random.ts'
import { createSamples, greekOf, mayLoseWords } from './markdown-samples.ts'
import { createPlatform, readMessages, type Troubles } from './platform-model.ts'
import { createVirtualTime } from './virtual-time.ts'

const CASES = amount({ short: 15, long: 2000 })
const seed = chooseSeed(1000)
/** Cases in which a process died after it had ended a message, and the next one found another end. */
const ONCE_WRONG = [
  { seed: 335755, number: 878 },
  { seed: 730605, number: 482 },
  { seed: 730605, number: 934 },
  { seed: 3, number: 1414 },
]
const DIALECTS: Dialect[] = ['markdown', 'markdown-without-tables', 'html', 'mrkdwn', 'plain']
const log = pino({ level: 'silent' })

function chooseCapabilities(random: Chance): ChannelCapabilities {
  const max_length = random.pick([random.int(60, 200), random.int(200, 1000), 4000])
  const hasLive = random.chance(0.8)
  return {
    dialect: random.pick(DIALECTS),
    max_length,
    length_unit: random.pick(['characters', 'bytes']),
    ...(random.chance(0.3) && { max_replies: random.int(1, 5) }),
    ...(hasLive && {
      live: {
        interval_ms: random.pick([0, 300, 1500]),
        ...(random.chance(0.4) && { append_only: true }),
        ...(random.chance(0.3) && { max_length: random.int(60, 1000) }),
        ...(random.chance(0.3) && { max_ms: random.int(20_000, 60_000) }),
      },
    }),
  }
}

function chooseText(random: Chance): string {
  const samples = createSamples(random)
  for (;;) {
    const text = samples.text(1, 5)
    if (!mayLoseWords(text)) return text
  }
}

/** Writes one reply, by as many processes as it takes. */
async function writeReply(random: Chance, { crashes, troubles }: { crashes: number; troubles: Troubles }) {
  const capabilities = chooseCapabilities(random)
  const time = createVirtualTime()
  const platform = createPlatform({ capabilities, time, random, troubles })
  const text = chooseText(random)
  const is_live = random.chance(0.9)
  let stored: WritingProgress = { sent: 0, covered: 0, live: null }
  let grown = 0

  for (let left = crashes; ; left -= 1) {
    // Counts down with each call and each save; at nothing the process dies.
    let steps = left > 0 ? random.int(1, 12) : Number.POSITIVE_INFINITY
    const self = { is_dead: false, calls: 0, onCall: () => tick() }
    let die = () => {}
    const death = new Promise<void>((resolve) => {
      die = resolve
    })
    const tick = () => {
      steps -= 1
      if (steps > 0 || self.is_dead) return
      self.is_dead = true
      die()
    }
    let connection: ReturnType<typeof platform.connect> | undefined
    const abort = new AbortController()
    const writer = createReplyWriter({
      connect: async () => {
        if (self.is_dead) return new Promise<never>(() => undefined)
        if (!connection || connection.isClosed()) connection = platform.connect(self)
        return connection
      },
      ...{
        capabilities,
        target: 'there',
        key: 'reply',
        is_live,
        progress: stored,
        signal: abort.signal,
        log,
        onRefused: () => {},
      },
      async save(progress) {
        if (self.is_dead) return new Promise<never>(() => undefined)
        stored = JSON.parse(JSON.stringify(progress))
        tick()
        if (self.is_dead) return new Promise<never>(() => undefined)
      },
      clock: time,
      random: () => random.int(0, 99) / 100,
    })
    const write = async () => {
      while (grown < text.length) {
        writer.show(text.slice(0, grown))
        await time.runTo(time.now() + random.int(1, 1500))
        if (self.is_dead) return
        grown = Math.min(text.length, grown + random.int(1, Math.ceil(text.length / 5)))
      }
      const finished = writer.finish(text)
      finished.catch(() => undefined)
      await time.runUntil(Promise.race([finished, death]))
      if (!self.is_dead) await finished
    }
    await write()
    if (!self.is_dead) return { capabilities, platform, text, stored, time, writer }
    abort.abort()
    await time.runTo(time.now() + 60_000)
  }
}

function findFaults({
  capabilities,
  platform,
  text,
  stored,
}: Awaited<ReturnType<typeof writeReply>>): string[] {
  const faults = [...platform.violations]
  const isRight = (read: string[]) => {
    const words = read.map(greekOf).join('')
    const isCutOff = capabilities.max_replies !== undefined && read.at(-1)?.endsWith('…')
    return isCutOff ? greekOf(text).startsWith(words) : greekOf(text) === words
  }
  if (![...readMessages(platform.messages)].some(isRight)) faults.push('the words are not the same')
  if (stored.covered !== text.length && text.slice(stored.covered).trim() !== '')
    faults.push('not all is covered')
  if (stored.live !== null) faults.push('a live message is left')
  return faults
}

/** Counts repeated sends of a message. */
const repeatsIn = (messages: readonly { key: string }[]) =>
  messages.length - new Set(messages.map(({ key }) => key)).size

t.test('A reply is read as it was written', async (t) => {
  for (let number = 0; number < CASES; number += 1) {
    const random = createChance(seed * 1000 + number)
    const reply = await writeReply(random, {
      crashes: 0,
      troubles: { failures: 0, refusals: 0, has_references: true },
    })
    const faults = findFaults(reply)
    if (repeatsIn(reply.platform.messages) > 0) faults.push('a message came twice')
    if (reply.platform.messages.some(({ is_ended }) => !is_ended)) faults.push('a message has not ended')
    if (reply.platform.counts.late > 0) faults.push('a change too late')
    if (reply.time.waiting > 0) faults.push('something is still waited for')
    if (faults.length > 0) return t.strictSame(faults, [], `case ${number} of seed ${seed}`)
  }
})

t.test('A reply is read as it was written, whatever fails', async (t) => {
  for (let number = 0; number < CASES; number += 1) {
    const random = createChance(-seed * 1000 - number)
    const troubles = {
      failures: random.int(0, 20),
      refusals: random.int(0, 2),
      has_references: random.chance(0.8),
    }
    const reply = await writeReply(random, { crashes: 0, troubles })
    const faults = findFaults(reply)
    if (repeatsIn(reply.platform.messages) > reply.platform.counts.lost)
      faults.push('a message came twice for nothing')
    if (faults.length > 0) return t.strictSame(faults, [], `case ${number} of seed ${seed}`)
  }
})

t.test('A reply is read as it was written, whatever fails and whichever process dies', async (t) => {
  const cases = Array.from({ length: CASES }, (_, number) => ({ seed, number }))
  for (const { seed, number } of [...ONCE_WRONG, ...cases]) {
    const random = createChance(seed * 1000 + 500 + number)
    const crashes = random.int(1, 4)
    const troubles = {
      failures: random.int(0, 6),
      refusals: random.int(0, 1),
      has_references: random.chance(0.8),
    }
    const reply = await writeReply(random, { crashes, troubles })
    const faults = findFaults(reply)
    if (repeatsIn(reply.platform.messages) > reply.platform.counts.lost + crashes)
      faults.push('a message came twice for nothing')
    if (faults.length > 0) return t.strictSame(faults, [], `case ${number} of seed ${seed}`)
  }
})
