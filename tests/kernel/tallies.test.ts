import { setImmediate as turn } from 'node:timers/promises'
import { createTallies } from '../../kernel/security/tallies.ts'
import t from '../run/file-test.ts'

t.test('remembers a bounded number of counts, and each that is in use', async (t) => {
  const counted: string[] = []
  const tallies = createTallies(2)
  const use = (key: string, work = async () => {}) =>
    tallies.use(
      key,
      () => counted.push(key),
      async (tally) => {
        await tally.refresh()
        await work()
      },
    )
  const countsOf = async (work: () => Promise<unknown>) => {
    counted.length = 0
    await work()
    return [...counted]
  }

  t.strictSame(await countsOf(() => use('a').then(() => use('a'))), ['a'], 'a count is remembered')
  await use('b')
  await use('a')
  await use('c')
  t.strictSame(await countsOf(() => use('a')), [], 'the recently used one is still remembered')
  t.strictSame(await countsOf(() => use('b')), ['b'], 'the least recently used one was dropped')

  let finish = () => {}
  const busy = use(
    'busy',
    () =>
      new Promise((resolve) => {
        finish = resolve
      }),
  )
  await turn()
  for (const key of ['d', 'e', 'f']) await use(key)
  t.strictSame(await countsOf(() => use('busy')), [], 'one in use is kept')
  finish()
  await busy
  for (const key of ['g', 'h']) await use(key)
  t.strictSame(await countsOf(() => use('busy')), ['busy'], 'and dropped later')
})
