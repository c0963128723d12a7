import { createHash } from 'node:crypto'
import {
  SignInFailure,
  type SignInFailureReason,
  type SignInKind,
  type SsoSettings,
} from '../sign-in-kind.ts'
import { createFieldReader, readAuthorizationCode } from './answers.ts'
import { type Answer, buildUrl, createVendorRequest, runCall, type VendorParts } from './vendor-request.ts'

/** The addresses of Feishu; Lark, its other cloud, has hosts of its own. */
export const feishuEndpoints = { accounts: 'https://accounts.feishu.cn', open: 'https://open.feishu.cn' }

const NAME = 'Feishu'

/** The reasons of the error codes that have a specific one. */
const REASONS = new Map<number, SignInFailureReason>([
  // Unknown app, wrong secret, disabled or uninstalled app, redirect URI that is not registered.
  ...[10003, 10014, 10015, 20002, 20009, 20048, 20069, 20071, 99991543].map(
    (code) => [code, 'misconfigured'] as const,
  ),
  // Unknown user, or one who cannot see the app, has left, is frozen, is not registered yet or is otherwise unusable.
  ...[20008, 20010, 20021, 20022, 20023, 20066].map((code) => [code, 'denied'] as const),
  ...[20005, 99991668].map((code) => [code, 'invalid_token'] as const),
])

/**
 * Creates the kind for Feishu. The `union_id` within the tenant identifies a user. Only Feishu assigns it, and it is
 * the same for every app of the company, so that a new app finds the accounts of its predecessor.
 */
export function createFeishuKind({ fetch, endpoints }: VendorParts): SignInKind {
  const { accounts, open } = { ...feishuEndpoints, ...endpoints }
  const request = createVendorRequest(fetch, NAME)
  const fields = createFieldReader(NAME)

  return {
    kind: 'feishu',
    label: { en: 'Feishu', zh: '飞书' },
    required: ['client_id', 'client_secret'],
    // The name and the ids need no scope.
    default_scopes: '',

    async authorize({ client_id, scopes }, { redirect_uri, state, code_verifier }) {
      return buildUrl(accounts, '/open-apis/authen/v1/authorize', {
        client_id,
        response_type: 'code',
        redirect_uri,
        ...(scopes && { scope: scopes }),
        state,
        code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
        code_challenge_method: 'S256',
      })
    },

    async identify({ client_id, client_secret }, { redirect_uri, code_verifier }, callback, signal) {
      const code = readAuthorizationCode(callback, ['code'], NAME)
      return runCall(NAME, signal, async (signal) => {
        const grant = await request(buildUrl(open, '/open-apis/authen/v2/oauth/token'), signal, {
          body: {
            grant_type: 'authorization_code',
            client_id,
            client_secret,
            code,
            redirect_uri,
            code_verifier,
          },
        })
        assertSuccess(grant, 'the code')
        const token = fields.required(grant.body, 'access_token')

        const answer = await request(buildUrl(open, '/open-apis/authen/v1/user_info'), signal, {
          headers: { authorization: `Bearer ${token}` },
        })
        assertSuccess(answer, 'to identify the user')
        const user = fields.record(answer.body, 'data')
        const email = fields.email(user, 'enterprise_email', 'email')
        const englishName = fields.text(user, 'en_name')
        return {
          issuer: `${new URL(open).origin}/${encodeURIComponent(fields.id(user, 'tenant_key'))}`,
          subject: fields.id(user, 'union_id'),
          usernames: email === null && englishName !== null ? [englishName] : [],
          display_name: fields.text(user, 'name') ?? englishName,
          email,
          claims: user,
        }
      })
    },

    test: ({ client_id, client_secret }: SsoSettings, signal) =>
      runCall(NAME, signal, async (signal) => {
        const url = buildUrl(open, '/open-apis/auth/v3/app_access_token/internal')
        const answer = await request(url, signal, { body: { app_id: client_id, app_secret: client_secret } })
        assertSuccess(answer, 'the app id or its secret')
        fields.required(answer.body, 'app_access_token')
      }),
  }
}

/** Throws the failure of a refusal, without Feishu's message, which may quote anything. */
function assertSuccess({ status, body }: Answer, what: string): void {
  // The token endpoint may send its code as a text.
  const code = typeof body.code === 'string' && /^\d{1,9}$/.test(body.code) ? Number(body.code) : body.code
  if (code === 0 && status < 300 && body.error === undefined) return
  if (typeof code !== 'number' || !Number.isSafeInteger(code))
    throw new SignInFailure(findReason(body.error), `${NAME} refuses ${what} (HTTP ${status}).`)
  throw new SignInFailure(
    REASONS.get(code) ?? findReason(body.error),
    `${NAME} refuses ${what} (code ${code}).`,
  )
}

function findReason(error: unknown): SignInFailureReason {
  if (error === 'invalid_client' || error === 'unauthorized_client') return 'misconfigured'
  return error === 'access_denied' ? 'denied' : 'exchange'
}
