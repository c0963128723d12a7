import { hideSecrets } from '../connections/server-words.ts'
import { askAsClient, type OAuthForm } from './client-request.ts'
import { type OAuthReply, type OAuthRequest, readText, readTexts } from './oauth-request.ts'
import type { AuthorizationServer, OAuthClient, OAuthTokens } from './oauth-state.ts'
import { isResourceRefusal, SignInFailure } from './sign-in-failure.ts'

/** Token types whose requests need a proof that is not made here. */
const PROOF_TYPES = ['dpop', 'mac', 'pop']

/** The characters that a header may contain. */
const HEADER_TEXT = /^[\x20-\x7e]+$/

/** Requests tokens with a grant. Throws SignInFailure, whose code is that of OAuth if the server refused the grant. */
export const requestTokens = (
  request: OAuthRequest,
  { token_endpoint, token_endpoint_auth_methods_supported: methods }: AuthorizationServer,
  client: OAuthClient,
  form: OAuthForm,
): Promise<OAuthTokens> => askAsClient(request, token_endpoint, { client, methods, form }, readTokens)

function readTokens(reply: OAuthReply, secrets: readonly string[]): OAuthTokens {
  const { status, body } = reply
  const access_token = readText(body?.access_token)
  if (status < 200 || status >= 300 || !body || access_token === undefined)
    throw readRefusal(reply, 'refused', secrets)
  if (!HEADER_TEXT.test(access_token))
    throw new SignInFailure('metadata', 'The access token has characters that cannot be sent.')
  const type = readText(body.token_type)?.toLowerCase()
  if (type !== undefined && PROOF_TYPES.includes(type))
    throw new SignInFailure('metadata', `Tokens of the type ${type} are not supported.`)
  const refresh_token = readText(body.refresh_token)
  const scope = readTexts(body.scope)?.join(' ')
  return {
    access_token,
    ...(refresh_token !== undefined && { refresh_token }),
    ...(scope !== undefined && { scope }),
  }
}

/** Errors of a server that a later attempt may not meet. */
const PASSING = ['server_error', 'temporarily_unavailable', 'slow_down']

/**
 * Returns the failure that an unusable reply means; `otherwise` is the fault of a plain refusal. The
 * words of the server are kept without the secrets that were sent, which some servers repeat.
 */
export function readRefusal(
  { status, body }: OAuthReply,
  otherwise: 'refused' | 'registration',
  secrets: readonly string[] = [],
): SignInFailure {
  const { error, error_description, message } = body ?? {}
  // Some servers have an object in place of the code.
  const inner = Object(error) as Record<string, unknown>
  const readWords = (...values: unknown[]) => {
    const words = values.map(readText).find((text) => text !== undefined)
    return words && hideSecrets(words, secrets)
  }
  const code = readWords(error, inner.code, inner.status)
  const description = readWords(error_description, inner.message, message) ?? ''
  const words = [code, description].filter(Boolean).join(': ') || `HTTP ${status}`
  const options = { status, ...(code !== undefined && { code }) }
  if (isResourceRefusal(code, description)) return new SignInFailure('resource', words, options)
  const isOfClient = ['invalid_client', 'unauthorized_client'].includes(code ?? '')
  if (isOfClient || (status === 401 && code === undefined))
    return new SignInFailure(otherwise === 'refused' ? 'client' : otherwise, words, options)
  if (code === 'invalid_grant') return new SignInFailure('refused', words, options)
  const isPassing = status >= 500 || [408, 425, 429].includes(status) || PASSING.includes(code ?? '')
  const isUnreadable = status < 400 && code === undefined
  return new SignInFailure(isPassing || isUnreadable ? 'unavailable' : otherwise, words, options)
}
