import {
  type BegunRegistration,
  ChannelFailure,
  type JSONValue,
  type PlatformAccess,
  type PolledRegistration,
} from '#plugin-api'
import { type Brand, endpointOf } from './config.ts'
import { startDeadline } from './deadline.ts'
import { outageOf, refusalOf, sortTransportError } from './failure.ts'
import { isRecord, parseRecord, readText, textOf } from './reply.ts'

/** What is kept between two polls; the code is as good as the credentials. */
type State = { device_code: string; brand: Brand; interval_seconds: number }

const PATH = '/oauth/v1/app/registration'
const TIMEOUT_MS = 30_000

/** What counts where the platform says nothing, in seconds. */
const LIFETIME = 600
const INTERVAL = 5
/** How much longer to wait each time when told to slow down. */
const SLOWDOWN = 5

/** Says to the page behind the QR code that it was not opened in the console. */
const PAGE_QUERY = { from: 'sdk', tp: 'sdk', source: 'node-sdk/agent-platform-service' }

/** Begins to make an app with a bot: somebody scans the code and agrees. */
export async function begin(platform: PlatformAccess): Promise<BegunRegistration> {
  const fields = { archetype: 'PersonalAgent', auth_method: 'client_secret', request_user_info: 'open_id' }
  const reply = await ask(platform, 'feishu', { action: 'begin', ...fields })
  const device_code = textOf(reply.device_code)
  const address = textOf(reply.verification_uri_complete)
  if (!device_code || !address || !URL.canParse(address)) throw refusalFor(reply)
  const page = new URL(address)
  for (const [name, value] of Object.entries(PAGE_QUERY)) page.searchParams.set(name, value)
  const interval_seconds = positive(reply.interval) ?? INTERVAL
  const state: State = { device_code, brand: 'feishu', interval_seconds }
  return {
    qrcode_url: page.href,
    state,
    expires_in_seconds: positive(reply.expires_in) ?? LIFETIME,
    interval_seconds,
  }
}

/** Asks how it went. */
export async function poll(state: JSONValue, platform: PlatformAccess): Promise<PolledRegistration> {
  return readPoll(state as State, platform)
}

async function readPoll(state: State, platform: PlatformAccess): Promise<PolledRegistration> {
  const { device_code, brand, interval_seconds } = state
  const reply = await ask(platform, brand, { action: 'poll', device_code })
  const user = isRecord(reply.user_info) ? reply.user_info : {}
  // Lark keeps the secrets of its own apps.
  if (user.tenant_brand === 'lark' && brand === 'feishu')
    return readPoll({ ...state, brand: 'lark' }, platform)

  const app_id = textOf(reply.client_id)
  const app_secret = textOf(reply.client_secret)
  if (app_id && app_secret) return { status: 'success', config: { app_id, app_secret, brand } }
  switch (reply.error) {
    case 'authorization_pending':
    case undefined:
      return { status: 'waiting', state }
    case 'slow_down': {
      const longer = interval_seconds + SLOWDOWN
      return { status: 'waiting', state: { ...state, interval_seconds: longer }, interval_seconds: longer }
    }
    case 'expired_token':
    case 'invalid_grant':
      return { status: 'expired' }
    case 'access_denied':
      return { status: 'failed', detail: 'The app was not agreed to.' }
    default:
      return { status: 'failed', detail: refusalFor(reply).message }
  }
}

/** Sends a form; what is no success, pending included, comes with HTTP 400 and tells why in `error`. */
async function ask(
  { endpoints, fetch, signal }: PlatformAccess,
  brand: Brand,
  fields: Record<string, string>,
): Promise<Record<string, unknown>> {
  const deadline = startDeadline(TIMEOUT_MS, signal)
  try {
    const response = await fetch(endpointOf(endpoints.accounts!, brand) + PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
      redirect: 'error',
      signal: deadline.signal,
    })
    const reply = parseRecord(await readText(response))
    if (response.status === 429)
      throw refusalOf(
        { status: 429, code: 429, resetAfter: response.headers.get('x-ogw-ratelimit-reset') },
        'too many requests',
      )
    if (!reply || response.status >= 500) throw outageOf(response.status)
    return reply
  } catch (error) {
    throw sortTransportError(error, deadline.signal)
  } finally {
    deadline.release()
  }
}

/** Only the name of the error is passed on: its description might repeat the code. */
function refusalFor({ error }: Record<string, unknown>): ChannelFailure {
  const name = typeof error === 'string' && /^\w{1,64}$/.test(error) ? ` (${error})` : ''
  return new ChannelFailure('unknown', `Feishu refused the registration${name}.`)
}

const positive = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined
