import { createGroupCommit } from '../../plugin-api/toolbox/group-commit.ts'
import t from '../run/file-test.ts'

/** Creates a group commit whose writes the test ends. */
function createHeldCommit() {
  const batches: number[][] = []
  const ends: (() => void)[] = []
  const commit = createGroupCommit<number>((batch) => {
    batches.push(batch)
    return new Promise((resolve) => ends.push(resolve))
  })
  /** Ends the running write, so that the next one begins. */
  const end = async () => {
    ends.at(-1)!()
    await new Promise(setImmediate)
  }
  return { ...commit, batches, end }
}

t.test(
  'items added together are written together, and items added during a write form the next write',
  async (t) => {
    const { add, idle, batches, end } = createHeldCommit()
    await idle()
    t.strictSame(batches, [], 'nothing is written without items')
    for (const item of [1, 2, 3]) add(item)
    await new Promise(setImmediate)
    t.strictSame(batches, [[1, 2, 3]])
    for (const item of [4, 5]) add(item)
    await new Promise(setImmediate)
    t.strictSame(batches, [[1, 2, 3]], 'one write runs at a time')
    let isIdle = false
    const rested = idle().then(() => {
      isIdle = true
    })
    await end()
    t.strictSame(batches, [
      [1, 2, 3],
      [4, 5],
    ])
    t.notOk(isIdle, 'the second write is still running')
    await end()
    await rested
    add(6)
    await new Promise(setImmediate)
    t.strictSame(batches.at(-1), [6], 'a new write begins after an idle time')
  },
)

t.test('a write has at most 1000 items, in the order in which they were added', async (t) => {
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
