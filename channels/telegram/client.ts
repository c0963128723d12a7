import type { RawApi } from 'grammy'
import { ChannelFailure, type ChannelSettings, createTransport } from '#plugin-api'
import { readToken, type TelegramConfig } from './config.ts'
import { toFailure, toForeignAnswer } from './failure.ts'

/** The library declares its own type for `AbortSignal`. */
export type CallSignal = NonNullable<Parameters<RawApi['getMe']>[0]>

const CALL_MS = 30_000

/**
 * Creates the client of the Bot API with a bot's token. Throws a `ChannelFailure` if the config cannot work; calls
 * reject with a `ChannelFailure` or the reason of their signal.
 */
export async function createClient(settings: ChannelSettings<TelegramConfig>) {
  const token = readToken(settings.config)
  const root = settings.endpoints.api!
  const transport = await createTransport(settings, 'Telegram')
  const { Api } = await import('grammy')
  const closing = new AbortController()

  async function request(url: string, init: RequestInit = {}): Promise<Response> {
    // A redirect would send the token to another host.
    return transport.fetch(url, { ...init, redirect: 'error' })
  }

  async function requestAnswer(url: string, init: RequestInit & { signal: AbortSignal }): Promise<Response> {
    const response = await request(url, { ...init, signal: toNativeSignal(init.signal) })
    if (response.ok) {
      if (response.headers.get('content-type')?.includes('json')) return response
      await response.body?.cancel()
      throw toForeignAnswer(response)
    }
    // Proxies refuse calls in JSON as well, with a body of their own.
    const refusal = await response.text()
    if (isRefusalOfTelegram(refusal)) return new Response(refusal, { status: response.status })
    throw toForeignAnswer(response)
  }

  const { raw } = new Api(token, { apiRoot: root, fetch: requestAnswer as never })

  async function within<Result>(
    signal: AbortSignal,
    limitMs: number,
    work: (until: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), limitMs)
    try {
      return await work(AbortSignal.any([signal, closing.signal, late.signal]))
    } catch (error) {
      const timedOut = signal.aborted ? signal.reason?.name === 'TimeoutError' : late.signal.aborted
      if (timedOut) throw new ChannelFailure('timeout', 'Telegram did not answer in time.')
      if (signal.aborted) throw signal.reason
      if (closing.signal.aborted) throw new ChannelFailure('unreachable', 'The channel was closed.')
      throw toFailure(error, token)
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    /** Makes one call; an error while `run` reads the answer is a failure as well. */
    call: <Result>(
      run: (api: RawApi, signal: CallSignal) => Promise<Result>,
      signal: AbortSignal,
      limitMs = CALL_MS,
    ): Promise<Result> => within(signal, limitMs, (until) => run(raw, until as CallSignal)),

    /** Begins the download of a file by the path from `getFile`. */
    openFile: (path: string, signal: AbortSignal): Promise<Response> =>
      within(signal, CALL_MS, async (until) => {
        const addresses = toFileAddresses(path, token)
        for (const [index, address] of addresses.entries()) {
          const response = await request(`${root}/file/bot${token}/${address}`, { signal: until })
          if (response.ok && response.body) return response
          await response.body?.cancel()
          const isLast = index === addresses.length - 1
          if (response.status >= 500 || (isLast && response.status !== 404)) throw toForeignAnswer(response)
        }
        throw new ChannelFailure(
          'not_found',
          path.startsWith('/')
            ? 'The web server before the Bot API server does not serve this file.'
            : 'Telegram no longer has this file.',
        )
      }),

    /** Aborts every call. */
    async close(): Promise<void> {
      closing.abort()
      await transport.close()
    },
  }
}

/** The Bot API with a bot's token. */
export type TelegramClient = Awaited<ReturnType<typeof createClient>>

/** True if a body is a refusal in the form of Telegram's API. */
function isRefusalOfTelegram(body: string): boolean {
  try {
    return typeof JSON.parse(body)?.error_code === 'number'
  } catch {
    return false
  }
}

/**
 * Lists the addresses of a file below that of its bot. A Bot API server of one's own returns the path on its disk, in a
 * folder named after the token; the web server before it serves that folder, or follows the whole path.
 */
function toFileAddresses(path: string, token: string): string[] {
  const folders = [token, token.replace(':', '~')].map((name) => `/${name}/`)
  const folder = path.startsWith('/') ? folders.find((name) => path.includes(name)) : undefined
  const inFolder = folder === undefined ? [] : [path.slice(path.indexOf(folder) + folder.length)]
  return [...inFolder, path].map(encodePath)
}

/** Encodes the names of a path; none may lead upwards. */
const encodePath = (path: string) =>
  path
    .split('/')
    .filter((name) => !['', '.', '..'].includes(name))
    .map((name) => encodeURIComponent(name.toWellFormed()))
    .join('/')

/** Converts the library's own signal to one that `fetch` accepts. */
function toNativeSignal(signal: AbortSignal): AbortSignal {
  const controller = new AbortController()
  if (signal.aborted) controller.abort()
  else signal.addEventListener('abort', () => controller.abort(), { once: true })
  return controller.signal
}
