import { createHash } from 'node:crypto'
import { addressWith, createFakeSignInVendor, type VendorReply } from './fake-sign-in-vendor.ts'

const refuse = (status: number, code: number, error?: string): VendorReply => ({
  status,
  body: error ? { code, error, error_description: 'no' } : { code, msg: 'no' },
})

/** Starts the sign-in part of Feishu; a visitor is the answer of `user_info`. */
export const createFakeSignInFeishu = () =>
  createFakeSignInVendor({
    page_path: '/open-apis/authen/v1/authorize',
    page({ query }, { app, redirect_uris, issueCode }, person) {
      const redirect_uri = query.get('redirect_uri') ?? ''
      const challenge = query.get('code_challenge')
      const state = query.get('state') ?? ''
      if (query.get('client_id') !== app.client_id || query.get('response_type') !== 'code') return undefined
      if (!redirect_uris.has(redirect_uri) || query.get('scope') === '') return undefined
      if (challenge !== null && query.get('code_challenge_method') !== 'S256') return undefined
      if (!person) return addressWith(redirect_uri, { error: 'access_denied', state })
      const { client_id } = app
      const code = issueCode({ person, client_id, redirect_uri, challenge, with_company: false })
      return addressWith(redirect_uri, { code, state })
    },
    calls: {
      'POST /open-apis/authen/v2/oauth/token': ({ body = {} }, { app, redeemCode, issueToken }) => {
        const { grant_type, client_id, client_secret, code, redirect_uri, code_verifier } = body
        if (grant_type !== 'authorization_code') return refuse(400, 20036, 'unsupported_grant_type')
        if (client_id !== app.client_id) return refuse(400, 20048, 'invalid_client')
        if (client_secret !== app.client_secret) return refuse(400, 20002, 'invalid_client')
        const grant = redeemCode(code)
        if (!grant) return refuse(400, 20003, 'invalid_grant')
        if (grant.redirect_uri !== redirect_uri) return refuse(400, 20071, 'invalid_grant')
        const challenge = createHash('sha256')
          .update(String(code_verifier ?? ''))
          .digest('base64url')
        if (grant.challenge !== null && grant.challenge !== challenge)
          return refuse(400, 20049, 'invalid_grant')
        const access_token = issueToken(grant.person)
        return { body: { code: 0, access_token, expires_in: 7200, token_type: 'Bearer', scope: '' } }
      },

      'GET /open-apis/authen/v1/user_info': ({ headers }, { meaningOf }) => {
        const person = meaningOf(headers.authorization?.replace('Bearer ', ''))
        return person ? { body: { code: 0, msg: 'success', data: person } } : refuse(401, 20005)
      },

      'POST /open-apis/auth/v3/app_access_token/internal': ({ body = {} }, { app, issueToken }) => {
        if (body.app_id !== app.client_id) return refuse(400, 10003)
        if (body.app_secret !== app.client_secret) return refuse(400, 10014)
        const app_access_token = issueToken('app')
        return { body: { code: 0, msg: 'ok', app_access_token, expire: 7200 } }
      },
    },
  })
