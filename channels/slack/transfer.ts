import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'

/** Time limit for transferring a file. */
export const TRANSFER_MS = 120_000

/** Creates the failure for the status of a server of files. */
export function toStatusFailure({ status, headers }: Response): ChannelFailure {
  const seconds = Number(headers.get('retry-after'))
  return new ChannelFailure(reasonOf(status), `Slack answered with the HTTP status ${status}.`, {
    ...(status === 429 && seconds > 0 && { retry_after_ms: seconds * 1000 }),
  })
}

function reasonOf(status: number): ChannelFailureReason {
  if (status === 429) return 'rate_limited'
  if (status === 413) return 'unsupported'
  return status >= 500 ? 'unreachable' : 'unknown'
}
