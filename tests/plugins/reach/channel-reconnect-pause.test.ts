import type { ChannelFailureReason } from '#plugin-api'
import { choosePause } from '../../../plugins/reach/channels/connections/session.ts'
import t from '../../run/file-test.ts'

const pauses = (
  reason: ChannelFailureReason,
  {
    wasOpen = false,
    random = 1,
    retry_after_ms,
  }: { wasOpen?: boolean; random?: number; retry_after_ms?: number } = {},
) =>
  [0, 1, 2, 5, 6, 8, 9, 2000].map((failures) =>
    choosePause(
      { reason, detail: '', ...(retry_after_ms !== undefined && { retry_after_ms }) },
      { failures, wasOpen, random: () => random },
    ),
  )

t.test('the pause before a channel is opened again', async (t) => {
  const second = 1000
  t.same(
    pauses('unreachable'),
    [1, 2, 4, 32, 64, 256, 300, 300].map((seconds) => seconds * second),
    'grows while it cannot be opened',
  )
  for (const reason of ['unreachable', 'timeout'] as const)
    t.same(
      pauses(reason, { wasOpen: true }),
      [1, 2, 4, 32, 60, 60, 60, 60].map((seconds) => seconds * second),
      'stays short if it can be opened and is cut',
    )
  t.same(new Set(pauses('already_connected', { wasOpen: true })).size, 7, 'not if another one takes it')
  t.same(new Set(pauses('invalid_credentials')), new Set([300 * second]))
  t.same(new Set(pauses('forbidden', { wasOpen: true })), new Set([300 * second]))
  t.equal(pauses('unreachable', { random: 0 })[0], second / 2)
  t.equal(pauses('rate_limited', { retry_after_ms: 400 * second }).at(-1), 400 * second)
})
