import { createSemaphore } from '../../plugin-api/toolbox/index.ts'
import t from '../run/file-test.ts'

t.test('a semaphore admits only as many holders as its limit, in the order of their requests', async (t) => {
  const places = createSemaphore()
  const entered: number[] = []
  const enter = (n: number, limit = 2) =>
    places.acquire(limit).then((leave) => {
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
  const places = createSemaphore()
  await t.rejects(places.acquire(1, AbortSignal.abort(new Error('never mind'))), { message: 'never mind' })
  const inside = new AbortController()
  await places.acquire(1, inside.signal)
  const waiting = new AbortController()
  const given = places.acquire(1, waiting.signal)
  const next = places.acquire(1)
  waiting.abort(new Error('too long'))
  await t.rejects(given, { message: 'too long' })
  inside.abort()
  t.type(await next, 'function', 'an abort releases the place')
})
