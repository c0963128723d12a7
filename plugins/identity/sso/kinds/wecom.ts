import {
  SignInFailure,
  type SignInFailureReason,
  type SignInKind,
  type SsoSettings,
} from '../sign-in-kind.ts'
import { createFieldReader, readAuthorizationCode, type WireObject } from './answers.ts'
import { buildUrl, createVendorRequest, runCall, type VendorParts } from './vendor-request.ts'

/** The addresses of WeCom. */
export const wecomEndpoints = {
  login: 'https://login.work.weixin.qq.com',
  api: 'https://qyapi.weixin.qq.com',
}

const NAME = 'WeCom'

/** The time before its expiry from which a token is no longer used. */
const TOKEN_MARGIN_SECONDS = 300

/** The token is invalid or has expired: a new one may help. */
const TOKEN_REFUSALS: readonly number[] = [40014, 42001]

/** The app may not see this member, or any member. */
const INVISIBLE: readonly number[] = [48002, 50002, 60011, 301002]

const REASONS = new Map<number, SignInFailureReason>([
  // Wrong secret, wrong company, call not permitted, domain of the redirect URI or address of the server not
  // registered.
  ...[40001, 40013, 40056, 40091, 48002, 50001, 60020].map((code) => [code, 'misconfigured'] as const),
  // A member who cannot see the app.
  ...[50002, 60011].map((code) => [code, 'denied'] as const),
  ...TOKEN_REFUSALS.map((code) => [code, 'invalid_token'] as const),
])

/** The `status` of members who are disabled or have left. */
const INACTIVE: readonly unknown[] = [2, 5]

/**
 * Creates the kind for WeCom. The `userid` identifies a member; it is unique within the company, and WeCom ignores its
 * case.
 */
export function createWecomKind({ fetch, endpoints }: VendorParts): SignInKind {
  const { login, api } = { ...wecomEndpoints, ...endpoints }
  const ask = createVendorRequest(fetch, NAME)
  const fields = createFieldReader(NAME)
  let cached: { company: string; secret: string; token: string; until: number } | undefined

  async function request(
    path: string,
    query: Record<string, string>,
    signal: AbortSignal,
  ): Promise<WireObject & { errcode: number }> {
    const { body, status } = await ask(buildUrl(api, path, query), signal)
    // Some old calls send no code with a success.
    const errcode = body.errcode ?? (status < 300 ? 0 : undefined)
    if (typeof errcode !== 'number' || status >= 300)
      throw new SignInFailure('exchange', `${NAME} answers with HTTP ${status} and no usable content.`)
    return { ...body, errcode }
  }

  async function fetchToken({ client_id, client_secret }: SsoSettings, signal: AbortSignal): Promise<string> {
    const query = { corpid: client_id, corpsecret: client_secret }
    const answer = await request('/cgi-bin/gettoken', query, signal)
    if (answer.errcode !== 0)
      throw createFailure(answer.errcode, 'the id of the company or the secret of the app')
    const token = fields.required(answer, 'access_token')
    const seconds = typeof answer.expires_in === 'number' ? answer.expires_in : 0
    const until = Date.now() + Math.max(seconds - TOKEN_MARGIN_SECONDS, 0) * 1000
    cached = { company: client_id, secret: client_secret, token, until }
    return token
  }

  /** Sends a request with the cached token; repeats it with a new token if that one is refused. */
  async function requestWithToken(
    settings: SsoSettings,
    path: string,
    query: Record<string, string>,
    signal: AbortSignal,
  ) {
    const { client_id, client_secret } = settings
    const isCached =
      cached?.company === client_id && cached.secret === client_secret && Date.now() < cached.until
    const token = isCached ? cached!.token : await fetchToken(settings, signal)
    const answer = await request(path, { ...query, access_token: token }, signal)
    if (!TOKEN_REFUSALS.includes(answer.errcode)) return answer
    return request(path, { ...query, access_token: await fetchToken(settings, signal) }, signal)
  }

  /** Returns the fields of a member that the app may see; at least the id. */
  async function findMember(settings: SsoSettings, userid: string, signal: AbortSignal): Promise<WireObject> {
    const {
      errcode,
      errmsg: _,
      ...member
    } = await requestWithToken(settings, '/cgi-bin/user/get', { userid }, signal)
    if (INVISIBLE.includes(errcode)) return { userid }
    // Any other error may be temporary, and rules must not revoke rights because claims are missing for a moment.
    if (errcode !== 0) throw createFailure(errcode, 'to identify the user')
    if (fields.id(member, 'userid').toLowerCase() !== userid.toLowerCase())
      throw new SignInFailure('exchange', `${NAME} answers with another member.`)
    if (INACTIVE.includes(member.status))
      throw new SignInFailure('denied', `${NAME} has disabled this member.`)
    return member
  }

  return {
    kind: 'wecom',
    label: { en: 'WeCom', zh: '企业微信' },
    required: ['client_id', 'client_secret', 'agent_id'],
    default_scopes: '',

    async authorize({ client_id, agent_id }, { redirect_uri, state }) {
      return buildUrl(login, '/wwlogin/sso/login', {
        login_type: 'CorpApp',
        appid: client_id,
        agentid: agent_id ?? '',
        redirect_uri,
        state,
      })
    },

    async identify(settings, _challenge, callback, signal) {
      const code = readAuthorizationCode(callback, ['code'], NAME)
      return runCall(NAME, signal, async (signal) => {
        const answer = await requestWithToken(settings, '/cgi-bin/auth/getuserinfo', { code }, signal)
        if (answer.errcode !== 0) throw createFailure(answer.errcode, 'the code')
        if (answer.userid === undefined && typeof answer.openid === 'string')
          throw new SignInFailure('denied', `The user is not a member of the company at ${NAME}.`)
        const userid = fields.id(answer, 'userid')
        const member = await findMember(settings, userid, signal)
        return {
          issuer: settings.client_id,
          subject: userid.toLowerCase(),
          usernames: [userid],
          display_name: fields.text(member, 'name'),
          email: fields.email(member, 'biz_mail', 'email'),
          claims: member,
        }
      })
    },

    test: (settings, signal) =>
      runCall(NAME, signal, async (signal) => {
        await fetchToken(settings, signal)
      }),
  }
}

/** Creates the failure of a refusal, without WeCom's message, which quotes addresses. */
const createFailure = (errcode: number, what: string): SignInFailure =>
  new SignInFailure(REASONS.get(errcode) ?? 'exchange', `${NAME} refuses ${what} (code ${errcode}).`)
