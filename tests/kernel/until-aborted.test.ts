import { getEventListeners } from 'node:events'
import { untilAborted } from '../../kernel/until-aborted.ts'
import t from '../run/file-test.ts'

const never = () => new Promise<never>(() => {})

t.test('work settles as it would alone and leaves no listener', async (t) => {
  const { signal } = new AbortController()
  t.equal(await untilAborted(signal, Promise.resolve(7)), 7)
  await t.rejects(untilAborted(signal, Promise.reject(new Error('broken'))), { message: 'broken' })
  await Promise.resolve()
  t.equal(getEventListeners(signal, 'abort').length, 0)
})

t.test('work that does not heed an abort is left behind', async (t) => {
  const abort = new AbortController()
  const left = t.rejects(untilAborted(abort.signal, never()), { message: 'enough' })
  abort.abort(new Error('enough'))
  await left
  await t.rejects(untilAborted(abort.signal, never()), { message: 'enough' }, 'also when it begins too late')
})
