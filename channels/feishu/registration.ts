import {
  type BegunRegistration,
  ChannelFailure,
  isObject,
  type JSONValue,
  type PlatformAccess,
  type PolledRegistration,
  parseObject,
  toFilledText,
} from '#plugin-api'
import { type Brand, findEndpoint } from './config.ts'
import { startDeadline, toOutage, toRefusal, toTransportFailure } from './failure.ts'
import { readText } from './reply.ts'

/** The state between two polls; `device_code` is as sensitive as the credentials. */
type State = { device_code: string; brand: Brand; interval_seconds: number }

const PATH = '/oauth/v1/app/registration'
const TIMEOUT_MS = 30_000

/** Defaults, if the platform does not send values. */
const LIFETIME_SECONDS = 600
const INTERVAL_SECONDS = 5
/** Added to the interval each time the platform answers `slow_down`. */
const SLOW_DOWN_SECONDS = 5

/** Tells the page behind the QR code which program requested it. */
const SOURCE = 'agent-platform-service'

/** Begins the creation of an app with a bot, which a person confirms by scanning the code. */
export async function begin(platform: PlatformAccess): Promise<BegunRegistration> {
  const fields = { archetype: 'PersonalAgent', auth_method: 'client_secret', request_user_info: 'open_id' }
  const reply = await ask(platform, 'feishu', { action: 'begin', ...fields })
  const device_code = toFilledText(reply.device_code)
  const address = toFilledText(reply.verification_uri_complete)
  if (!device_code || !address || !URL.canParse(address)) throw toRegistrationFailure(reply)
  const page = new URL(address)
  page.searchParams.set('source', SOURCE)
  const interval_seconds = positive(reply.interval) ?? INTERVAL_SECONDS
  const state: State = { device_code, brand: 'feishu', interval_seconds }
  return {
    qrcode_url: page.href,
    state,
    // The platform has used both names.
    expires_in_seconds: positive(reply.expires_in) ?? positive(reply.expire_in) ?? LIFETIME_SECONDS,
    interval_seconds,
  }
}

/** Polls the status of a registration. */
export async function poll(state: JSONValue, platform: PlatformAccess): Promise<PolledRegistration> {
  return readPoll(state as State, platform)
}

async function readPoll(state: State, platform: PlatformAccess): Promise<PolledRegistration> {
  const { device_code, brand, interval_seconds } = state
  const reply = await ask(platform, brand, { action: 'poll', device_code })
  const user = isObject(reply.user_info) ? reply.user_info : {}
  // Only Lark returns the secrets of Lark apps.
  if (user.tenant_brand === 'lark' && brand === 'feishu')
    return readPoll({ ...state, brand: 'lark' }, platform)

  const app_id = toFilledText(reply.client_id)
  const app_secret = toFilledText(reply.client_secret)
  if (app_id && app_secret) return { status: 'success', config: { app_id, app_secret, brand } }
  switch (reply.error) {
    case 'authorization_pending':
    case undefined:
      return { status: 'waiting', state }
    case 'slow_down': {
      const longer = interval_seconds + SLOW_DOWN_SECONDS
      return { status: 'waiting', state: { ...state, interval_seconds: longer }, interval_seconds: longer }
    }
    case 'expired_token':
    case 'invalid_grant':
      return { status: 'expired' }
    case 'access_denied':
      return { status: 'failed', detail: 'The creation of the app was declined.' }
    default:
      return { status: 'failed', detail: toRegistrationFailure(reply).message }
  }
}

/** Sends a form. All other outcomes than success, including pending, have HTTP 400 and a name in `error`. */
async function ask(
  { endpoints, fetch, signal }: PlatformAccess,
  brand: Brand,
  fields: Record<string, string>,
): Promise<Record<string, unknown>> {
  const deadline = startDeadline(TIMEOUT_MS, signal)
  try {
    const response = await fetch(findEndpoint(endpoints.accounts!, brand) + PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
      redirect: 'error',
      signal: deadline.signal,
    })
    const reply = parseObject(await readText(response))
    if (response.status === 429)
      throw toRefusal(
        { status: 429, code: 429, resetAfter: response.headers.get('x-ogw-ratelimit-reset') },
        'too many requests',
      )
    if (!reply || response.status >= 500) throw toOutage(response.status)
    return reply
  } catch (error) {
    throw toTransportFailure(error, deadline.signal)
  } finally {
    deadline.release()
  }
}

/** Creates the failure with only the name of the error: its description might repeat the code. */
function toRegistrationFailure({ error }: Record<string, unknown>): ChannelFailure {
  const name = typeof error === 'string' && /^\w{1,64}$/.test(error) ? ` (${error})` : ''
  return new ChannelFailure('unknown', `Feishu refused the registration${name}.`)
}

const positive = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined
