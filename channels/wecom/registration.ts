import {
  ChannelFailure,
  type ChannelRegistration,
  type Json,
  type PlatformAccess,
  parseObject,
  readBody,
  toObject,
  toText,
  withDeadline,
} from '#plugin-api'
import { toFetchFailure, toReason } from './failure.ts'

/** The name of the requesting application. */
const SOURCE = 'agent-platform-service'

/** Validity of a QR code and interval of polls, as in the platform's own tool. */
const EXPIRES_SECONDS = 300
const INTERVAL_SECONDS = 3

const REQUEST_MS = 30_000

/** Limits of an answer and of its values. */
const MAX_ANSWER_BYTES = 64 * 1024
const MAX_VALUE_CHARS = 2048

/** The platform's numbers of operating systems; 0 for any other. */
const PLATFORMS: Partial<Record<NodeJS.Platform, number>> = { darwin: 1, win32: 2, linux: 3 }

/** Creates a robot when a person scans a QR code and confirms. */
export const registration: ChannelRegistration = {
  gives: 'channel',

  async begin(platform) {
    const query = new URLSearchParams({ source: SOURCE, plat: String(PLATFORMS[process.platform] ?? 0) })
    const data = await ask(platform, `/ai/qc/generate?${query}`)
    const scode = toText(data.scode)
    const qrcode_url = toText(data.auth_url)
    if (!scode || scode.length > MAX_VALUE_CHARS || qrcode_url.length > MAX_VALUE_CHARS)
      throw new ChannelFailure('unknown', 'WeCom returned no QR code')
    if (!hasSameOrigin(platform.endpoints.qr!, qrcode_url))
      throw new ChannelFailure('unknown', 'WeCom returned a QR code for another site')
    return {
      qrcode_url,
      state: { scode },
      expires_in_seconds: EXPIRES_SECONDS,
      interval_seconds: INTERVAL_SECONDS,
    }
  },

  async poll(state, platform) {
    const query = new URLSearchParams({ scode: toText(toObject(state).scode) })
    const data = await ask(platform, `/ai/qc/query_result?${query}`)
    const status = toText(data.status).toLowerCase()
    if (status === 'success') {
      const { botid, secret } = toObject(data.bot_info)
      if (!toText(botid) || !toText(secret))
        return { status: 'failed', detail: 'WeCom created the robot but did not return its credentials.' }
      return { status: 'success', config: { bot_id: toText(botid), secret: toText(secret) } }
    }
    // Only the word for success is documented; other words are matched by their meaning.
    if (/expire|timeout/.test(status)) return { status: 'expired' }
    if (/fail|error|cancel|reject|den(y|ied)/.test(status))
      return { status: 'failed', detail: 'The request was declined, or WeCom could not create the robot.' }
    return { status: 'waiting' }
  },
}

/** Sends a request and returns the `data` of the answer. */
async function ask({ endpoints, fetch, signal: aborted }: PlatformAccess, path: string): Promise<Json> {
  const { response, bytes } = await withDeadline(REQUEST_MS, [aborted], async (signal) => {
    const response = await fetch(endpoints.qr + path, { signal, redirect: 'error' })
    return { response, bytes: await readBody(response.body, MAX_ANSWER_BYTES) }
  }).catch((error) => {
    throw toFetchFailure(error, aborted)
  })
  if (!response.ok)
    throw new ChannelFailure(toReason(response.status), `WeCom answered with HTTP status ${response.status}`)
  if (!bytes) throw new ChannelFailure('unknown', 'WeCom sent an answer that is too long')
  const answer = parseObject(bytes.toString())
  // Without the text, which may contain the secret.
  if (!answer) throw new ChannelFailure('unknown', 'WeCom answered with invalid JSON')
  if (typeof answer.errcode === 'number' && answer.errcode !== 0)
    throw new ChannelFailure('unknown', `WeCom refused the registration with code ${answer.errcode}`)
  return toObject(answer.data)
}

/** True if an address has the same origin as an endpoint. */
function hasSameOrigin(endpoint: string, address: string): boolean {
  return URL.canParse(address) && new URL(address).origin === new URL(endpoint).origin
}
