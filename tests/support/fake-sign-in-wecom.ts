import { addressWith, createFakeSignInVendor, type VendorReply } from './fake-sign-in-vendor.ts'

const refuse = (errcode: number, query: URLSearchParams): VendorReply => ({
  // The messages of the platform quote the address, with its secrets.
  body: { errcode, errmsg: `no, from ip: 127.0.0.1, more info at https://fake/?${query}` },
})

/**
 * Starts the sign-in part of WeCom. A visitor is the answer of `user/get` for a member. A visitor with an `openid` is
 * not a member of the company; of a `hidden` one the app may see only the id.
 */
export const createFakeSignInWecom = () =>
  createFakeSignInVendor({
    page_path: '/wwlogin/sso/login',
    page({ query }, { app, redirect_uris, issueCode }, person) {
      const redirect_uri = query.get('redirect_uri') ?? ''
      const state = query.get('state') ?? ''
      if (query.get('login_type') !== 'CorpApp' || query.get('appid') !== app.client_id) return undefined
      if (query.get('agentid') !== app.agent_id || !redirect_uris.has(redirect_uri)) return undefined
      if (!person) return addressWith(redirect_uri, { state })
      const { client_id } = app
      const code = issueCode({ person, client_id, redirect_uri, challenge: null, with_company: true })
      return addressWith(redirect_uri, { code, state })
    },
    calls: {
      'GET /cgi-bin/gettoken': ({ query }, { app, issueToken }) => {
        if (query.get('corpid') !== app.client_id) return refuse(40013, query)
        if (query.get('corpsecret') !== app.client_secret) return refuse(40001, query)
        return { body: { errcode: 0, errmsg: 'ok', access_token: issueToken(new Map()), expires_in: 7200 } }
      },

      'GET /cgi-bin/auth/getuserinfo': ({ query }, { meaningOf, redeemCode }) => {
        const access = meaningOf(query.get('access_token')) as Map<string, unknown> | undefined
        if (!access) return refuse(40014, query)
        const grant = redeemCode(query.get('code'))
        if (!grant) return refuse(40029, query)
        const { userid, openid } = grant.person
        if (openid) return { body: { errcode: 0, errmsg: 'ok', openid } }
        access.set(String(userid), grant.person)
        return { body: { errcode: 0, errmsg: 'ok', userid, user_ticket: 'a ticket' } }
      },

      'GET /cgi-bin/user/get': ({ query }, { meaningOf }) => {
        const access = meaningOf(query.get('access_token')) as Map<string, unknown> | undefined
        if (!access) return refuse(40014, query)
        const person = access.get(query.get('userid') ?? '') as Record<string, unknown> | undefined
        if (!person) return refuse(60111, query)
        if (person.hidden) return refuse(60011, query)
        return { body: { errcode: 0, errmsg: 'ok', ...person } }
      },
    },
  })
