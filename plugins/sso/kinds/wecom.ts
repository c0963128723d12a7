import { SignInFailure, type SignInFailureReason, type SignInKind } from '../sign-in-kind.ts'
import type { SsoSettings } from '../types.ts'
import { codeIn, createFieldReader, type WireObject } from './vendor-answer.ts'
import { addressOf, createVendorRequest, type VendorParts, withinTime } from './vendor-request.ts'

/** Where WeCom is. */
export const wecomEndpoints = {
  login: 'https://login.work.weixin.qq.com',
  api: 'https://qyapi.weixin.qq.com',
}

const NAME = 'WeCom'

/** So long before its end a token is no longer used, in seconds. */
const MARGIN = 300

/** The token is not valid, or no longer: another one may help. */
const TOKEN_REFUSALS: readonly number[] = [40014, 42001]

/** The app may not see the member, or no member at all. */
const INVISIBLE: readonly number[] = [48002, 50002, 60011, 301002]

const REASONS = new Map<number, SignInFailureReason>([
  // Wrong secret, wrong company, a call that the app may not make, a domain for the way back or a server not registered.
  ...[40001, 40013, 40056, 40091, 48002, 50001, 60020].map((code) => [code, 'misconfigured'] as const),
  // A member to whom the app is not offered.
  ...[50002, 60011].map((code) => [code, 'denied'] as const),
  ...TOKEN_REFUSALS.map((code) => [code, 'invalid_token'] as const),
])

/** What a member's `status` is when they were disabled or have left. */
const GONE: readonly unknown[] = [2, 5]

/**
 * Signing in with WeCom. Who somebody is stands in the member's `userid`, which is unique within the company; WeCom does not
 * tell its cases apart.
 */
export function createWecomKind({ fetch, endpoints }: VendorParts): SignInKind {
  const { login, api } = { ...wecomEndpoints, ...endpoints }
  const ask = createVendorRequest(fetch, NAME)
  const fields = createFieldReader(NAME)
  let kept: { company: string; secret: string; token: string; until: number } | undefined

  async function request(
    path: string,
    query: Record<string, string>,
    signal: AbortSignal,
  ): Promise<WireObject & { errcode: number }> {
    const { body, status } = await ask(addressOf(api, path, query), signal)
    // Beside a success an old call writes no code.
    const errcode = body.errcode ?? (status < 300 ? 0 : undefined)
    if (typeof errcode !== 'number' || status >= 300)
      throw new SignInFailure('exchange', `${NAME} answers with HTTP ${status} and nothing to go by.`)
    return { ...body, errcode }
  }

  async function fetchToken({ client_id, client_secret }: SsoSettings, signal: AbortSignal): Promise<string> {
    const query = { corpid: client_id, corpsecret: client_secret }
    const answer = await request('/cgi-bin/gettoken', query, signal)
    if (answer.errcode !== 0)
      throw refusalOf(answer.errcode, 'the id of the company or the secret of the app')
    const token = fields.required(answer, 'access_token')
    const seconds = typeof answer.expires_in === 'number' ? answer.expires_in : 0
    const until = Date.now() + Math.max(seconds - MARGIN, 0) * 1000
    kept = { company: client_id, secret: client_secret, token, until }
    return token
  }

  /** Asks with the token that there is, and with a new one where that is refused. */
  async function authorized(
    settings: SsoSettings,
    path: string,
    query: Record<string, string>,
    signal: AbortSignal,
  ) {
    const { client_id, client_secret } = settings
    const isKept = kept?.company === client_id && kept.secret === client_secret && Date.now() < kept.until
    const token = isKept ? kept!.token : await fetchToken(settings, signal)
    const answer = await request(path, { ...query, access_token: token }, signal)
    if (!TOKEN_REFUSALS.includes(answer.errcode)) return answer
    return request(path, { ...query, access_token: await fetchToken(settings, signal) }, signal)
  }

  /** What the app may see of a member; without it the id is all that is known. */
  async function findMember(settings: SsoSettings, userid: string, signal: AbortSignal): Promise<WireObject> {
    const {
      errcode,
      errmsg: _,
      ...member
    } = await authorized(settings, '/cgi-bin/user/get', { userid }, signal)
    if (INVISIBLE.includes(errcode)) return { userid }
    // Anything else may be over in a moment: rules must not take away what they do not see now.
    if (errcode !== 0) throw refusalOf(errcode, 'to say who it is')
    if (fields.id(member, 'userid').toLowerCase() !== userid.toLowerCase())
      throw new SignInFailure('exchange', `${NAME} answers with somebody else.`)
    if (GONE.includes(member.status)) throw new SignInFailure('denied', `${NAME} has this member disabled.`)
    return member
  }

  return {
    kind: 'wecom',
    label: { en: 'WeCom', zh: '企业微信' },
    required: ['client_id', 'client_secret', 'agent_id'],
    default_scopes: '',

    async authorize({ client_id, agent_id }, { redirect_uri, state }) {
      return addressOf(login, '/wwlogin/sso/login', {
        login_type: 'CorpApp',
        appid: client_id,
        agentid: agent_id ?? '',
        redirect_uri,
        state,
      })
    },

    async identify(settings, _challenge, callback, signal) {
      const code = codeIn(callback, ['code'], NAME)
      return withinTime(NAME, signal, async (signal) => {
        const answer = await authorized(settings, '/cgi-bin/auth/getuserinfo', { code }, signal)
        if (answer.errcode !== 0) throw refusalOf(answer.errcode, 'the code')
        if (answer.userid === undefined && typeof answer.openid === 'string')
          throw new SignInFailure('denied', `Who signs in is no member of the company at ${NAME}.`)
        const userid = fields.id(answer, 'userid')
        const member = await findMember(settings, userid, signal)
        return {
          issuer: settings.client_id,
          subject: userid.toLowerCase(),
          username: userid,
          display_name: fields.text(member, 'name'),
          email: fields.email(member, 'biz_mail', 'email'),
          claims: member,
        }
      })
    },

    test: (settings, signal) =>
      withinTime(NAME, signal, async (signal) => {
        await fetchToken(settings, signal)
      }),
  }
}

/** What a refusal comes to; WeCom's own words are left out, as they quote addresses. */
const refusalOf = (errcode: number, what: string): SignInFailure =>
  new SignInFailure(REASONS.get(errcode) ?? 'exchange', `${NAME} refuses ${what} (code ${errcode}).`)
