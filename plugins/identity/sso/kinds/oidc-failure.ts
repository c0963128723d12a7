import { AppError } from '#plugin-api'
import { SignInFailure, type SignInFailureReason } from '../sign-in-kind.ts'

/** The errors of token endpoints that messages may repeat; all other texts of an issuer may quote a secret. */
const TOKEN_ERRORS: Readonly<Record<string, SignInFailureReason>> = {
  invalid_client: 'misconfigured',
  unauthorized_client: 'misconfigured',
  unsupported_grant_type: 'misconfigured',
  invalid_grant: 'exchange',
  invalid_request: 'exchange',
  invalid_scope: 'exchange',
  server_error: 'exchange',
  temporarily_unavailable: 'exchange',
}

/** Explanations of the error codes with which openid-client rejects an answer. */
const ANSWER_ERRORS: Readonly<Record<string, string>> = {
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: 'a claim of the ID token is not what it must be',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'the ID token is not valid at this time',
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: 'the answer is about somebody or something else',
  OAUTH_KEY_SELECTION_FAILED: 'no key of the issuer fits the ID token',
  OAUTH_INVALID_RESPONSE: 'the answer does not have the required form',
  OAUTH_UNSUPPORTED_OPERATION: 'the ID token is signed with an algorithm that is not accepted',
  OAUTH_PARSE_ERROR: 'the answer cannot be read',
}

/** The request that failed: discovery, token or userinfo. */
export type OidcStage = 'discovery' | 'token' | 'userinfo'

/** Converts an error of openid-client or of the network to a SignInFailure that quotes nothing sent or received. */
export function explainOidcError(error: unknown, stage: OidcStage): SignInFailure {
  for (const cause of listCauses(error)) {
    if (cause instanceof SignInFailure) return cause
    if (cause instanceof AppError && cause.code === 'ADDRESS_NOT_ALLOWED')
      return new SignInFailure('misconfigured', 'The address of the issuer is not allowed.', {
        cause,
      })
  }
  const { code, name } = (error ?? {}) as { code?: string; name?: string }
  if (name === 'ResponseBodyError' || name === 'WWWAuthenticateChallengeError')
    return explainRefusal(error as { status?: number; error?: string }, stage)
  if (stage === 'discovery' && code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED')
    return createIssuerMismatch()
  if (stage === 'discovery')
    return new SignInFailure('misconfigured', `The issuer cannot be discovered${formatCode(error)}.`)
  if (code !== undefined && Object.hasOwn(ANSWER_ERRORS, code))
    return new SignInFailure(
      'invalid_token',
      `The answer of the issuer is not trusted: ${ANSWER_ERRORS[code]}.`,
    )
  return new SignInFailure('exchange', `The issuer sends no usable answer${formatCode(error)}.`)
}

/** Creates the failure of a discovery whose document names another issuer. */
export const createIssuerMismatch = () =>
  new SignInFailure(
    'misconfigured',
    'The discovery document names another issuer, or spells its address differently.',
  )

/** True if a token endpoint answered and rejected only the code. */
export const isCodeRejection = (error: unknown): boolean =>
  (error as Error).name === 'ResponseBodyError' && explainOidcError(error, 'token').reason === 'exchange'

function explainRefusal(
  { status, error }: { status?: number; error?: string },
  stage: OidcStage,
): SignInFailure {
  const tokenError = error !== undefined && Object.hasOwn(TOKEN_ERRORS, error) ? error : undefined
  if (stage === 'token' && status === 401 && tokenError === undefined)
    return new SignInFailure('misconfigured', 'The issuer rejects the client id or the client secret.')
  const reason = tokenError ? TOKEN_ERRORS[tokenError]! : 'exchange'
  return new SignInFailure(reason, `The issuer rejects the request${tokenError ? ` (${tokenError})` : ''}.`)
}

const MAX_CAUSES = 5

function* listCauses(error: unknown): Generator<Error> {
  for (
    let cause = error, depth = 0;
    cause instanceof Error && depth < MAX_CAUSES;
    cause = cause.cause, depth++
  )
    yield cause
}

/** Returns the code of the innermost error that has one, such as ECONNREFUSED, in parentheses. */
function formatCode(error: unknown): string {
  const codes = [...listCauses(error)].map((cause) => (cause as NodeJS.ErrnoException).code)
  const code = codes.findLast(
    (candidate) => typeof candidate === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(candidate),
  )
  return code ? ` (${code})` : ''
}
