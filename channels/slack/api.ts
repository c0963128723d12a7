import type { Logger, WebClientOptions } from '@slack/web-api'
import type { ChannelSettings } from '#plugin-api'
import type { SlackConfig, TokenName } from './config.ts'
import { startDeadline, toFailure } from './failure.ts'

const nothing = () => {}

/** A logger that drops everything: the libraries log whole messages, addresses with tickets, and headers. */
export const silentLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  setName: nothing,
  getLevel: () => 'error' as ReturnType<Logger['getLevel']>,
}

/** The settings for reaching Slack; `requestMs` is the time limit for an answer. */
export interface Reach extends Pick<ChannelSettings<SlackConfig>, 'config' | 'endpoints' | 'fetch'> {
  requestMs: number
}

/** Creates options for the library: one attempt, no waiting, and an abort by `signal`. */
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

/** Loads the client library; sends nothing. */
export async function createSlackApi(reach: Reach, token: TokenName) {
  const { WebClient } = await import('@slack/web-api')
  return {
    /** Returns the answer of a method; throws a `ChannelFailure` after one attempt. */
    async call<Answer = unknown>(
      method: string,
      fields: Record<string, unknown>,
      signal: AbortSignal,
    ): Promise<Answer> {
      signal.throwIfAborted()
      const deadline = startDeadline(signal, reach.requestMs)
      // One client per call, because the library accepts no signal; creating it is cheap.
      const client = new WebClient(reach.config[token], {
        ...clientOptions(reach, deadline.signal),
        logger: silentLogger,
      })
      try {
        return (await client.apiCall(method, fields)) as Answer
      } catch (error) {
        signal.throwIfAborted()
        throw toFailure(error, token)
      } finally {
        deadline.release()
      }
    },
  }
}

/** Slack's Web API, called with one of the tokens. */
export type SlackApi = Awaited<ReturnType<typeof createSlackApi>>
