import { ChannelFailure, type ChannelFailureReason, type ChannelSettings } from '#plugin-api'
import { withDeadline } from '#toolbox'
import type { WebhookConfig } from './config.ts'
import { createSignature } from './signature.ts'

/** Time limit of a call, in milliseconds. */
const CALL_MS = 30_000

/** Posts an event to the other side. */
type Callback = (event: object, key: string | undefined, signal: AbortSignal) => Promise<void>

const REASONS: Readonly<Record<number, ChannelFailureReason>> = {
  401: 'invalid_credentials',
  403: 'invalid_credentials',
  404: 'not_found',
  408: 'timeout',
  410: 'not_found',
  429: 'rate_limited',
}

/** Creates the sender of signed events to `callback_url`. Throws a ChannelFailure unless the answer is 2xx. */
export function createCallback({
  config: { callback_url, secret },
  fetch,
}: Pick<ChannelSettings<WebhookConfig>, 'config' | 'fetch'>): Callback {
  return async (event, key, signal) => {
    const body = JSON.stringify(event)
    const headers = {
      'content-type': 'application/json',
      ...(key && { 'idempotency-key': key }),
      ...createSignature(secret, body),
    }
    const response = await withDeadline(CALL_MS, [signal], (aborted) =>
      fetch(callback_url, { method: 'POST', body, headers, redirect: 'error', signal: aborted }),
    )
    await response.body?.cancel()
    if (response.ok) return
    const { status } = response
    const reason = REASONS[status] ?? (status >= 500 ? 'unreachable' : 'unsupported')
    throw new ChannelFailure(reason, `The callback address answered ${status}.`, retryAfter(response))
  }
}

const retryAfter = ({ headers }: Response) => {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? { retry_after_ms: seconds * 1000 } : {}
}
