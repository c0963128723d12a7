import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { readEvent } from '../../channels/feishu/event-intake.ts'
import { createEventParts } from '../../channels/feishu/event-parts.ts'
import t from '../run/file-test.ts'

const KEY = 'EncryptKey-7c1d'
const SECRET = 'nobody else reads this'
const MEGABYTE = 1024 * 1024

const toBytes = (event: unknown) => Buffer.from(JSON.stringify(event))

function encrypt(text: string, key = KEY): Buffer {
  const vector = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', createHash('sha256').update(key).digest(), vector)
  return toBytes({ encrypt: Buffer.concat([vector, cipher.update(text), cipher.final()]).toString('base64') })
}

t.test('an event is read', async (t) => {
  const current = { schema: '2.0', header: { event_type: 'a.b_v1', token: 'x' }, event: { message: 1 } }
  t.same(readEvent(toBytes(current), undefined), { type: 'a.b_v1', body: { message: 1 } })
  const older = { uuid: 'u', type: 'event_callback', event: { type: 'a.b_v1', message: 1 } }
  t.same(readEvent(toBytes(older), undefined), { type: 'a.b_v1', body: { type: 'a.b_v1', message: 1 } })
  t.same(readEvent(encrypt(JSON.stringify(current)), KEY), { type: 'a.b_v1', body: { message: 1 } })
  t.same(readEvent(toBytes(current), KEY).type, 'a.b_v1', 'a key does not exclude what is not encrypted')
  for (const odd of [
    {},
    { schema: '2.0' },
    { schema: '2.0', header: 7 },
    { event: [] },
    { event: { type: 7 } },
  ])
    t.equal(readEvent(toBytes(odd), undefined).type, undefined)
})

t.test('an unreadable event is refused without a word of it', async (t) => {
  const tampered = toBytes({ encrypt: randomBytes(47).toString('base64') })
  for (const [bytes, key, message] of [
    [Buffer.from(`{"text":"${SECRET}"`), undefined, 'the event is not a JSON object'],
    [toBytes([SECRET]), undefined, 'the event is not a JSON object'],
    [Buffer.alloc(0), undefined, 'the event is not a JSON object'],
    [Buffer.from('{"a":'.repeat(100_000)), undefined, 'the event is not a JSON object'],
    [Buffer.from(`{"a":[${'0,'.repeat(200_000)}0]}`), undefined, 'the event is not a JSON object'],
    [encrypt(SECRET), KEY, 'the event is not a JSON object'],
    [encrypt(SECRET), undefined, 'the event is encrypted, and the channel has no Encrypt Key'],
    [tampered, KEY, 'the event cannot be decrypted with the Encrypt Key of the channel'],
    [toBytes({ encrypt: '' }), KEY, undefined],
    [toBytes({ encrypt: '!' }), KEY, 'the event cannot be decrypted with the Encrypt Key of the channel'],
  ] as const) {
    if (message === undefined) t.same(readEvent(bytes, key).type, undefined)
    else t.throws(() => readEvent(bytes, key), { message })
  }
  // A wrong key leaves a valid padding in one of 256 cases.
  for (let round = 0; round < 20; round += 1)
    t.throws(() => readEvent(encrypt(JSON.stringify({ text: SECRET }), 'another key'), KEY), {
      message: /^the event (cannot be decrypted with the Encrypt Key of the channel|is not a JSON object)$/,
    })
})

t.test('parts of an event', async (t) => {
  /** Adds a part of one letter for each pair of message and index. */
  function add(parts: ReturnType<typeof createEventParts>, message_id: string, seq: number, sum = 3) {
    const payload = Buffer.from('abcdefgh'[seq]!)
    return parts.add({ message_id, sum: String(sum), seq: String(seq), payload })?.toString()
  }

  await t.test('come alone', async (t) => {
    t.equal(add(createEventParts(), 'x', 0, 1), 'a')
  })

  await t.test('come in any order, and again', async (t) => {
    const parts = createEventParts()
    t.same(
      [2, 0, 0, 2, 1].map((seq) => add(parts, 'x', seq)),
      [undefined, undefined, undefined, undefined, 'abc'],
    )
    t.equal(add(parts, 'x', 1), undefined, 'a late part begins anew')
  })

  await t.test('come among those of others', async (t) => {
    const parts = createEventParts()
    for (const seq of [0, 1]) for (const id of ['x', 'y']) t.equal(add(parts, id, seq), undefined)
    t.equal(add(parts, 'y', 2), 'abc')
    t.equal(add(parts, 'x', 2), 'abc')
  })

  await t.test('are dropped if one is missing for long', async (t) => {
    const parts = createEventParts(20)
    add(parts, 'x', 0)
    add(parts, 'x', 1)
    // A timer that is set later for a longer time fires later.
    await sleep(40)
    t.equal(add(parts, 'x', 2), undefined)
    t.equal(add(parts, 'x', 0), undefined)
    t.equal(add(parts, 'x', 1), 'abc', 'another delivery is complete')
  })

  await t.test('are dropped when the channel is closed', async (t) => {
    const parts = createEventParts()
    add(parts, 'x', 0)
    add(parts, 'x', 1)
    parts.clear()
    t.equal(add(parts, 'x', 2), undefined)
  })

  await t.test('must make sense', async (t) => {
    const parts = createEventParts()
    const payload = Buffer.from('a')
    for (const [sum, seq] of [
      [undefined, '0'],
      ['3', undefined],
      ['0', '0'],
      ['-1', '0'],
      ['3', '3'],
      ['3', '-1'],
      ['3', '1.5'],
      ['1e3', '0'],
      ['99999', '0'],
      ['4294967296', '0'],
      ['NaN', '0'],
      ['', ''],
    ] as const)
      t.throws(() => parts.add({ message_id: 'x', sum, seq, payload }), { message: /number/ })
    for (const message_id of [undefined, ''])
      t.throws(() => parts.add({ message_id, sum: '1', seq: '0', payload }), { message: /number/ })
    add(parts, 'x', 0)
    t.throws(() => add(parts, 'x', 3, 4), { message: /belong/ })
    add(parts, 'x', 1)
    t.equal(add(parts, 'x', 2), 'abc', 'a part of another number does no harm')
  })

  await t.test('are limited in bytes', async (t) => {
    const parts = createEventParts()
    const large = Buffer.alloc(3 * MEGABYTE)
    const addLarge = (message_id: string, seq: string, payload = large) =>
      parts.add({ message_id, sum: '2', seq, payload })
    t.throws(() => parts.add({ message_id: 'x', sum: '1', seq: '0', payload: Buffer.alloc(5 * MEGABYTE) }), {
      message: /long/,
    })
    addLarge('long', '0')
    t.throws(() => addLarge('long', '1'), { message: /long/ })

    for (const id of ['first', 'second', 'third']) addLarge(id, '0')
    t.equal(addLarge('first', '1', Buffer.from('z')), undefined, 'the oldest one was dropped')
    t.equal(addLarge('third', '1', Buffer.from('z'))?.length, large.length + 1)
  })

  await t.test('are limited in number', async (t) => {
    const parts = createEventParts()
    for (let n = 0; n < 65; n += 1) add(parts, `${n}`, 0, 2)
    t.equal(add(parts, '0', 1, 2), undefined, 'the oldest one was dropped')
    t.equal(add(parts, '64', 1, 2), 'ab')
  })
})
