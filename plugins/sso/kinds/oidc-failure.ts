import { AppError } from '#kernel'
import { SignInFailure, type SignInFailureReason } from '../sign-in-kind.ts'

/** The errors of token endpoints that may be repeated; everything else that an issuer says may quote a secret. */
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

/** What the library found wrong with an answer, by its codes. */
const ANSWER_ERRORS: Readonly<Record<string, string>> = {
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: 'a claim of the ID token is not what it must be',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'the ID token is not valid at this time',
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: 'the answer is about somebody or something else',
  OAUTH_KEY_SELECTION_FAILED: 'no key of the issuer fits the ID token',
  OAUTH_INVALID_RESPONSE: 'the answer has not the form that it must have',
  OAUTH_UNSUPPORTED_OPERATION: 'the ID token is signed in a way that is not accepted',
  OAUTH_PARSE_ERROR: 'the answer cannot be read',
}

/** What an issuer was asked for: what it is, a token for a code, or who somebody is. */
export type OidcStage = 'discovery' | 'token' | 'person'

/** What an error of the library or of the network comes to, without anything that the issuer wrote or was sent. */
export function explainOidcError(error: unknown, stage: OidcStage): SignInFailure {
  for (const cause of causesOf(error)) {
    if (cause instanceof SignInFailure) return cause
    if (cause instanceof AppError && cause.code === 'ADDRESS_NOT_ALLOWED')
      return new SignInFailure('misconfigured', 'The issuer is at an address that may not be reached.', {
        cause,
      })
  }
  const { code, name } = (error ?? {}) as { code?: string; name?: string }
  if (name === 'ResponseBodyError' || name === 'WWWAuthenticateChallengeError')
    return explainRefusal(error as { status?: number; error?: string }, stage)
  if (stage === 'discovery' && code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') return anotherIssuer()
  if (stage === 'discovery')
    return new SignInFailure('misconfigured', `The issuer cannot be discovered${codeText(error)}.`)
  if (code !== undefined && Object.hasOwn(ANSWER_ERRORS, code))
    return new SignInFailure('invalid_token', `The issuer is not believed: ${ANSWER_ERRORS[code]}.`)
  return new SignInFailure('exchange', `The issuer gives no answer that is of use${codeText(error)}.`)
}

/** The failure of a discovery that leads to somebody else. */
export const anotherIssuer = () =>
  new SignInFailure(
    'misconfigured',
    'What is discovered belongs to another issuer, or writes its name in another way.',
  )

/** Whether a token endpoint answered, and refused no more than the code. */
export const isRefusalOfCode = (error: unknown): boolean =>
  (error as Error).name === 'ResponseBodyError' && explainOidcError(error, 'token').reason === 'exchange'

function explainRefusal(
  { status, error }: { status?: number; error?: string },
  stage: OidcStage,
): SignInFailure {
  const known = error !== undefined && Object.hasOwn(TOKEN_ERRORS, error) ? error : undefined
  if (stage === 'token' && status === 401 && known === undefined)
    return new SignInFailure('misconfigured', 'The issuer refuses the client id or the client secret.')
  const reason = known ? TOKEN_ERRORS[known]! : 'exchange'
  return new SignInFailure(reason, `The issuer refuses the request${known ? ` (${known})` : ''}.`)
}

const MAX_CAUSES = 5

function* causesOf(error: unknown): Generator<Error> {
  for (
    let cause = error, depth = 0;
    cause instanceof Error && depth < MAX_CAUSES;
    cause = cause.cause, depth++
  )
    yield cause
}

/** The code of the innermost error that has one, such as ECONNREFUSED, in brackets. */
function codeText(error: unknown): string {
  const codes = [...causesOf(error)].map((cause) => (cause as NodeJS.ErrnoException).code)
  const code = codes.findLast((found) => typeof found === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(found))
  return code ? ` (${code})` : ''
}
