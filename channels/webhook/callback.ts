import {
  ChannelFailure,
  type ChannelFailureReason,
  type ChannelSettings,
  readRetryAfter,
  toWellFormedJSON,
  withDeadline,
} from '#plugin-api'
import type { WebhookConfig } from './config.ts'
import { createSignature } from './signature.ts'

/** Time limit of a call, in milliseconds. */
const CALL_MS = 30_000

/** Posts an event to the other side. */
type Callback = (event: { type: string }, key: string | undefined, signal: AbortSignal) => Promise<void>

/** Reasons by status. */
type Reasons = Readonly<Record<number, ChannelFailureReason>>

/** Reasons of statuses that mean the same at each call; another 4xx is tried a few times. */
const REASONS: Reasons = {
  401: 'invalid_credentials',
  403: 'invalid_credentials',
  408: 'timeout',
  410: 'not_found',
  413: 'unsupported',
  425: 'unreachable',
  429: 'rate_limited',
}

/** Reasons of statuses that mean more at a probe, when nothing has ever worked. */
export const PROBE_REASONS: Reasons = { 404: 'not_found' }

/** Creates the sender of signed events to `callback_url`. Throws a ChannelFailure unless the answer is 2xx. */
export function createCallback(
  { config: { callback_url, secret }, fetch }: Pick<ChannelSettings<WebhookConfig>, 'config' | 'fetch'>,
  reasons: Reasons = {},
): Callback {
  return async (event, key, signal) => {
    const body = toWellFormedJSON(event)
    const headers = {
      'content-type': 'application/json',
      ...(key && { 'idempotency-key': key }),
      ...createSignature(secret, body),
    }
    const { response, words } = await withDeadline(CALL_MS, [signal], async (aborted) => {
      const request = { method: 'POST', body, headers, redirect: 'manual', signal: aborted } as const
      const response = await fetch(callback_url, request)
      if (!response.ok) return { response, words: await readRefusalWords(response) }
      await response.body?.cancel()
      return { response, words: '' }
    })
    if (response.ok) return
    const { status } = response
    const retry_after_ms = readRetryAfter(response.headers)
    throw new ChannelFailure(
      reasons[status] ?? toReason(status),
      `The callback address answered ${status}${isRedirect(status) ? ', but redirects are not followed.' : words ? `: ${words}` : '.'}`,
      {
        ...(retry_after_ms !== undefined && { retry_after_ms }),
        is_about_text: status === 413 && event.type !== 'file',
      },
    )
  }
}

const isRedirect = (status: number) => status >= 300 && status < 400

/** Classifies the status of an answer that is not 2xx. */
export function toReason(status: number): ChannelFailureReason {
  if (isRedirect(status)) return 'unsupported'
  return REASONS[status] ?? (status >= 500 ? 'unreachable' : 'unknown')
}

/** The most bytes of a reply that are read, and the most characters of its words that are kept. */
const MAX_BYTES = 4096
const MAX_WORDS = 200

/** Reads the words with which the other side refuses a call, in one line; empty for a page or a body that breaks off. */
async function readRefusalWords({ body, headers }: Response): Promise<string> {
  if (!body) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      size += chunk.byteLength
      if (size >= MAX_BYTES) break
    }
  } catch {
    // The status is known, and says enough.
    return ''
  }
  if (headers.get('content-type')?.includes('html')) return ''
  const line = Buffer.concat(chunks)
    .subarray(0, MAX_BYTES)
    .toString()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  const words = [...line]
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS).join('')}…` : line
}
