import { AppError } from '#kernel'
import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'
import { findErrorCode, findNetworkFailure } from '#toolbox'

const INTENT_GUIDANCE =
  'Discord does not let this bot read messages: enable the Message Content intent on the page "Bot" of its application in the Discord developer portal.'

/** Meanings of Discord's error codes that are more precise than the HTTP status. */
const CODES: Record<number, [reason: ChannelFailureReason, message: string]> = {
  10003: ['not_found', 'The Discord channel no longer exists'],
  10008: ['not_found', 'The Discord message no longer exists'],
  40005: ['unsupported', 'The file is larger than Discord allows'],
  50001: ['forbidden', 'The bot may not see this Discord channel'],
  50007: ['forbidden', 'This person does not accept direct messages from the bot'],
  50013: ['forbidden', 'The bot lacks a permission in this Discord channel'],
}

/** Creates the failure that explains how to enable the intent for reading messages. */
export const missingIntent = (): ChannelFailure => new ChannelFailure('forbidden', INTENT_GUIDANCE)

/** Creates the failure for a token that Discord does not accept. */
const refusedToken = (): ChannelFailure =>
  new ChannelFailure('invalid_credentials', 'Discord does not accept the bot token: copy it again.')

/** Classifies a close code of the gateway after which reconnecting is useless; undefined for all others. */
export function closeFailure(code: number): ChannelFailure | undefined {
  if (code === 4004) return refusedToken()
  if (code === 4013 || code === 4014) return missingIntent()
  if (code === 4010 || code === 4011)
    return new ChannelFailure('unsupported', 'The bot is in more servers than one connection can serve.')
  if (code === 4012)
    return new ChannelFailure('unsupported', 'Discord no longer supports this version of its protocol.')
  return undefined
}

/**
 * Classifies an error of the REST client. Such errors contain addresses with tokens and whole requests, so only numbers
 * are passed on.
 */
export function toFailure(error: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted) return stopped(signal)
  if (error instanceof ChannelFailure || error instanceof AppError) return error
  if (!(error instanceof Error)) return new ChannelFailure('unknown', 'The request to Discord failed.')
  if ('retryAfter' in error) return limited(Number(error.retryAfter))
  if ('status' in error) return refusal(Number(error.status), 'code' in error ? Number(error.code) : 0)
  if (error.name === 'AbortError') return silent()
  return (
    toNetworkFailure(error) ??
    new ChannelFailure('unknown', `Discord's answer could not be read (${error.name}).`)
  )
}

/** Classifies an error of a socket or `fetch`; undefined for other errors. */
export function toNetworkFailure(error: Error): ChannelFailure | undefined {
  if (findNetworkFailure(error)?.reason === 'timeout') return silent()
  const code = findErrorCode(error)
  if (/handshake has timed out/.test(error.message)) return silent()
  const isNetwork =
    code !== undefined || /fetch failed|terminated|socket|server response/i.test(error.message)
  return isNetwork
    ? new ChannelFailure('unreachable', `Discord cannot be reached${suffix(code)}.`)
    : undefined
}

function refusal(status: number, code: number): ChannelFailure {
  if (status === 401) return refusedToken()
  const known = CODES[code]
  if (known) return new ChannelFailure(known[0], `${known[1]}.`)
  if (status === 403) return new ChannelFailure('forbidden', `Discord does not allow this${suffix(code)}.`)
  if (status === 404) return new ChannelFailure('not_found', `Discord does not know this${suffix(code)}.`)
  if (status === 413) return new ChannelFailure('unsupported', `${CODES[40005]![1]}.`)
  if (status === 408 || status === 504) return silent()
  if (status >= 500) return new ChannelFailure('unreachable', `Discord failed with status ${status}.`)
  return new ChannelFailure('unknown', `Discord refused a request${suffix(code || `status ${status}`)}.`)
}

const limited = (ms: number) =>
  new ChannelFailure('rate_limited', 'Discord limits the rate of requests.', {
    retry_after_ms: Math.max(0, Math.ceil(ms)),
  })

const silent = () => new ChannelFailure('timeout', 'Discord did not answer in time.')

/** Returns the timeout failure if the signal timed out, else the caller's reason. */
const stopped = ({ reason }: AbortSignal) =>
  (reason as Error | undefined)?.name === 'TimeoutError' ? silent() : reason

const suffix = (code: string | number | undefined) => (code ? ` (${code})` : '')
