import type { ExplainedFailure, ProviderFailure, UpstreamReport } from '#plugin-api'

/** The types of errors of the Messages API; within a stream, which has no status, they are all there is. */
const REASONS: Record<string, ProviderFailure> = {
  invalid_request_error: 'bad_request',
  request_too_large: 'bad_request',
  authentication_error: 'auth',
  permission_error: 'auth',
  billing_error: 'quota',
  not_found_error: 'model_not_found',
  rate_limit_error: 'rate_limit',
  timeout_error: 'timeout',
  api_error: 'outage',
  overloaded_error: 'outage',
}

/** Credit that is used up and spending limits that are reached are told as invalid requests. */
const NO_CREDIT = /credit balance is too low|reached your specified \w*\s?API usage limits/i

/** Sorts errors by their type, whether they come instead of an answer or within one. */
export function explainError({ type, message }: UpstreamReport): ExplainedFailure | undefined {
  const reason = NO_CREDIT.test(message) ? 'quota' : REASONS[type]
  return reason && { reason }
}
