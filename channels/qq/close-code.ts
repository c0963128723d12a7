import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'

/** How to go on after a session with the gateway has ended. */
export type NextStep = 'resume' | 'identify' | 'renew_token' | 'fewer_intents' | 'give_up'

/** Why a session ended, and what helps. */
export interface SessionEnd {
  next: NextStep
  failure: ChannelFailure
}

const UNPUBLISHED = 4914

const CODES: Record<number, [NextStep, ChannelFailureReason, string]> = {
  4001: ['give_up', 'unsupported', 'it did not understand an operation'],
  4002: ['give_up', 'unsupported', 'it did not understand a frame'],
  4004: ['renew_token', 'invalid_credentials', 'it did not accept the access token'],
  4006: ['identify', 'unreachable', 'the session is not valid any more'],
  4007: ['identify', 'unreachable', 'the session is out of step'],
  4008: ['resume', 'rate_limited', 'too many frames were sent'],
  4009: ['resume', 'unreachable', 'the session took too long'],
  4010: ['give_up', 'unsupported', 'the shard is not valid'],
  4011: ['give_up', 'unsupported', 'the bot is in too many places for one connection'],
  4012: ['give_up', 'unsupported', 'this version of the protocol is not valid'],
  4013: ['give_up', 'unsupported', 'the intents are not valid'],
  4014: ['fewer_intents', 'forbidden', 'the bot has no right to these events'],
  [UNPUBLISHED]: ['give_up', 'forbidden', 'the bot is not published, so it can only be used in the sandbox'],
  4915: ['give_up', 'forbidden', 'the bot is banned'],
}

/** Faults inside the gateway, after which only a new session helps. */
const INTERNAL = { from: 4900, to: 4913 }

/** Sorts the code that a gateway closes a connection with. */
export function endOf(code: number): SessionEnd {
  const [next, reason, words] =
    CODES[code] ??
    (code >= INTERNAL.from && code <= INTERNAL.to
      ? (['identify', 'unreachable', 'it has a fault'] as const)
      : (['resume', 'unreachable', 'it gave no reason'] as const))
  return { next, failure: new ChannelFailure(reason, `QQ closed the connection (${code}): ${words}.`) }
}
