import { createExplanation } from '../openai/failure.ts'

const UNITS: Record<string, number> = {
  millisecond: 1,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

/** Sorts Azure's own errors, and those of the models, which are OpenAI's. */
export const explainError = createExplanation({
  reasons: [
    [/insufficient_quota|QuotaExceeded/i, 'quota'],
    [/DeploymentNotFound|unknown_model|unavailable_model|model_?not_?found/i, 'model_not_found'],
    [/PermissionDenied|AuthenticationTypeDisabled|^401$|authentication/i, 'auth'],
    [/rate_?limit|too_?many_?requests|NoCapacity|^429$|slow_down/i, 'rate_limit'],
    [/timeout/i, 'timeout'],
    [/overloaded|server_?error|service_?unavailable|^5\d\d$/i, 'outage'],
    [
      /content_?filter|ResponsibleAI|policy|context_length|OperationNotSupported|^invalid|^unsupported/i,
      'bad_request',
    ],
  ],
  // Said with status 403 when a free tier is used up.
  messages: [[/out of call volume quota/i, 'quota']],
  /** As in "Please retry after 6 seconds." */
  pauseIn(message) {
    const [, amount, unit] = /retry after (\d+) (millisecond|second|minute|hour|day)/.exec(message) ?? []
    return unit === undefined ? undefined : Number(amount) * UNITS[unit]!
  },
})
