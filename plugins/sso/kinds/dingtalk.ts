import { SignInFailure, type SignInFailureReason, type SignInKind } from '../sign-in-kind.ts'
import { codeIn, createFieldReader, type WireObject } from './vendor-answer.ts'
import {
  type Answer,
  addressOf,
  createVendorRequest,
  type VendorParts,
  withinTime,
} from './vendor-request.ts'

/** Where DingTalk is. */
export const dingtalkEndpoints = { login: 'https://login.dingtalk.com', api: 'https://api.dingtalk.com' }

const NAME = 'DingTalk'

/** With this scope people choose the company that they sign in for. */
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
 * Signing in with DingTalk. Who somebody is stands in the `unionId`, which is the same for every app of a developer and
 * which DingTalk alone gives out. DingTalk lets everybody with an account of its own sign in to an app; with the scope
 * `corpid` only people of a company that the app belongs to come in, so leave that out only where all are welcome.
 */
export function createDingtalkKind({ fetch, endpoints }: VendorParts): SignInKind {
  const { login, api } = { ...dingtalkEndpoints, ...endpoints }
  const request = createVendorRequest(fetch, NAME)
  const fields = createFieldReader(NAME)

  /** The app gets a token for a company only where it belongs to it. */
  async function assertOwnCompany(
    company: string,
    { client_id, client_secret }: { client_id: string; client_secret: string },
    signal: AbortSignal,
  ): Promise<void> {
    const answer = await request(
      addressOf(api, `/v1.0/oauth2/${encodeURIComponent(company)}/token`),
      signal,
      {
        body: { client_id, client_secret, grant_type: 'client_credentials' },
      },
    )
    if (isRefusal(answer)) {
      const failure = refusalOf(answer, 'the app a token for the company of who signs in')
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
      return addressOf(login, '/oauth2/auth', {
        redirect_uri,
        response_type: 'code',
        client_id,
        scope: scopes || 'openid',
        state,
        prompt: 'consent',
      })
    },

    async identify({ client_id, client_secret, scopes }, _challenge, callback, signal) {
      const code = codeIn(callback, ['authCode', 'code'], NAME)
      return withinTime(NAME, signal, async (signal) => {
        const grant = await request(addressOf(api, '/v1.0/oauth2/userAccessToken'), signal, {
          body: {
            clientId: client_id,
            clientSecret: client_secret,
            code,
            grantType: 'authorization_code',
          },
        })
        if (isRefusal(grant)) throw refusalOf(grant, 'the code')
        const token = fields.required(grant.body, 'accessToken')
        // The browser could have left the scope out of the address, so what was asked for must be there.
        const isLimited = scopes.split(/\s+/).includes(COMPANY_SCOPE)
        const company = isLimited ? fields.id(grant.body, 'corpId', COMPANY_ID) : null
        if (company !== null) await assertOwnCompany(company, { client_id, client_secret }, signal)

        const answer = await request(addressOf(api, '/v1.0/contact/users/me'), signal, {
          headers: { 'x-acs-dingtalk-access-token': token },
        })
        if (isRefusal(answer)) throw refusalOf(answer, 'to say who it is')
        const user = answer.body
        const email = fields.email(user, 'email')
        const nick = fields.text(user, 'nick')
        return {
          issuer: new URL(api).origin,
          subject: fields.id(user, 'unionId'),
          username: email === null ? nick : null,
          display_name: nick,
          email,
          claims: company === null ? user : { ...user, corpId: company },
        }
      })
    },

    test: ({ client_id, client_secret }, signal) =>
      withinTime(NAME, signal, async (signal) => {
        const answer = await request(addressOf(api, '/v1.0/oauth2/accessToken'), signal, {
          body: { appKey: client_id, appSecret: client_secret },
        })
        if (isRefusal(answer)) throw refusalOf(answer, 'the client id or its secret')
        fields.required(answer.body, 'accessToken')
      }),
  }
}

/** A success has no code; a proxy may turn the status of a refusal into 200. */
const isRefusal = ({ status, body }: Answer) => status >= 300 || body.code !== undefined

const isBusy = ({ status, body }: Answer) => status === 429 || /QpsLimit/i.test(codeOf(body))

/** The app was not given a permission. */
const isForbidden = (answer: Answer) =>
  codeOf(answer.body).startsWith('Forbidden.AccessDenied.') && !isBusy(answer)

/** What a refusal comes to; DingTalk's own words are left out, as nobody knows what they quote. */
function refusalOf(answer: Answer, what: string): SignInFailure {
  const code = codeOf(answer.body)
  const reason = isForbidden(answer) ? 'misconfigured' : (REASONS.get(code) ?? 'exchange')
  return new SignInFailure(reason, `${NAME} refuses ${what} (${code || `HTTP ${answer.status}`}).`)
}

function codeOf({ code }: WireObject): string {
  return typeof code === 'string' && /^[\w.-]{1,100}$/.test(code) ? code : ''
}
