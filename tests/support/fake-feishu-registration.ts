import { randomBytes } from 'node:crypto'

/** The decision of the person who scanned the code; `lark` is a person whose company uses Lark. */
export type ScanOutcome = 'success' | 'lark' | 'expired' | 'failed' | 'slow_down'

/** Makes apps by the device flow of RFC 8628. */
export function createFakeRegistration(
  app: { app_id: string; app_secret: string },
  violations: string[],
  secrets: string[],
) {
  let latest: { device_code: string; outcome?: ScanOutcome; isAtLark?: boolean } | undefined

  const refuse = (error: string) => ({
    status: 400,
    body: { error, error_description: `${error} of ${latest?.device_code}` },
  })

  function begin(form: URLSearchParams) {
    if (form.get('archetype') !== 'PersonalAgent' || form.get('auth_method') !== 'client_secret')
      return refuse('invalid_request')
    latest = { device_code: `device-${randomBytes(16).toString('hex')}` }
    // It is as good as the credentials.
    secrets.push(latest.device_code)
    return {
      status: 200,
      body: {
        device_code: latest.device_code,
        user_code: 'ABCD-EFGH',
        verification_uri: 'https://open.feishu.cn/page/launcher',
        verification_uri_complete: 'https://open.feishu.cn/page/launcher?user_code=ABCD-EFGH',
        expire_in: 500,
        interval: 1,
      },
    }
  }

  function poll(form: URLSearchParams) {
    if (!latest || form.get('device_code') !== latest.device_code) return refuse('invalid_grant')
    const { outcome } = latest
    if (outcome === undefined) return refuse('authorization_pending')
    if (outcome === 'expired') return refuse('expired_token')
    if (outcome === 'failed') return refuse('access_denied')
    if (outcome === 'slow_down') {
      latest.outcome = undefined
      return refuse('slow_down')
    }
    const user_info = { open_id: 'ann', tenant_brand: outcome === 'lark' ? 'lark' : 'feishu' }
    // Feishu knows of somebody from Lark, but only Lark has the secret: the first poll asked Feishu, the next one Lark.
    if (outcome === 'lark' && !latest.isAtLark) {
      latest.isAtLark = true
      return { status: 200, body: { user_info } }
    }
    return { status: 200, body: { client_id: app.app_id, client_secret: app.app_secret, user_info } }
  }

  return {
    answer(contentType: string | undefined, text: string): { status: number; body: unknown } {
      if (contentType !== 'application/x-www-form-urlencoded')
        violations.push('a registration that is no form')
      const form = new URLSearchParams(text)
      const action = form.get('action')
      if (action === 'begin') return begin(form)
      return action === 'poll' ? poll(form) : refuse('invalid_request')
    },

    scan(outcome: ScanOutcome) {
      if (!latest) throw new Error('No registration was begun.')
      latest.outcome = outcome
    },
  }
}
