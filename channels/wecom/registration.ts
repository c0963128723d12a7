import { ChannelFailure, type ChannelRegistration, type PlatformAccess } from '#plugin-api'
import { explainFetchError, reasonOfStatus } from './failure.ts'
import { type Fields, fieldsOf, stringOf } from './frame.ts'

/** Who asks, as the platform is told. */
const SOURCE = 'agent-platform-service'

/** What the platform's own tool waits, in seconds: in all, and between two questions. */
const EXPIRES_SECONDS = 300
const INTERVAL_SECONDS = 3

const REQUEST_MS = 30_000

/** Characters of an answer, and of what it gives. */
const MAX_ANSWER = 64 * 1024
const MAX_VALUE = 2048

/** Numbers of operating systems; 0 for any other. */
const PLATFORMS: Partial<Record<NodeJS.Platform, number>> = { darwin: 1, win32: 2, linux: 3 }

/** Makes a robot for whoever scans a QR code and confirms. */
export const registration: ChannelRegistration = {
  gives: 'channel',

  async begin(platform) {
    const query = new URLSearchParams({ source: SOURCE, plat: String(PLATFORMS[process.platform] ?? 0) })
    const data = await ask(platform, `/ai/qc/generate?${query}`)
    const scode = stringOf(data.scode)
    const qrcode_url = stringOf(data.auth_url)
    if (!scode || scode.length > MAX_VALUE || qrcode_url.length > MAX_VALUE)
      throw new ChannelFailure('unknown', 'WeCom gave no QR code')
    if (!isOf(platform.endpoints.qr!, qrcode_url))
      throw new ChannelFailure('unknown', 'WeCom gave a QR code that leads to another site')
    return {
      qrcode_url,
      state: { scode },
      expires_in_seconds: EXPIRES_SECONDS,
      interval_seconds: INTERVAL_SECONDS,
    }
  },

  async poll(state, platform) {
    const query = new URLSearchParams({ scode: stringOf(fieldsOf(state).scode) })
    const data = await ask(platform, `/ai/qc/query_result?${query}`)
    const status = stringOf(data.status).toLowerCase()
    if (status === 'success') {
      const { botid, secret } = fieldsOf(data.bot_info)
      if (!stringOf(botid) || !stringOf(secret))
        return { status: 'failed', detail: 'WeCom made the robot and did not give its credentials.' }
      return { status: 'success', config: { bot_id: stringOf(botid), secret: stringOf(secret) } }
    }
    // Only the word for success is known for sure; what looks like an end is taken as one.
    if (/expire|timeout/.test(status)) return { status: 'expired' }
    if (/fail|error|cancel|reject|den(y|ied)/.test(status))
      return { status: 'failed', detail: 'The request was declined, or WeCom could not make the robot.' }
    return { status: 'waiting' }
  },
}

/** Asks the platform for something; gives the `data` of its answer. */
async function ask({ endpoints, fetch, signal: aborted }: PlatformAccess, path: string): Promise<Fields> {
  const signal = AbortSignal.any([aborted, AbortSignal.timeout(REQUEST_MS)])
  const { response, text } = await fetch(endpoints.qr + path, { signal, redirect: 'error' })
    .then(async (response) => ({ response, text: await readAnswer(response) }))
    .catch((error) => {
      throw explainFetchError(error, aborted)
    })
  if (!response.ok)
    throw new ChannelFailure(
      reasonOfStatus(response.status),
      `WeCom answered with HTTP status ${response.status}`,
    )
  const answer = parse(text)
  if (typeof answer.errcode === 'number' && answer.errcode !== 0)
    throw new ChannelFailure('unknown', `WeCom refused the registration with code ${answer.errcode}`)
  return fieldsOf(answer.data)
}

async function readAnswer(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MAX_ANSWER) throw new ChannelFailure('unknown', 'WeCom gave an answer that is too long')
  }
  return text
}

function parse(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    // The parser's own error repeats the text, which may hold the secret.
    throw new ChannelFailure('unknown', 'WeCom gave an answer that is no JSON')
  }
}

/** Whether an address leads to the same site as an endpoint. */
function isOf(endpoint: string, address: string): boolean {
  return URL.canParse(address) && new URL(address).origin === new URL(endpoint).origin
}
