import { AppError } from '#kernel'
import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'

/** Why a request or a connection to Discord can fail without an answer. */
const TIMEOUTS = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])

const INTENT_GUIDANCE =
  'Discord does not let this bot read messages: switch on the Message Content intent on the page "Bot" of its application in the Discord developer portal.'

/** What Discord's own error codes mean where their HTTP status does not say enough. */
const CODES: Record<number, [reason: ChannelFailureReason, message: string]> = {
  10003: ['not_found', 'The Discord channel does not exist any more'],
  10008: ['not_found', 'The Discord message does not exist any more'],
  40005: ['unsupported', 'The file is larger than Discord allows'],
  50001: ['forbidden', 'The bot may not see this Discord channel'],
  50007: ['forbidden', 'This person does not take direct messages of the bot'],
  50013: ['forbidden', 'The bot lacks a permission in this Discord channel'],
}

/** The failure that tells how to switch on what a bot needs to read messages. */
export const missingIntent = (): ChannelFailure => new ChannelFailure('forbidden', INTENT_GUIDANCE)

/** The failure of a token that Discord does not know. */
const refusedToken = (): ChannelFailure =>
  new ChannelFailure('invalid_credentials', 'Discord does not accept the bot token: copy it anew.')

/** What a close code of Discord's gateway means that no new connection can help; undefined where one can. */
export function closeFailure(code: number): ChannelFailure | undefined {
  if (code === 4004) return refusedToken()
  if (code === 4013 || code === 4014) return missingIntent()
  if (code === 4010 || code === 4011)
    return new ChannelFailure('unsupported', 'The bot is in more servers than one connection can serve.')
  if (code === 4012)
    return new ChannelFailure('unsupported', 'Discord does not speak this version of its protocol any more.')
  return undefined
}

/**
 * Sorts what the REST client threw. The client's own errors hold addresses with tokens and whole requests, so nothing
 * of them is passed on but numbers.
 */
export function sortFailure(error: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted) return stopped(signal)
  if (error instanceof ChannelFailure || error instanceof AppError) return error
  if (!(error instanceof Error)) return new ChannelFailure('unknown', 'Discord could not be asked.')
  if ('retryAfter' in error) return limited(Number(error.retryAfter))
  if ('status' in error) return refusal(Number(error.status), 'code' in error ? Number(error.code) : 0)
  if (error.name === 'AbortError') return silent()
  return (
    unreachable(error) ?? new ChannelFailure('unknown', `Discord's answer could not be read (${error.name}).`)
  )
}

/** What an error of a socket or of `fetch` says; undefined where it is none. */
export function unreachable(error: Error): ChannelFailure | undefined {
  const code = codeOf(error) ?? codeOf(error.cause)
  if (code && TIMEOUTS.has(code)) return silent()
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
  if (status >= 500) return new ChannelFailure('unreachable', `Discord has a fault (status ${status}).`)
  return new ChannelFailure('unknown', `Discord refused a request${suffix(code || `status ${status}`)}.`)
}

const limited = (ms: number) =>
  new ChannelFailure('rate_limited', 'Discord asks to wait, because of too many requests.', {
    retry_after_ms: Math.max(0, Math.ceil(ms)),
  })

const silent = () => new ChannelFailure('timeout', 'Discord does not answer.')

/** A signal that ran out of time says that nobody answered; any other is the caller's own wish. */
const stopped = ({ reason }: AbortSignal) =>
  (reason as Error | undefined)?.name === 'TimeoutError' ? silent() : reason

const suffix = (code: string | number | undefined) => (code ? ` (${code})` : '')

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' && /^[A-Z_]+$/.test(code) ? code : undefined
}
