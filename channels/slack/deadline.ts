import { createDeadline, type Deadline } from '#kernel'
import { ChannelFailure } from '#plugin-api'

/** Starts the time limit for an answer of Slack. */
export const startDeadline = (signal: AbortSignal, milliseconds: number): Deadline =>
  createDeadline([signal], {
    milliseconds,
    reason: () => new ChannelFailure('timeout', 'Slack did not answer in time.'),
  })
