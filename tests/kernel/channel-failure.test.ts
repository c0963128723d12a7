import { ChannelFailure } from '#plugin-api'
import t from '../run/file-test.ts'

t.test('a channel failure carries its reason, its cause, and the time to wait if it is known', async (t) => {
  const cause = new Error('inner')
  t.match(new ChannelFailure('rate_limited', 'Slow down.', { retry_after_ms: 500, cause }), {
    reason: 'rate_limited',
    message: 'Slow down.',
    retry_after_ms: 500,
    cause,
  })
  t.match(new ChannelFailure('timeout', 'No answer.'), { reason: 'timeout', retry_after_ms: undefined })
})
