import type { ExplainedFailure, ProviderFailure, UpstreamReport } from '#plugin-api'

/** The exceptions of Bedrock and of the front door of AWS; several come with a status that says something else. */
const REASONS: Record<string, ProviderFailure> = {
  AccessDeniedException: 'auth',
  UnrecognizedClientException: 'auth',
  InvalidSignatureException: 'auth',
  IncompleteSignatureException: 'auth',
  MissingAuthenticationTokenException: 'auth',
  ExpiredTokenException: 'auth',
  ThrottlingException: 'rate_limit',
  ServiceQuotaExceededException: 'quota',
  ResourceNotFoundException: 'model_not_found',
  ValidationException: 'bad_request',
  ModelTimeoutException: 'timeout',
  ModelNotReadyException: 'outage',
  ModelErrorException: 'outage',
  ModelStreamErrorException: 'outage',
  ServiceUnavailableException: 'outage',
  InternalServerException: 'outage',
}

/** What only the words tell; the apostrophe is not always the same. */
const PHRASES: readonly (readonly [RegExp, ProviderFailure])[] = [
  [/on-demand throughput isn.t supported|model identifier is invalid/i, 'model_not_found'],
  [/too many tokens per day|INVALID_PAYMENT_INSTRUMENT/i, 'quota'],
  // An answer that ends within a frame, or with one whose sum is wrong.
  [/incomplete amazon bedrock event-stream frame|checksum/i, 'outage'],
]

/** Sorts exceptions by their name, in the header of an answer or of an event, and by what they say. */
export function explainError(
  { headers, message }: UpstreamReport,
  error: unknown,
): ExplainedFailure | undefined {
  // The header may go on with a colon and the address of a namespace.
  const name = headers['x-amzn-errortype']?.split(':')[0] ?? (error instanceof Error ? error.name : '')
  const reason = PHRASES.find(([pattern]) => pattern.test(message))?.[1] ?? REASONS[name]
  return reason && { reason }
}
