import { createDecipheriv, randomBytes } from 'node:crypto'
import {
  ChannelFailure,
  type ChannelRegistration,
  type Json,
  type PlatformAccess,
  toFilledText,
  toNumber,
  toObject,
} from '#plugin-api'
import { requestJson } from './request.ts'

/** QQ does not state when its codes expire, so they expire here at the latest. */
const LIFETIME_SECONDS = 600
const INTERVAL_SECONDS = 2

/** The name that QQ shows for the requesting application. */
const SOURCE = 'Agent Platform Service'

const COMPLETED = 2
const EXPIRED = 3

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

type State = {
  task_id: string
  /** In Base64; it decrypts the bot's secret. */
  key: string
  /** In Unix milliseconds. */
  ends_at: number
}

/** Creates or selects a bot by a QR code: the person who scans it in QQ decides. */
export const registration: ChannelRegistration = {
  gives: 'credentials',

  async begin(platform) {
    const key = randomBytes(KEY_BYTES).toString('base64')
    const task_id = toFilledText((await ask(platform, '/lite/create_bind_task', { key }, key)).task_id)
    if (!task_id) throw new ChannelFailure('unknown', 'QQ did not begin the registration.')
    const state: State = { task_id, key, ends_at: Date.now() + LIFETIME_SECONDS * 1000 }
    const query = `task_id=${encodeURIComponent(task_id)}&source=${encodeURIComponent(SOURCE)}&_wv=2`
    return {
      qrcode_url: `${platform.endpoints.bind}/qqbot/openclaw/connect.html?${query}`,
      state: { ...state },
      expires_in_seconds: LIFETIME_SECONDS,
      interval_seconds: INTERVAL_SECONDS,
    }
  },

  async poll(stored, platform) {
    const { task_id, key, ends_at } = stored as State
    if (Date.now() >= ends_at) return { status: 'expired' }
    const data = await ask(platform, '/lite/poll_bind_result', { task_id }, key)
    const status = toNumber(data.status)
    if (status === EXPIRED) return { status: 'expired' }
    if (status !== COMPLETED) return { status: 'waiting' }
    const app_id = toFilledText(data.bot_appid)
    const secret = decrypt(toFilledText(data.bot_encrypt_secret) ?? '', key)
    if (!app_id || !secret) return { status: 'failed', detail: 'QQ returned unreadable credentials.' }
    return { status: 'success', config: { app_id, secret } }
  },
}

async function ask(
  { endpoints, fetch, signal }: PlatformAccess,
  path: string,
  body: object,
  key: string,
): Promise<Json> {
  const reply = await requestJson({
    fetch,
    url: `${endpoints.bind}${path}`,
    method: 'POST',
    body,
    what: 'the registration',
    signal,
    secrets: [key],
  })
  const retcode = toNumber(reply.retcode) ?? 0
  if (retcode !== 0) throw new ChannelFailure('unknown', `QQ refused the registration (${retcode}).`)
  return toObject(reply.data)
}

/** Decrypts AES-256-GCM (nonce, ciphertext, tag); undefined if the key is wrong. */
function decrypt(sealed: string, key: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64')
  if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key, 'base64'), bytes.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([
      decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)),
      decipher.final(),
    ]).toString()
  } catch {
    // The tag does not match the key; the caller reports it.
    return undefined
  }
}
