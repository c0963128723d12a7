import { addressWith, createFakeSignInVendor, type VendorReply } from './fake-sign-in-vendor.ts'

const refuse = (status: number, code: string): VendorReply => ({
  status,
  body: { code, message: 'no', requestid: 'R' },
})

/** The company that the app belongs to; a visitor with another `corp` chooses that one. */
export const COMPANY = 'ding0c0mpany'

/** Starts the sign-in part of DingTalk; a visitor is the answer of `contact/users/me`, and `corp`. */
export const createFakeSignInDingtalk = () =>
  createFakeSignInVendor({
    page_path: '/oauth2/auth',
    page({ query }, { app, redirect_uris, issueCode }, person) {
      const redirect_uri = query.get('redirect_uri') ?? ''
      const scopes = query.get('scope')?.split(' ') ?? []
      const state = query.get('state') ?? ''
      if (query.get('client_id') !== app.client_id || query.get('response_type') !== 'code') return undefined
      if (!redirect_uris.has(redirect_uri) || !scopes.includes('openid')) return undefined
      if (query.get('prompt') !== 'consent') return undefined
      if (!person) return addressWith(redirect_uri, { state })
      const with_company = scopes.includes('corpid')
      const { client_id } = app
      const authCode = issueCode({ person, client_id, redirect_uri, challenge: null, with_company })
      return addressWith(redirect_uri, { authCode, state })
    },
    calls: {
      'POST /v1.0/oauth2/userAccessToken': ({ body = {} }, { app, redeemCode, issueToken }) => {
        const { clientId, clientSecret, code, grantType } = body
        if (clientId !== app.client_id || clientSecret !== app.client_secret)
          return refuse(400, 'invalidParameter.idOrSecret.notFound')
        if (grantType !== 'authorization_code') return refuse(400, 'invalidParameter.grantType')
        const grant = redeemCode(code)
        if (!grant) return refuse(400, 'invalidParameter.authCode.notFound')
        const { corp = COMPANY, ...person } = grant.person
        const accessToken = issueToken(person)
        const corpId = grant.with_company ? { corpId: corp } : {}
        return { body: { expireIn: 7200, accessToken, refreshToken: issueToken('refresh'), ...corpId } }
      },

      'POST /v1\\.0/oauth2/[^/]+/token': ({ call, body = {} }, { app, issueToken }) => {
        const { client_id, client_secret, grant_type } = body
        if (client_id !== app.client_id || client_secret !== app.client_secret)
          return refuse(400, 'invalid.client')
        if (grant_type !== 'client_credentials') return refuse(400, 'unsupported.grant.type')
        if (call.split('/')[3] !== COMPANY) return refuse(400, 'invalid.client')
        return { body: { access_token: issueToken('company'), expires_in: 7200 } }
      },

      'GET /v1.0/contact/users/me': ({ headers }, { meaningOf }) => {
        const person = meaningOf(headers['x-acs-dingtalk-access-token'])
        return person ? { body: person } : refuse(400, 'InvalidAuthentication')
      },

      'POST /v1.0/oauth2/accessToken': ({ body = {} }, { app, issueToken }) => {
        const { appKey, appSecret } = body
        if (appKey !== app.client_id || appSecret !== app.client_secret)
          return refuse(400, 'invalidClientIdOrSecret')
        return { body: { accessToken: issueToken('app'), expireIn: 7200 } }
      },
    },
  })
