import type { GrammyError } from 'grammy'
import { ChannelFailure, readNetworkFailure, readRetryAfter } from '#plugin-api'
import { classifyRefusal, readPause } from './refusals.ts'

/** The message of `fetch` for errors without a code, e.g. an unexpected redirect. */
const FETCH_FAILED = 'fetch failed'

/** Longer than the known descriptions of Telegram. */
const MAX_DESCRIPTION = 300

/** The parts of a refusal that calls are corrected by. */
interface Refusal {
  description: string
  /** The chat that replaced the addressed one. */
  migrated_to?: number
}

/** Telegram's refusals. They are not a `cause`: the message contains the description, and logs would show both. */
const refusals = new WeakMap<ChannelFailure, Refusal>()

const readRefusal = (error: unknown) => (error instanceof ChannelFailure ? refusals.get(error) : undefined)

/** True if Telegram refused a call with a matching description. */
export const isRefusal = (error: unknown, pattern: RegExp): boolean =>
  pattern.test(readRefusal(error)?.description ?? '')

/** Returns the chat that replaced the addressed one, if Telegram refused a call for this reason. */
export const readMigration = (error: unknown): number | undefined => readRefusal(error)?.migrated_to

/** Classifies an error of the client library. The result contains neither the token nor sent content. */
export function toFailure(error: unknown, token: string): ChannelFailure {
  if (error instanceof ChannelFailure) return error
  const { error: inner, error_code } = error as Partial<GrammyError> & { error?: unknown }
  if (inner instanceof ChannelFailure) return inner
  if (typeof error_code === 'number') return toRefusal(error as GrammyError, token)
  const { name, message } = (inner ?? error) as Error
  const code = readCode(error) ?? (message === FETCH_FAILED ? FETCH_FAILED : undefined)
  if (!code) {
    const cause = new Error(`${name}: ${message}`.replaceAll(token, '***'))
    return new ChannelFailure('unknown', 'Telegram sent an unreadable answer.', { cause })
  }
  return readNetworkFailure({ code })?.reason === 'timeout'
    ? new ChannelFailure('timeout', `Telegram did not answer in time (${code}).`)
    : new ChannelFailure('unreachable', `Telegram cannot be reached (${code}).`)
}

function toRefusal(error: GrammyError, token: string): ChannelFailure {
  const { error_code, parameters } = error
  const description = String(error.description).replaceAll(token, '***').slice(0, MAX_DESCRIPTION)
  const { reason, is_about_text } = classifyRefusal(error_code, description)
  const failure = new ChannelFailure(reason, `Telegram refused the call: ${description} (${error_code}).`, {
    retry_after_ms: readPause(parameters?.retry_after, description),
    is_about_text,
  })
  const migrated_to = Number(parameters?.migrate_to_chat_id)
  refusals.set(failure, { description, ...(Number.isSafeInteger(migrated_to) && { migrated_to }) })
  return failure
}

/** Creates the failure for an answer that is not from Telegram's API but from a proxy or a broken server. */
export function toForeignAnswer({ status, headers }: Response): ChannelFailure {
  const message = `A server other than Telegram’s API answered with status ${status}.`
  if (status === 429)
    return new ChannelFailure('rate_limited', message, { retry_after_ms: readRetryAfter(headers) })
  if (status === 413) return new ChannelFailure('unsupported', message)
  if (status === 408 || status === 425 || status >= 500) return new ChannelFailure('unreachable', message)
  return new ChannelFailure('unknown', message)
}

/** Returns the code of the innermost error, that of the socket or the system. */
function readCode(error: unknown): string | undefined {
  let code: string | undefined
  for (
    let at = error as { code?: unknown; cause?: unknown; error?: unknown } | undefined, n = 0;
    at && n < 5;
    n += 1
  ) {
    if (typeof at.code === 'string') code = at.code
    at = (at.error ?? at.cause) as typeof at
  }
  return code
}
