import { ChannelFailure } from '#plugin-api'
import t from '../run/file-test.ts'

t.test('a failure of a channel says why, and how long to wait where that is known', async (t) => {
  const cause = new Error('inner')
  t.match(new ChannelFailure('rate_limited', 'Slow down.', { retry_after_ms: 500, cause }), {
    reason: 'rate_limited',
    message: 'Slow down.',
    retry_after_ms: 500,
    cause,
  })
  t.match(new ChannelFailure('timeout', 'No answer.'), { reason: 'timeout', retry_after_ms: undefined })
})
