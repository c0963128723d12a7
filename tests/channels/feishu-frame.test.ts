import { encodePing, encodeReply, readFrame } from '../../channels/feishu/frame.ts'
import t from '../run/file-test.ts'
import { amount, chooseSeed } from '../run/tier.ts'
import { createMarks, decodeFrame, encodeFrame, SERVICE } from '../support/fake-feishu-frames.ts'
import { createChance } from '../support/random.ts'

const HEADERS = { type: 'event', message_id: 'm 1 ü', sum: '1', seq: '0' }
const EVENT = { kind: 'data', headers: HEADERS, payload: Buffer.from('{"a":"ä"}') } as const

const encode = (marks = createMarks()) => Buffer.from(encodeFrame(EVENT, marks))
const reply = (bytes: Buffer) => encodeReply(readFrame(bytes), ['biz_rt', '7'], '{"code":200}')

t.test('a frame is read', async (t) => {
  const { isData, headers, payload } = readFrame(encode())
  t.equal(isData, true)
  t.same(Object.fromEntries(headers), HEADERS)
  t.equal(payload.toString(), '{"a":"ä"}')
  const pong = readFrame(
    Buffer.from(encodeFrame({ kind: 'control', headers: { type: 'pong' }, payload: Buffer.alloc(0) })),
  )
  t.equal(pong.isData, false)
})

t.test('a reply repeats the frame with ids of any size', async (t) => {
  for (const id of [
    '0',
    '1',
    '127',
    '128',
    '9007199254740993',
    '9223372036854775808',
    '18446744073709551615',
  ]) {
    const marks = { ...createMarks(), SeqID: id, LogID: id }
    t.same(decodeFrame(reply(encode(marks))), {
      kind: 'data',
      marks,
      headers: { ...HEADERS, biz_rt: '7' },
      payload: Buffer.from('{"code":200}'),
    })
  }
})

t.test('a reply has its fields in order, and those that later versions may add', async (t) => {
  const added = Buffer.from([0x78, 0x96, 0x01, 0x85, 0x01, 1, 2, 3, 4, 0x89, 0x01, 1, 2, 3, 4, 5, 6, 7, 8])
  const bytes = reply(Buffer.concat([added, encode()]))
  t.ok(bytes.subarray(-added.length).equals(added))
  t.equal(bytes[0], 0x08)
  t.equal(decodeFrame(bytes).payload.toString(), '{"code":200}')
})

t.test('a long payload is repeated whole', async (t) => {
  const text = 'ä'.repeat(100_000)
  const bytes = encodeReply(readFrame(encode()), ['biz_rt', '1'], text)
  t.equal(decodeFrame(bytes).payload.toString(), text)
})

t.test('a ping is what the platform reads as one', async (t) => {
  for (const service of [0, SERVICE, 128, 2 ** 31 - 1])
    t.same(decodeFrame(encodePing(service)), {
      kind: 'control',
      marks: { SeqID: '0', LogID: '0', service },
      headers: { type: 'ping' },
      payload: Buffer.alloc(0),
    })
})

const REQUIRED = [0x08, 1, 0x10, 1, 0x18, 33, 0x20, 1]

for (const [name, bytes, message] of [
  ['nothing', [], /required/],
  ['a text', [...Buffer.from('no frame')], /./],
  ['zeros', [0, 0, 0, 0], /field number/],
  ['a field number of 33 bits', [...REQUIRED, 0x80, 0x80, 0x80, 0x80, 0x10, 1], /field number/],
  ['a field without a value', [0x08], /number/],
  ['a number without an end', [0x08, ...Array(9).fill(0xff)], /number/],
  ['a number of eleven bytes', [0x08, ...Array(10).fill(0xff), 1], /number/],
  ['a text that ends early', [...REQUIRED, 0x42, 5, 1, 2], /truncated/],
  ['a text of 2 ** 63 bytes', [...REQUIRED, 0x42, ...Array(9).fill(0x80), 1], /truncated/],
  ['a fixed number that ends early', [...REQUIRED, 0x79, 1, 2, 3], /truncated/],
  ['a group', [...REQUIRED, 0x7b, 0x7c], /unknown type/],
  ['no method', REQUIRED.slice(0, 6), /required/],
  ['a method that is a text', [...REQUIRED.slice(0, 6), 0x22, 1, 1], /another type/],
  ['a header that is a number', [...REQUIRED, 0x28, 1], /another type/],
  ['a header that is not a message', [...REQUIRED, 0x2a, 2, 0xff, 0xff], /number/],
  ['a payload that is a number', [...REQUIRED, 0x40, 1], /another type/],
  ['a payload of fixed size', [...REQUIRED, 0x45, 1, 2, 3, 4], /another type/],
  ['many fields', [...REQUIRED, ...Array(300).fill([0x2a, 0]).flat()], /too many/],
] as const)
  t.test(`not a frame: ${name}`, async (t) => {
    t.throws(() => readFrame(Buffer.from(bytes)), { message })
  })

const seed = chooseSeed(48)
t.test(`altered frames are refused or read as protobufjs reads them, seed ${seed}`, async (t) => {
  const chance = createChance(seed)
  const attempt = <Result>(work: () => Result): Result | undefined => {
    try {
      return work()
    } catch {
      return undefined
    }
  }
  let readable = 0
  for (let round = 0; round < amount({ short: 3000, long: 200_000 }); round += 1) {
    const bytes = encode()
    for (let changes = chance.int(1, 3); changes > 0; changes -= 1)
      bytes[chance.int(0, bytes.length - 1)] = chance.int(0, 255)
    const altered = bytes.subarray(0, chance.chance(0.3) ? chance.int(0, bytes.length) : bytes.length)
    const frame = attempt(() => readFrame(altered))
    const expected = attempt(() => decodeFrame(altered))
    if (!frame || !expected) continue
    readable += 1
    const { SeqID, LogID, service } = decodeFrame(encodeReply(frame, ['biz_rt', '1'], '{}')).marks
    if (
      SeqID === expected.marks.SeqID &&
      LogID === expected.marks.LogID &&
      service === expected.marks.service
    ) {
      if (!frame.payload.equals(expected.payload)) t.fail(`another payload in ${altered.toString('hex')}`)
    } else t.fail(`other ids in ${altered.toString('hex')}`)
  }
  t.ok(readable > 100, `${readable} were still readable`)
})
