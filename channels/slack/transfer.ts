import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'
import { readRetryAfter } from '#toolbox'

/** Time limit for transferring a file. */
export const TRANSFER_MS = 120_000

/** Creates the failure for the status of a server of files. */
export function toStatusFailure({ status, headers }: Response): ChannelFailure {
  return new ChannelFailure(reasonOf(status), `Slack answered with the HTTP status ${status}.`, {
    retry_after_ms: status === 429 ? readRetryAfter(headers) : undefined,
  })
}

function reasonOf(status: number): ChannelFailureReason {
  if (status === 429) return 'rate_limited'
  if (status === 413) return 'unsupported'
  return status >= 500 ? 'unreachable' : 'unknown'
}
