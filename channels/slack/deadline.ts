import { createDeadline, type Deadline } from '#kernel'
import { ChannelFailure } from '#plugin-api'

/** Starts the time that Slack has for an answer. */
export const startDeadline = (signal: AbortSignal, milliseconds: number): Deadline =>
  createDeadline([signal], {
    milliseconds,
    reason: () => new ChannelFailure('timeout', 'Slack does not answer in time.'),
  })
