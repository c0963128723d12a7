import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'

/** The step after a session with the gateway has ended. */
export type NextStep = 'resume' | 'identify' | 'renew_token' | 'fewer_intents' | 'give_up'

/** The reason why a session ended, and the next step. */
export interface SessionEnd {
  next: NextStep
  failure: ChannelFailure
}

const UNPUBLISHED = 4914

const CODES: Record<number, [NextStep, ChannelFailureReason, string]> = {
  4001: ['give_up', 'unsupported', 'it did not understand an operation'],
  4002: ['give_up', 'unsupported', 'it did not understand a frame'],
  4004: ['renew_token', 'invalid_credentials', 'it did not accept the access token'],
  4006: ['identify', 'unreachable', 'the session is no longer valid'],
  4007: ['identify', 'unreachable', 'the sequence number is not valid'],
  4008: ['resume', 'rate_limited', 'too many frames were sent'],
  4009: ['resume', 'unreachable', 'the session timed out'],
  4010: ['give_up', 'unsupported', 'the shard is not valid'],
  4011: ['give_up', 'unsupported', 'the bot is in too many groups for one connection'],
  4012: ['give_up', 'unsupported', 'this version of the protocol is not valid'],
  4013: ['give_up', 'unsupported', 'the intents are not valid'],
  4014: ['fewer_intents', 'forbidden', 'the bot lacks the permission for these events'],
  [UNPUBLISHED]: ['give_up', 'forbidden', 'the bot is not published, so it can only be used in the sandbox'],
  4915: ['give_up', 'forbidden', 'the bot is banned'],
}

/** Codes of internal errors of the gateway, after which a new session is needed. */
const INTERNAL = { from: 4900, to: 4913 }

/** Classifies the close code of a connection. */
export function toSessionEnd(code: number): SessionEnd {
  const [next, reason, words] =
    CODES[code] ??
    (code >= INTERNAL.from && code <= INTERNAL.to
      ? (['identify', 'unreachable', 'it failed'] as const)
      : (['resume', 'unreachable', 'it stated no reason'] as const))
  return { next, failure: new ChannelFailure(reason, `QQ closed the connection (${code}): ${words}.`) }
}
