import { SignInFailure, type SignInFailureReason, type SignInKind } from '../sign-in-kind.ts'
import { createFieldReader, readAuthorizationCode, type WireObject } from './answers.ts'
import { type Answer, buildUrl, createVendorRequest, runCall, type VendorParts } from './vendor-request.ts'

/** The addresses of DingTalk. */
export const dingtalkEndpoints = { login: 'https://login.dingtalk.com', api: 'https://api.dingtalk.com' }

const NAME = 'DingTalk'

/** The scope with which users choose the company that they sign in for. */
const COMPANY_SCOPE = 'corpid'

const COMPANY_ID = /^[\w-]{1,64}$/

const REASONS = new Map<string, SignInFailureReason>([
  ['invalidParameter.idOrSecret.notFound', 'misconfigured'],
  ['invalidClientIdOrSecret', 'misconfigured'],
  ['invalid.client', 'misconfigured'],
  ['authFailed', 'misconfigured'],
  ['InvalidAuthentication', 'invalid_token'],
  ['invalidParameter.token.invalid', 'invalid_token'],
])

/**
 * Creates the kind for DingTalk. The `unionId` identifies a user; it is the same for every app of a developer, and only
 * DingTalk assigns it. DingTalk lets everybody with a DingTalk account sign in to an app. The scope `corpid` admits
 * only members of a company that the app belongs to, so remove it only if everybody is welcome.
 */
export function createDingtalkKind({ fetch, endpoints }: VendorParts): SignInKind {
  const { login, api } = { ...dingtalkEndpoints, ...endpoints }
  const request = createVendorRequest(fetch, NAME)
  const fields = createFieldReader(NAME)

  /** Throws SignInFailure unless the app belongs to the company: only then does it get a token for it. */
  async function assertOwnCompany(
    company: string,
    { client_id, client_secret }: { client_id: string; client_secret: string },
    signal: AbortSignal,
  ): Promise<void> {
    const answer = await request(buildUrl(api, `/v1.0/oauth2/${encodeURIComponent(company)}/token`), signal, {
      body: { client_id, client_secret, grant_type: 'client_credentials' },
    })
    if (isRefusal(answer)) {
      const failure = createFailure(answer, 'the app a token for the company of the user')
      throw isBusy(answer) || isForbidden(answer) ? failure : new SignInFailure('denied', failure.message)
    }
    fields.required(answer.body, 'access_token')
  }

  return {
    kind: 'dingtalk',
    label: { en: 'DingTalk', zh: '钉钉' },
    required: ['client_id', 'client_secret'],
    default_scopes: `openid ${COMPANY_SCOPE}`,

    async authorize({ client_id, scopes }, { redirect_uri, state }) {
      return buildUrl(login, '/oauth2/auth', {
        redirect_uri,
        response_type: 'code',
        client_id,
        scope: scopes || 'openid',
        state,
        prompt: 'consent',
      })
    },

    async identify({ client_id, client_secret, scopes }, _challenge, callback, signal) {
      const code = readAuthorizationCode(callback, ['authCode', 'code'], NAME)
      return runCall(NAME, signal, async (signal) => {
        const grant = await request(buildUrl(api, '/v1.0/oauth2/userAccessToken'), signal, {
          body: {
            clientId: client_id,
            clientSecret: client_secret,
            code,
            grantType: 'authorization_code',
          },
        })
        if (isRefusal(grant)) throw createFailure(grant, 'the code')
        const token = fields.required(grant.body, 'accessToken')
        // The browser could have removed the scope from the address, so the company must be checked here.
        const isLimited = scopes.split(/\s+/).includes(COMPANY_SCOPE)
        const company = isLimited ? fields.id(grant.body, 'corpId', COMPANY_ID) : null
        if (company !== null) await assertOwnCompany(company, { client_id, client_secret }, signal)

        const answer = await request(buildUrl(api, '/v1.0/contact/users/me'), signal, {
          headers: { 'x-acs-dingtalk-access-token': token },
        })
        if (isRefusal(answer)) throw createFailure(answer, 'to identify the user')
        const user = answer.body
        const email = fields.email(user, 'email')
        const nick = fields.text(user, 'nick')
        return {
          issuer: new URL(api).origin,
          subject: fields.id(user, 'unionId'),
          usernames: email === null && nick !== null ? [nick] : [],
          display_name: nick,
          email,
          claims: company === null ? user : { ...user, corpId: company },
        }
      })
    },

    test: ({ client_id, client_secret }, signal) =>
      runCall(NAME, signal, async (signal) => {
        const answer = await request(buildUrl(api, '/v1.0/oauth2/accessToken'), signal, {
          body: { appKey: client_id, appSecret: client_secret },
        })
        if (isRefusal(answer)) throw createFailure(answer, 'the client id or its secret')
        fields.required(answer.body, 'accessToken')
      }),
  }
}

/** True for a refusal, which has a code: a proxy may have changed its status to 200. */
const isRefusal = ({ status, body }: Answer) => status >= 300 || body.code !== undefined

const isBusy = ({ status, body }: Answer) => status === 429 || /QpsLimit/i.test(readCode(body))

/** True if the app lacks a permission. */
const isForbidden = (answer: Answer) =>
  readCode(answer.body).startsWith('Forbidden.AccessDenied.') && !isBusy(answer)

/** Creates the failure of a refusal, without DingTalk's message, which may quote anything. */
function createFailure(answer: Answer, what: string): SignInFailure {
  const code = readCode(answer.body)
  const reason = isForbidden(answer) ? 'misconfigured' : (REASONS.get(code) ?? 'exchange')
  return new SignInFailure(reason, `${NAME} refuses ${what} (${code || `HTTP ${answer.status}`}).`)
}

function readCode({ code }: WireObject): string {
  return typeof code === 'string' && /^[\w.-]{1,100}$/.test(code) ? code : ''
}
