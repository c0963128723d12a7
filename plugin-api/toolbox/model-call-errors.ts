/** The errors with which a call of a model can fail, for the errors that a route declares. */
export const MODEL_CALL_ERRORS = [
  'FILTER_REFUSED',
  'FILTER_FAILED',
  'PROVIDER_NOT_VISIBLE',
  'MODEL_DISABLED',
  'NO_MODEL',
  'MODEL_AUTH_FAILED',
  'MODEL_QUOTA_EXHAUSTED',
  'MODEL_RATE_LIMITED',
  'MODEL_UNAVAILABLE',
  'MODEL_NOT_FOUND',
  'MODEL_ANSWER_TOO_LONG',
  'MODEL_CALL_FAILED',
  'TOKEN_QUOTA_EXCEEDED',
  'BUDGET_EXCEEDED',
  'PRICE_UNKNOWN',
] as const
