import type { ChannelFailureReason } from '#plugin-api'
import type { Failure } from '../writing/index.ts'

/** The first and the longest pause between two attempts, in milliseconds. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 300_000
/** The longest pause after a connection that was open and then cut: what cut it may be one message. */
const LONGEST_PAUSE_AFTER_CUT_MS = 60_000
/** Failures that only a person can fix. The channel still retries, with the longest pause. */
const FOR_A_PERSON: readonly ChannelFailureReason[] = [
  'missing_field',
  'invalid_credentials',
  'forbidden',
  'not_found',
  'unsupported',
]

/** The failures of an open connection that was cut. */
const CUT: readonly ChannelFailureReason[] = ['unreachable', 'timeout']

/** True if only a person can fix what keeps a channel from its platform. */
export const isForPerson = ({ reason }: Failure): boolean => FOR_A_PERSON.includes(reason)

/** Returns the pause before the next attempt to connect, in milliseconds. */
export function choosePause(
  failure: Failure,
  { failures, wasOpen, random }: { failures: number; wasOpen: boolean; random(): number },
): number {
  const most = wasOpen && CUT.includes(failure.reason) ? LONGEST_PAUSE_AFTER_CUT_MS : LONGEST_PAUSE_MS
  const longest = isForPerson(failure) ? most : Math.min(most, FIRST_PAUSE_MS * 2 ** failures)
  return Math.max(failure.retry_after_ms ?? 0, longest * (0.5 + random() / 2))
}
