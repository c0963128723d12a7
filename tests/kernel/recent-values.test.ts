import { createRecentValues } from '../../kernel/security/recent-values.ts'
import t from '../run/file-test.ts'

/** Starts values that a test changes and whose reads it counts, with a clock of its own. */
const start = () => {
  const stored = new Map([
    ['a', 1],
    ['b', 2],
  ])
  const reads: string[][] = []
  const state = { now: 0, holding: Promise.resolve(), failing: false }
  const values = createRecentValues<number>(
    async (keys) => {
      reads.push([...keys])
      const storedValues = new Map(stored)
      const { failing } = state
      await state.holding
      if (failing) throw new Error('away')
      return storedValues
    },
    () => state.now,
  )
  return { values, stored, reads, state }
}

t.test('a value is read again when it is 300 ms old, counted from before its read', async (t) => {
  const { values, stored, reads, state } = start()
  t.equal(await values.get('a'), 1)
  stored.set('a', 5)
  state.now = 299
  t.equal(await values.get('a'), 1)
  state.now = 300
  t.equal(await values.get('a'), 5)
  t.equal(reads.length, 2)
})

t.test('values may be remembered longer', async (t) => {
  const state = { now: 0, value: 1 }
  const values = createRecentValues(
    async ([key = '']) => new Map([[key, state.value]]),
    () => state.now,
    10_000,
  )
  t.equal(await values.get('a'), 1)
  Object.assign(state, { now: 9999, value: 2 })
  t.equal(await values.get('a'), 1)
  state.now = 10_000
  t.equal(await values.get('a'), 2)
})

t.test('keys that are wanted at the same time are read once and together', async (t) => {
  const { values, reads } = start()
  t.strictSame(await Promise.all(['a', 'b', 'a'].map(values.get)), [1, 2, 1])
  t.strictSame(reads, [['a', 'b']])
})

t.test('a drop also covers the reads that have begun', async (t) => {
  const { values, stored, state, reads } = start()
  let release = () => {}
  state.holding = new Promise((resolve) => {
    release = resolve
  })
  const early = values.get('a')
  await new Promise(setImmediate)
  t.equal(reads.length, 1)
  stored.set('a', 7)
  values.drop('a')
  const late = values.get('a')
  release()
  t.strictSame(await Promise.all([early, late]), [1, 7])
  t.equal(await values.get('a'), 7, 'the early value is not remembered')
  stored.set('a', 8)
  values.drop()
  t.equal(await values.get('a'), 8)
})

t.test('neither a missing value nor a failure is remembered', async (t) => {
  const { values, stored, state } = start()
  t.equal(await values.get('c'), undefined)
  stored.set('c', 3)
  t.equal(await values.get('c'), 3)
  state.failing = true
  await t.rejects(values.get('a'), /away/)
  state.failing = false
  t.equal(await values.get('a'), 1)
  t.equal(await values.get('c'), 3)
})

t.test('a failure of a dropped read leaves the next one alone', async (t) => {
  const { values, state, reads } = start()
  let release = () => {}
  state.holding = new Promise((resolve) => {
    release = resolve
  })
  state.failing = true
  const early = values.get('a')
  await new Promise(setImmediate)
  values.drop('a')
  state.failing = false
  const late = values.get('a')
  release()
  await t.rejects(early, /away/)
  t.equal(await late, 1)
  t.equal(await values.get('a'), 1)
  t.equal(reads.length, 2)
})

t.test('at most 10,000 values are remembered, and none that are too old', async (t) => {
  const { values, stored, reads, state } = start()
  const keys = Array.from({ length: 10_001 }, (_, index) => `key ${index}`)
  for (const key of keys) stored.set(key, 0)
  await Promise.all(keys.map(values.get))
  await values.get(keys.at(-1)!)
  t.equal(reads.length, 1)
  await values.get(keys[0]!)
  t.strictSame(reads[1], [keys[0]], 'the oldest was dropped')
  state.now = 1000
  await values.get('a')
  state.now = 0
  await values.get(keys.at(-1)!)
  t.equal(reads.length, 4)
})
