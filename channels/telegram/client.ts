import type { RawApi } from 'grammy'
import { ChannelFailure, type ChannelSettings } from '#plugin-api'
import { failureOf } from './failure.ts'
import { createTransport } from './proxy.ts'
import { tokenOf } from './token.ts'

/** The library has an `AbortSignal` of its own kind in its types. */
export type CallSignal = NonNullable<Parameters<RawApi['getMe']>[0]>

/** The Bot API with one bot's token. Whatever a call rejects with is a `ChannelFailure`, or the reason of its signal. */
export interface TelegramClient {
  /** Makes one call, within 30 seconds unless told otherwise; an answer that `run` cannot read is a failure too. */
  call<Result>(
    run: (api: RawApi, signal: CallSignal) => Promise<Result>,
    signal: AbortSignal,
    limitMs?: number,
  ): Promise<Result>
  /** Begins to get a file by the path that `getFile` gave. */
  openFile(path: string, signal: AbortSignal): Promise<Response>
  /** Ends every call. */
  close(): Promise<void>
}

const CALL_MS = 30_000

/** Opens the client library. Throws a `ChannelFailure` where the config cannot work. */
export async function createClient(settings: ChannelSettings): Promise<TelegramClient> {
  const token = tokenOf(settings.config)
  const root = settings.endpoints.api!
  const transport = await createTransport(settings)
  const { Api } = await import('grammy')
  const closing = new AbortController()

  async function request(url: string, init: RequestInit = {}): Promise<Response> {
    // A redirect would carry the token to another place.
    return transport.fetch(url, { ...init, redirect: 'error' })
  }

  async function requestAnswer(url: string, init: RequestInit & { signal: AbortSignal }): Promise<Response> {
    const response = await request(url, { ...init, signal: nativeSignal(init.signal) })
    if (response.headers.get('content-type')?.includes('json')) return response
    await response.body?.cancel()
    throw strangeAnswer(response)
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
      if (closing.signal.aborted) throw new ChannelFailure('unreachable', 'The channel has been closed.')
      throw failureOf(error, token)
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    call: (run, signal, limitMs = CALL_MS) =>
      within(signal, limitMs, (until) => run(raw, until as CallSignal)),

    openFile: (path, signal) =>
      within(signal, CALL_MS, async (until) => {
        const response = await request(`${root}/file/bot${token}/${path}`, { signal: until })
        if (response.ok && response.body) return response
        await response.body?.cancel()
        if (response.status === 404)
          throw new ChannelFailure('not_found', 'Telegram does not have this file any more.')
        throw strangeAnswer(response)
      }),

    async close() {
      closing.abort()
      await transport.close()
    },
  }
}

/** What a proxy or a broken server says in Telegram's place. */
const strangeAnswer = ({ status }: Response) =>
  new ChannelFailure(
    status >= 500 ? 'unreachable' : 'unknown',
    `Something else than Telegram’s API answered, with status ${status}.`,
  )

/** A signal that `fetch` takes: the library hands over one of its own making. */
function nativeSignal(signal: AbortSignal): AbortSignal {
  const controller = new AbortController()
  if (signal.aborted) controller.abort()
  else signal.addEventListener('abort', () => controller.abort(), { once: true })
  return controller.signal
}
