import { getEventListeners } from 'node:events'
import { createDeadline, untilAborted, withDeadline } from '#kernel'
import t from '../run/file-test.ts'
import { onlyLong } from '../run/tier.ts'
import { collectGarbage } from '../support/garbage.ts'

const forever = (signal: AbortSignal) => untilAborted(signal, new Promise<never>(() => {}))

t.test(
  'work ends when its time is over, although nothing else refers to the signal',
  { skip: onlyLong },
  async (t) => {
    const collecting = setInterval(collectGarbage, 5)
    t.teardown(() => clearInterval(collecting))
    await t.rejects(withDeadline(50, [new AbortController().signal], forever), { name: 'TimeoutError' })
  },
)

t.test('work ends when any of its signals aborts, including one that was aborted before', async (t) => {
  const [first, second] = [new AbortController(), new AbortController()]
  const work = withDeadline(60_000, [first.signal, second.signal], forever)
  second.abort(new Error('enough'))
  await t.rejects(work, { message: 'enough' })
  await t.rejects(withDeadline(60_000, [first.signal, second.signal], forever), { message: 'enough' })
})

t.test('the result of the work is returned, and its signal is released', async (t) => {
  const outer = new AbortController()
  const inner = await withDeadline(60_000, [outer.signal], async (signal) => signal)
  outer.abort()
  t.notOk(inner.aborted)
})

t.test('a deadline can be extended, aborted and released', async (t) => {
  const outer = new AbortController()
  const reason = () => new Error('late')
  const late = createDeadline([outer.signal, undefined], { milliseconds: 20, reason })
  late.extend()
  await t.rejects(untilAborted(late.signal, new Promise<never>(() => {})), { message: 'late' })
  const open = createDeadline([outer.signal])
  open.extend()
  open.abort(new Error('over'))
  t.match(open.signal.reason, { message: 'over' })
  const left = createDeadline([outer.signal])
  left.release()
  outer.abort()
  t.notOk(left.signal.aborted)
})

const never = () => new Promise<never>(() => {})

t.test('work settles with its own result and leaves no listener on the signal', async (t) => {
  const { signal } = new AbortController()
  t.equal(await untilAborted(signal, Promise.resolve(7)), 7)
  await t.rejects(untilAborted(signal, Promise.reject(new Error('broken'))), { message: 'broken' })
  await Promise.resolve()
  t.equal(getEventListeners(signal, 'abort').length, 0)
})

t.test('an abort rejects although the work itself does not end', async (t) => {
  const abort = new AbortController()
  const left = t.rejects(untilAborted(abort.signal, never()), { message: 'enough' })
  abort.abort(new Error('enough'))
  await left
  await t.rejects(
    untilAborted(abort.signal, never()),
    { message: 'enough' },
    'also if the signal was aborted before',
  )
})
