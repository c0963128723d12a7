import type { ExplainedFailure, ProviderFailure, UpstreamReport } from '#plugin-api'

/** How a vendor of OpenAI's models says things; of the patterns the first that matches counts. */
interface Wording {
  /** What its codes mean, and in a stream, which has no status, its types. */
  reasons: readonly (readonly [RegExp, ProviderFailure])[]
  /** What its messages mean, where they say more than a code. */
  messages: readonly (readonly [RegExp, ProviderFailure])[]
  /** The milliseconds that a message asks to wait. */
  pauseIn(message: string): number | undefined
}

/** Makes the explanation of failures, whether in the body of an answer or in an event of a stream. */
export function createExplanation({ reasons, messages, pauseIn }: Wording) {
  const reasonOf = (mark: string, patterns = reasons) => patterns.find(([pattern]) => pattern.test(mark))?.[1]

  return ({ code, type, message, body }: UpstreamReport): ExplainedFailure | undefined => {
    const told = reasonOf(message, messages)
    if (told) return { reason: told }
    const isStreamed = isEvent(body)
    const reason = reasonOf(code) ?? (isStreamed ? reasonOf(type) : undefined)
    // Of an answer the status says more than this: even a wrong key is an "invalid_request_error".
    if (!reason || (reason === 'bad_request' && !isStreamed)) return undefined
    const retry_after_ms = reason === 'rate_limit' ? pauseIn(message) : undefined
    return { reason, ...(retry_after_ms !== undefined && { retry_after_ms }) }
  }
}

/** The body of an answer is `{ error }`; an event has a type, or is an error outright. */
const isEvent = (body: unknown) =>
  typeof body === 'object' && body !== null && ('type' in body || !('error' in body))

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Sorts OpenAI's own errors. */
export const explainError = createExplanation({
  reasons: [
    [/insufficient_quota|billing|quota_exceeded/, 'quota'],
    [/model_not_found/, 'model_not_found'],
    [/invalid_api_key|authentication|permission/, 'auth'],
    [/rate_limit|slow_down/, 'rate_limit'],
    [/timeout/, 'timeout'],
    [/server_is_overloaded|server_error|service_unavailable/, 'outage'],
    [/context_length_exceeded|content_filter|policy|^(?:invalid|unsupported)_|image/, 'bad_request'],
  ],
  // Some requests need an organization whose identity is verified; they are refused as if malformed.
  messages: [[/organization must be verified/, 'auth']],
  /** As in "Please try again in 6m0.5s." */
  pauseIn(message) {
    const [, pause] = /try again in ((?:[\d.]+(?:ms|[smhd]))+)/.exec(message) ?? []
    if (!pause) return undefined
    const parts = [...pause.matchAll(/([\d.]+)(ms|[smhd])/g)]
    return Math.ceil(parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit!]!, 0))
  },
})
