import { createHash } from 'node:crypto'
import { SignInFailure, type SignInFailureReason, type SignInKind } from '../sign-in-kind.ts'
import type { SsoSettings } from '../types.ts'
import { codeIn, createFieldReader } from './vendor-answer.ts'
import {
  type Answer,
  addressOf,
  createVendorRequest,
  type VendorParts,
  withinTime,
} from './vendor-request.ts'

/** Where Feishu is; Lark, its other cloud, has hosts of its own. */
export const feishuEndpoints = { accounts: 'https://accounts.feishu.cn', open: 'https://open.feishu.cn' }

const NAME = 'Feishu'

/** The codes that say more than that a request was refused. */
const REASONS = new Map<number, SignInFailureReason>([
  // No such app, wrong secret, an app that is off or not installed, an address for the way back that is not registered.
  ...[10003, 10014, 10015, 20002, 20009, 20048, 20069, 20071, 99991543].map(
    (code) => [code, 'misconfigured'] as const,
  ),
  // Nobody that there is, the app not offered to them, left, frozen, not registered yet, of no use as they are.
  ...[20008, 20010, 20021, 20022, 20023, 20066].map((code) => [code, 'denied'] as const),
  ...[20005, 99991668].map((code) => [code, 'invalid_token'] as const),
])

/**
 * Signing in with Feishu. Who somebody is stands in the `union_id` within the tenant: it is the same for every app of the
 * company, so that a new app finds the accounts of the one before it, and Feishu alone gives it out.
 */
export function createFeishuKind({ fetch, endpoints }: VendorParts): SignInKind {
  const { accounts, open } = { ...feishuEndpoints, ...endpoints }
  const request = createVendorRequest(fetch, NAME)
  const fields = createFieldReader(NAME)

  return {
    kind: 'feishu',
    label: { en: 'Feishu', zh: '飞书' },
    required: ['client_id', 'client_secret'],
    // The name and the ids need none.
    default_scopes: '',

    async authorize({ client_id, scopes }, { redirect_uri, state, code_verifier }) {
      return addressOf(accounts, '/open-apis/authen/v1/authorize', {
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
      const code = codeIn(callback, ['code'], NAME)
      return withinTime(NAME, signal, async (signal) => {
        const grant = await request(addressOf(open, '/open-apis/authen/v2/oauth/token'), signal, {
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

        const answer = await request(addressOf(open, '/open-apis/authen/v1/user_info'), signal, {
          headers: { authorization: `Bearer ${token}` },
        })
        assertSuccess(answer, 'to say who it is')
        const user = fields.record(answer.body, 'data')
        const email = fields.email(user, 'enterprise_email', 'email')
        const englishName = fields.text(user, 'en_name')
        return {
          issuer: `${new URL(open).origin}/${encodeURIComponent(fields.id(user, 'tenant_key'))}`,
          subject: fields.id(user, 'union_id'),
          username: email === null ? englishName : null,
          display_name: fields.text(user, 'name') ?? englishName,
          email,
          claims: user,
        }
      })
    },

    test: ({ client_id, client_secret }: SsoSettings, signal) =>
      withinTime(NAME, signal, async (signal) => {
        const url = addressOf(open, '/open-apis/auth/v3/app_access_token/internal')
        const answer = await request(url, signal, { body: { app_id: client_id, app_secret: client_secret } })
        assertSuccess(answer, 'the app id or its secret')
        fields.required(answer.body, 'app_access_token')
      }),
  }
}

/** Throws what a refusal comes to; Feishu's own words are left out, as nobody knows what they quote. */
function assertSuccess({ status, body }: Answer, what: string): void {
  // The token endpoint is said to write its code as a text too.
  const code = typeof body.code === 'string' && /^\d{1,9}$/.test(body.code) ? Number(body.code) : body.code
  if (code === 0 && status < 300 && body.error === undefined) return
  if (typeof code !== 'number' || !Number.isSafeInteger(code))
    throw new SignInFailure(reasonOf(body.error), `${NAME} refuses ${what} (HTTP ${status}).`)
  throw new SignInFailure(
    REASONS.get(code) ?? reasonOf(body.error),
    `${NAME} refuses ${what} (code ${code}).`,
  )
}

function reasonOf(error: unknown): SignInFailureReason {
  if (error === 'invalid_client' || error === 'unauthorized_client') return 'misconfigured'
  return error === 'access_denied' ? 'denied' : 'exchange'
}
