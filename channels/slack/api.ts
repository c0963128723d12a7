import type { WebClientOptions } from '@slack/web-api'
import type { ChannelSettings } from '#plugin-api'
import { keysOf, type TokenName } from './config.ts'
import { startDeadline } from './deadline.ts'
import { failureOf } from './failure.ts'
import { silentLogger } from './silent-logger.ts'

/** How Slack is reached; `requestMs` is how long it may take to answer. */
export interface Reach extends Pick<ChannelSettings, 'config' | 'endpoints' | 'fetch'> {
  requestMs: number
}

/** Slack's Web API, called with one of the keys. */
export interface SlackApi {
  /** Gives what the method answers; throws a `ChannelFailure`, after one attempt. */
  call<Answer = unknown>(
    method: string,
    fields: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Answer>
}

/** How the library is to behave: one attempt, no waiting, and an end when `signal` is aborted. */
export function clientOptions(
  { endpoints, fetch }: Reach,
  signal: AbortSignal,
): Omit<WebClientOptions, 'logger' | 'logLevel'> {
  return {
    slackApiUrl: `${endpoints.api}/`,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    fetch: (url, init) => fetch(url, { ...init, signal }),
  }
}

/** Loads the client library; nothing is sent yet. */
export async function createSlackApi(reach: Reach, token: TokenName): Promise<SlackApi> {
  const { WebClient } = await import('@slack/web-api')
  return {
    async call<Answer>(method: string, fields: Record<string, unknown>, signal: AbortSignal) {
      signal.throwIfAborted()
      const deadline = startDeadline(signal, reach.requestMs)
      // One client a call, which takes no time, because the library passes no signal on.
      const client = new WebClient(keysOf(reach.config)[token], {
        ...clientOptions(reach, deadline.signal),
        logger: silentLogger,
      })
      try {
        return (await client.apiCall(method, fields)) as Answer
      } catch (error) {
        signal.throwIfAborted()
        throw failureOf(error, token)
      } finally {
        deadline.release()
      }
    },
  }
}
