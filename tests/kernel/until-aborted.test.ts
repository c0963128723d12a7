import { getEventListeners } from 'node:events'
import { untilAborted } from '../../kernel/until-aborted.ts'
import t from '../run/file-test.ts'

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
