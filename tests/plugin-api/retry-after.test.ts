import { readRetryAfter } from '../../plugin-api/toolbox/index.ts'
import t from '../run/file-test.ts'

t.test('a pause is read in seconds or as a date', async (t) => {
  const now = Date.UTC(2026, 0, 1)
  const pauseOf = (header?: string) =>
    readRetryAfter(new Headers(header === undefined ? {} : { 'retry-after': header }), now)
  t.equal(pauseOf('7'), 7000)
  t.equal(pauseOf('0.25'), 250)
  t.equal(pauseOf('Thu, 01 Jan 2026 00:01:00 GMT'), 60_000)
  t.equal(pauseOf('Thu, 01 Jan 2020 00:00:00 GMT'), 0)
  for (const header of [undefined, '', 'soon', '-', '-5', '1,5', '9'.repeat(400)])
    t.equal(pauseOf(header), undefined, `${header}`)
})
