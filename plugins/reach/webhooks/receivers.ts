import { createHmac } from 'node:crypto'
import {
  AppError,
  createGuardedFetch,
  findErrorCode,
  findNetworkFailure,
  readRetryAfter,
  withDeadline,
} from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { DeliveryError } from './types.ts'

/** The time until a receiver must have answered, in seconds. */
export const TIMEOUT_SECONDS = 10

/** The answer to a request, or the reason why there was none; `retry_after` is in milliseconds. */
export interface Answer {
  status: number | null
  error: DeliveryError | null
  retry_after: number | null
}

/** A signed request. */
export interface SignedRequest {
  url: string
  secret: string
  /** The header `webhook-id`. */
  id: string
  body: string
}

/** Returns the headers of Standard Webhooks; `timestamp` is Unix seconds. */
function sign({ secret, id, body }: Omit<SignedRequest, 'url'>, timestamp: number) {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
}

/** The addresses that webhooks send to. */
export type Receivers = ReturnType<typeof createReceivers>

/** Creates the requests to receivers. */
export function createReceivers({ config, clock, server }: Pick<Cradle, 'config' | 'clock' | 'server'>) {
  const guarded = createGuardedFetch({ allowHosts: config.allow_hosts })

  return {
    /** Throws ADDRESS_NOT_ALLOWED unless receivers may have this address. */
    assertAllowed: guarded.assertAllowed,

    /** Sends a request and reads the status of the answer; nothing of its body is read. Never throws for a receiver. */
    async send({ url, ...message }: SignedRequest): Promise<Answer> {
      try {
        const response = await withDeadline(TIMEOUT_SECONDS * 1000, [], (signal) =>
          guarded.fetch(url, {
            method: 'POST',
            body: message.body,
            headers: {
              'content-type': 'application/json',
              'user-agent': `svc-webhooks/${server.version}`,
              ...sign(message, clock.seconds()),
            },
            redirect: 'manual',
            signal,
          }),
        )
        // The status says everything; a body may be endless.
        await response.body?.cancel()
        return toAnswer(response, clock.now())
      } catch (error) {
        return { status: null, error: explainFailure(error), retry_after: null }
      }
    },

    /** Closes every connection. */
    close: guarded.close,
  }
}

function toAnswer({ status, headers, ok }: Response, now: number): Answer {
  if (ok) return { status, error: null, retry_after: null }
  const code = status >= 300 && status < 400 ? 'WEBHOOK_REDIRECTED' : 'WEBHOOK_STATUS'
  return { status, error: { code, details: { status } }, retry_after: readRetryAfter(headers, now) ?? null }
}

function explainFailure(error: unknown): DeliveryError {
  const failure = findNetworkFailure(error)
  if (failure?.reason === 'timeout') return { code: 'WEBHOOK_TIMEOUT', details: { seconds: TIMEOUT_SECONDS } }
  if (error instanceof AppError) {
    const { host } = error.details
    return { code: error.code, details: { host: String(host) } }
  }
  return {
    code: 'WEBHOOK_UNREACHABLE',
    details: { reason: findErrorCode(error) ?? failure?.code ?? 'the connection failed' },
  }
}
