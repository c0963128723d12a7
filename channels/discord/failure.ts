import {
  AppError,
  ChannelFailure,
  findErrorCode,
  findNetworkFailure,
  indexMeanings,
  PlatformRefusal,
} from '#plugin-api'

/** Meanings of Discord's error codes; the sentence is shown to people. */
const MEANINGS = indexMeanings([
  ['not_found', 'The Discord channel no longer exists', [10003, 10004]],
  ['not_found', 'The Discord message no longer exists', [10008]],
  ['not_found', 'The person is no longer on Discord', [10013, 50033]],
  ['not_found', 'The pressed button has expired or was already answered', [10015, 10062, 40060, 50027]],
  ['invalid_credentials', 'Discord does not accept the bot token: copy it again', [40001, 50014]],
  ['forbidden', 'The bot may not see this Discord channel', [50001]],
  ['forbidden', 'This person does not accept direct messages from the bot', [50007, 50278]],
  ['forbidden', 'The bot lacks a permission in this Discord channel', [50009, 50013, 160002, 160009]],
  ['forbidden', 'The bot was banned from this Discord server', [40007]],
  ['forbidden', 'The Discord thread is archived or locked', [50083, 160005, 160006]],
  ['forbidden', 'The bot may not change this Discord message', [30046, 50005, 50021]],
  ['unsupported', 'The rules of the Discord server (AutoMod) block this message', [200000, 200001]],
  ['unsupported', 'Discord blocks this message because of its content', [20009, 240000]],
  ['forbidden', 'Discord has limited the bot or the server', [40002, 40012, 340015, 400001]],
  ['unsupported', 'Messages cannot be written in this kind of Discord channel', [40058, 50003, 50008, 50024]],
  ['unsupported', 'The file is larger than Discord allows', [40005, 50045]],
  ['unsupported', 'Discord does not accept the file', [30015, 50046, 50110, 50123, 50146]],
  ['rate_limited', 'Discord limits the rate of requests', [20016, 20022, 20028, 20029, 40003, 40062]],
  ['unreachable', 'Discord is overloaded or has switched this off for now', [40004, 40006, 110000, 130000]],
])

/** Returns the meaning of an error code that is more precise than the HTTP status. */
const meaningOf = (code: number) => MEANINGS.get(code)

/** The code of a refusal to act on an archived thread. */
export const ARCHIVED_THREAD = 50083

const INVALID_FORM = 50035

/** An empty message, and a body that is not valid JSON, as one with half a character. */
const TEXT_CODES: ReadonlySet<number> = new Set([50006, 50109])

/** True if Discord refused the text of a message: it is too long, empty or malformed. */
const isAboutText = (code: number, errors: unknown): boolean =>
  TEXT_CODES.has(code) || (code === INVALID_FORM && hasField(errors, 'content'))

/** True if an error of this field is in the tree of errors, which has the form of the refused body. */
function hasField(errors: unknown, name: string): boolean {
  if (typeof errors !== 'object' || errors === null) return false
  return Object.entries(errors).some(([key, value]) => key === name || hasField(value, name))
}

const INTENT_GUIDANCE =
  'Discord does not let this bot read messages: enable the Message Content intent on the page "Bot" of its application in the Discord developer portal.'

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
 * and Discord's own words are passed on.
 */
export function toFailure(error: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted) return stopped(signal)
  if (error instanceof ChannelFailure || error instanceof AppError) return error
  if (!(error instanceof Error)) return new ChannelFailure('unknown', 'The request to Discord failed.')
  if ('retryAfter' in error) return toRateLimit(Number(error.retryAfter))
  if ('status' in error) return toRefusal(error as RefusedCall)
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

/** An answer of Discord with an error, as the REST client throws it. */
interface RefusedCall {
  status: number
  code?: number | string
  rawError?: { message?: unknown; errors?: unknown }
}

function toRefusal({ status, code: written = 0, rawError }: RefusedCall): ChannelFailure {
  const code = Number(written) || 0
  const meaning = meaningOf(code)
  if (meaning) return new PlatformRefusal(code, meaning.reason, `${meaning.words} (${code}).`)
  if (status === 401) return refusedToken()
  if (status === 408 || status === 504) return silent()
  if (status >= 500) return new ChannelFailure('unreachable', `Discord failed with status ${status}.`)
  const detail = suffix(readWords(rawError), code || `status ${status}`)
  if (isAboutText(code, rawError?.errors))
    return new PlatformRefusal(code, 'unsupported', `Discord does not accept the text${detail}.`, {
      is_about_text: true,
    })
  if (status === 403) return new PlatformRefusal(code, 'forbidden', `Discord does not allow this${detail}.`)
  if (status === 404) return new PlatformRefusal(code, 'not_found', `Discord does not know this${detail}.`)
  return new PlatformRefusal(code, 'unknown', `Discord refused a request${detail}.`)
}

/** Returns Discord's sentence about an error; undefined if it may contain more than words. */
function readWords(rawError: RefusedCall['rawError']): string | undefined {
  const { message } = rawError ?? {}
  return typeof message === 'string' && /^(?!.*\S{30})[\x20-\x7e]{1,200}$/.test(message) ? message : undefined
}

/** Creates the failure for a status of a server that is not Discord's API: a proxy, or the network in front of Discord. */
export function toForeignAnswer(status: number, pauseMs: number | undefined): ChannelFailure {
  if (status === 429) return toRateLimit(pauseMs)
  if (status === 413) return new ChannelFailure('unsupported', `${meaningOf(40005)!.words}.`)
  return new ChannelFailure(
    'unknown',
    `A server other than Discord's API answered with the status ${status}.`,
  )
}

/** Creates the failure for a rate limit, with its duration if known. */
const toRateLimit = (ms = 0) =>
  new ChannelFailure('rate_limited', 'Discord limits the rate of requests.', {
    ...(ms > 0 && { retry_after_ms: Math.ceil(ms) }),
  })

const silent = () => new ChannelFailure('timeout', 'Discord did not answer in time.')

/** Returns the timeout failure if the signal timed out, else the caller's reason. */
const stopped = ({ reason }: AbortSignal) =>
  (reason as Error | undefined)?.name === 'TimeoutError' ? silent() : reason

const suffix = (...details: (string | number | undefined)[]) => {
  const text = details.filter(Boolean).join(', ')
  return text && ` (${text})`
}
