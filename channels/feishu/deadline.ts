import { createDeadline, type Deadline } from '#kernel'
import { ChannelFailure } from '#plugin-api'

/** Starts the time limit for an answer of Feishu. */
export const startDeadline = (milliseconds: number, ...signals: AbortSignal[]): Deadline =>
  createDeadline(signals, {
    milliseconds,
    reason: () => new ChannelFailure('timeout', `Feishu did not answer within ${milliseconds / 1000} s.`),
  })
