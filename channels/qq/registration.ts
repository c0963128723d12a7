import { createDecipheriv, randomBytes } from 'node:crypto'
import { ChannelFailure, type ChannelRegistration, type PlatformAccess } from '#plugin-api'
import { type Fields, fieldsOf, numberOf, textOf } from './fields.ts'
import { requestJson } from './request.ts'

/** QQ names no end of its codes, so they end here at the latest. */
const LIFETIME_SECONDS = 600
const INTERVAL_SECONDS = 2

/** Shown by QQ as what asks for the bot. */
const SOURCE = 'Agent Platform Service'

const COMPLETED = 2
const EXPIRED = 3

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

interface State {
  task_id: string
  /** Base64; only who has it can read the secret of the bot. */
  key: string
  /** Unix milliseconds. */
  ends_at: number
}

/** Makes or picks a bot by a QR code: whoever scans it in QQ chooses which. */
export const registration: ChannelRegistration = {
  gives: 'credentials',

  async begin(platform) {
    const key = randomBytes(KEY_BYTES).toString('base64')
    const task_id = textOf((await ask(platform, '/lite/create_bind_task', { key }, key)).task_id)
    if (!task_id) throw new ChannelFailure('unknown', 'QQ began no registration.')
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
    const { task_id, key, ends_at } = stored as unknown as State
    if (Date.now() >= ends_at) return { status: 'expired' }
    const data = await ask(platform, '/lite/poll_bind_result', { task_id }, key)
    const status = numberOf(data.status)
    if (status === EXPIRED) return { status: 'expired' }
    if (status !== COMPLETED) return { status: 'waiting' }
    const app_id = textOf(data.bot_appid)
    const secret = decrypt(textOf(data.bot_encrypt_secret) ?? '', key)
    if (!app_id || !secret) return { status: 'failed', detail: 'QQ gave credentials that cannot be read.' }
    return { status: 'success', config: { app_id, secret } }
  },
}

async function ask(
  { endpoints, fetch, signal }: PlatformAccess,
  path: string,
  body: object,
  key: string,
): Promise<Fields> {
  const reply = await requestJson({
    fetch,
    url: `${endpoints.bind}${path}`,
    method: 'POST',
    body,
    what: 'the registration',
    signal,
    secrets: [key],
  })
  const retcode = numberOf(reply.retcode) ?? 0
  if (retcode !== 0) throw new ChannelFailure('unknown', `QQ refused the registration (${retcode}).`)
  return fieldsOf(reply.data)
}

/** AES-256-GCM: nonce, ciphertext and tag in this order. Undefined where the key does not fit. */
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
    // The tag does not fit: the text was not made with this key, and the caller says so.
    return undefined
  }
}
