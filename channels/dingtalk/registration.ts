import {
  type BegunRegistration,
  ChannelFailure,
  type ChannelRegistration,
  type Json,
  type PlatformAccess,
  toScalarText,
} from '#plugin-api'
import { toRefusal } from './failure.ts'
import { createRequest } from './request.ts'

/** Defaults in seconds, if DingTalk does not send values. */
const DEFAULT_LIFETIME = 7200
const DEFAULT_INTERVAL = 5

/** After this many consecutive refused polls the registration has failed. */
const MAX_REFUSALS = 3

/** The stored state; `device_code` is as sensitive as the app's secret. */
type State = { device_code: string; expires_at: number; refusals: number }

/** Creates an app with a robot when the QR code is scanned in DingTalk. */
export const registration: ChannelRegistration = {
  gives: 'channel',

  async begin(platform): Promise<BegunRegistration> {
    const { nonce } = await ask(platform, 'init', {})
    const begun = await ask(platform, 'begin', { nonce })
    const device_code = toScalarText(begun.device_code)
    const qrcode_url = toScalarText(begun.verification_uri_complete)
    if (!device_code || !URL.canParse(qrcode_url) || new URL(qrcode_url).protocol !== 'https:')
      throw new ChannelFailure('unknown', 'DingTalk began a registration without a QR code.')
    const expires_in_seconds = Number(begun.expires_in) || DEFAULT_LIFETIME
    const state: State = { device_code, expires_at: Date.now() + expires_in_seconds * 1000, refusals: 0 }
    const interval_seconds = Number(begun.interval) || DEFAULT_INTERVAL
    return { qrcode_url, state, expires_in_seconds, interval_seconds }
  },

  async poll(stored, platform) {
    const state = stored as State
    const { device_code, expires_at } = state
    const waiting = { status: 'waiting' } as const
    let polled: Json
    try {
      polled = await ask(platform, 'poll', { device_code })
    } catch (error) {
      platform.signal.throwIfAborted()
      if (Date.now() > expires_at) return { status: 'expired' }
      const refusals = state.refusals + 1
      // No answer says nothing about the registration. A refusal may mean that DingTalk has dropped the code.
      if (!(error instanceof ChannelFailure) || error.reason !== 'unknown') return waiting
      if (refusals >= MAX_REFUSALS) return { status: 'failed', detail: error.message }
      return { ...waiting, state: { ...state, refusals } }
    }
    switch (toScalarText(polled.status).toUpperCase()) {
      case 'SUCCESS': {
        const client_id = toScalarText(polled.client_id)
        const client_secret = toScalarText(polled.client_secret)
        if (client_id && client_secret) return { status: 'success', config: { client_id, client_secret } }
        return { status: 'failed', detail: 'DingTalk created the app but did not return its credentials.' }
      }
      case 'FAIL':
        return {
          status: 'failed',
          detail: toScalarText(polled.fail_reason).slice(0, 200) || 'DingTalk did not state a reason.',
        }
      case 'EXPIRED':
        return { status: 'expired' }
      default:
        if (Date.now() > expires_at) return { status: 'expired' }
        return state.refusals > 0 ? { ...waiting, state: { ...state, refusals: 0 } } : waiting
    }
  },
}

async function ask(
  { endpoints, fetch, signal }: PlatformAccess,
  step: 'init' | 'begin' | 'poll',
  body: object,
): Promise<Json> {
  const request = createRequest({ fetch, closing: signal })
  const answer = await request(`${endpoints.oapi}/app/registration/${step}`, { body })
  if (answer.status !== 200 || toScalarText(answer.body.errcode) !== '0')
    throw toRefusal(answer, 'the registration')
  return answer.body
}
