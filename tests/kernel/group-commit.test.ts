import { createGroupCommit } from '../../kernel/group-commit.ts'
import t from '../run/file-test.ts'

/** A group commit whose writes end when they are told to. */
function createHeldCommit() {
  const batches: number[][] = []
  const ends: (() => void)[] = []
  const commit = createGroupCommit<number>((batch) => {
    batches.push(batch)
    return new Promise((resolve) => ends.push(resolve))
  })
  /** Lets the write that is under way end, and the next one begin. */
  const end = async () => {
    ends.at(-1)!()
    await new Promise(setImmediate)
  }
  return { ...commit, batches, end }
}

t.test(
  'what comes in at once is written at once, and what comes in meanwhile is the next write',
  async (t) => {
    const { add, idle, batches, end } = createHeldCommit()
    await idle()
    t.strictSame(batches, [], 'nothing is written for nothing')
    for (const item of [1, 2, 3]) add(item)
    await new Promise(setImmediate)
    t.strictSame(batches, [[1, 2, 3]])
    for (const item of [4, 5]) add(item)
    await new Promise(setImmediate)
    t.strictSame(batches, [[1, 2, 3]], 'one write is under way at a time')
    let isIdle = false
    const rested = idle().then(() => {
      isIdle = true
    })
    await end()
    t.strictSame(batches, [
      [1, 2, 3],
      [4, 5],
    ])
    t.notOk(isIdle, 'the second write has not ended')
    await end()
    await rested
    add(6)
    await new Promise(setImmediate)
    t.strictSame(batches.at(-1), [6], 'it begins again after a rest')
  },
)

t.test('a write takes at most 1000, in the order in which they came', async (t) => {
  const { add, batches, end } = createHeldCommit()
  const items = Array.from({ length: 2001 }, (_, index) => index)
  for (const item of items) add(item)
  await new Promise(setImmediate)
  await end()
  await end()
  t.strictSame(
    batches.map(({ length }) => length),
    [1000, 1000, 1],
  )
  t.strictSame(batches.flat(), items)
})
