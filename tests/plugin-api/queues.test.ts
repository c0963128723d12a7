import { once } from 'node:events'
import { setImmediate as flush, setTimeout as pause } from 'node:timers/promises'
import {
  createKeyedQueue,
  createKeyedSemaphore,
  createSemaphore,
  createWorkClock,
} from '../../plugin-api/toolbox/index.ts'
import t from '../run/file-test.ts'

t.test('a semaphore admits only as many holders as its limit, in the order of their requests', async (t) => {
  const semaphore = createSemaphore()
  const entered: number[] = []
  const enter = (n: number, limit = 2) =>
    semaphore.acquire(limit).then((leave) => {
      entered.push(n)
      return leave
    })
  const [first, second, third, fourth] = [enter(1), enter(2), enter(3), enter(4)]
  const leaveFirst = await first
  await second
  t.same(entered, [1, 2])
  leaveFirst()
  leaveFirst()
  await third
  t.same(entered, [1, 2, 3], 'a second release has no effect')
  const fifth = enter(5, 4)
  await Promise.all([fourth, fifth])
  t.same(entered, [1, 2, 3, 4, 5], 'a higher limit takes effect at once')
})

t.test('an abort removes a waiting request and releases a held place', async (t) => {
  const semaphore = createSemaphore()
  await t.rejects(semaphore.acquire(1, AbortSignal.abort(new Error('never mind'))), { message: 'never mind' })
  const inside = new AbortController()
  await semaphore.acquire(1, inside.signal)
  const waiting = new AbortController()
  const aborted = semaphore.acquire(1, waiting.signal)
  const next = semaphore.acquire(1)
  waiting.abort(new Error('too long'))
  await t.rejects(aborted, { message: 'too long' })
  inside.abort()
  t.type(await next, 'function', 'an abort releases the place')
})

t.test('work that runs with a permit keeps it until it has settled, even if it is aborted', async (t) => {
  const semaphore = createSemaphore()
  const { signal } = new AbortController()
  const aborting = new AbortController()
  const ending = new AbortController()
  const first = once(ending.signal, 'abort')
  const order: string[] = []
  const running = semaphore.run(1, aborting.signal, async () => {
    order.push('first')
    await first
    return 'done'
  })
  const failing = semaphore.run(1, signal, async () => {
    order.push('second')
    throw new Error('no luck')
  })
  const last = semaphore.run(1, signal, async () => void order.push('third'))
  aborting.abort(new Error('too late'))
  await t.rejects(
    semaphore.run(1, aborting.signal, async () => 'never'),
    { message: 'too late' },
  )
  t.same(order, ['first'])
  ending.abort()
  t.equal(await running, 'done')
  await t.rejects(failing, { message: 'no luck' })
  await last
  t.same(order, ['first', 'second', 'third'])
})

t.test(
  'a keyed semaphore leaves permits to other keys, and takes none for a wait that is aborted',
  async (t) => {
    const { acquire } = createKeyedSemaphore()
    const limits = { perKey: 1, total: 2 }
    const releaseA = await acquire('a', limits)
    const waiting = new AbortController()
    const secondA = acquire('a', limits, waiting.signal)
    const releaseB = await acquire('b', limits)
    const thirdC = acquire('c', limits, waiting.signal)
    waiting.abort(new Error('never mind'))
    await t.rejects(secondA, { message: 'never mind' })
    await t.rejects(thirdC, { message: 'never mind' })
    releaseA()
    releaseA()
    const releaseC = await acquire('c', limits)
    const nextD = acquire('d', limits).then((release) => {
      release()
      return 'd'
    })
    t.equal(await Promise.race([nextD, flush('waits')]), 'waits', 'a second release has no effect')
    releaseB()
    t.equal(await nextD, 'd')
    releaseC()
  },
)

t.test(
  'a keyed queue runs jobs of a key in order, other keys beside them, and refuses too many',
  async (t) => {
    const { run } = createKeyedQueue({ maxWaiting: 1, toRefusal: () => new Error('busy') })
    const failing = new AbortController()
    const first = once(failing.signal, 'abort').then(() => Promise.reject(new Error('no luck')))
    const order: string[] = []
    const job = (name: string, work?: Promise<unknown>) => async () => {
      order.push(name)
      await work
      return name
    }
    const firstRun = run('a', job('a1', first))
    t.same(order, ['a1'], 'a job starts at once if its key has room')
    const secondRun = run('a', job('a2'))
    await t.rejects(run('a', job('a3')), { message: 'busy' })
    t.equal(await run('b', job('b1')), 'b1')
    failing.abort()
    await t.rejects(firstRun, { message: 'no luck' })
    t.equal(await secondRun, 'a2', 'a failure does not stop the next job')
    t.same(order, ['a1', 'b1', 'a2'])
  },
)

t.test('a work clock does not run while somebody is asked, and can begin anew', async (t) => {
  const over = new AbortController()
  const clock = createWorkClock(50, () => over.abort('over'))
  const answered = new AbortController()
  const asking = Promise.all([clock.pauseFor(once(answered.signal, 'abort')), clock.pauseFor(pause(100))])
  const left = clock.millisecondsLeft()
  await pause(150)
  t.notOk(over.signal.aborted)
  t.equal(clock.millisecondsLeft(), left)
  clock.restart()
  t.equal(clock.millisecondsLeft(), 50, 'a clock that begins anew stays paused')
  answered.abort()
  await asking
  await once(over.signal, 'abort')
  const stopped = createWorkClock(20, () => t.fail('a stopped clock calls nobody'))
  stopped.stop()
  stopped.restart()
  await stopped.pauseFor(pause(40))
})
