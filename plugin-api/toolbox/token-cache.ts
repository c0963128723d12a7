import { untilAborted } from '#kernel'

/** A token is replaced this long before it expires, or after two thirds of its lifetime if that is earlier. */
const RENEW_BEFORE_MS = 5 * 60_000

/** Creates the cache of an access token that `request` fetches when one is needed; concurrent callers share a request. */
export function createTokenCache(request: () => Promise<{ token: string; lifetime_ms: number }>) {
  let current: { token: string; renewAt: number } | undefined
  let pendingRequest: Promise<string> | undefined

  async function renew(): Promise<string> {
    const startedAt = performance.now()
    const { token, lifetime_ms } = await request()
    current = { token, renewAt: startedAt + lifetime_ms - Math.min(RENEW_BEFORE_MS, lifetime_ms / 3) }
    return token
  }

  /** A caller that aborts does not end the request, for which others may wait. */
  function fetchToken(signal: AbortSignal): Promise<string> {
    pendingRequest ??= renew().finally(() => {
      pendingRequest = undefined
    })
    return untilAborted(signal, pendingRequest)
  }

  return {
    /** Returns a token that is valid for some time. */
    get: async (signal: AbortSignal): Promise<string> =>
      current && performance.now() < current.renewAt ? current.token : fetchToken(signal),

    /** Returns another token than the refused one. */
    async replace(refused: string, signal: AbortSignal): Promise<string> {
      if (current && current.token !== refused) return current.token
      current = undefined
      return fetchToken(signal)
    },
  }
}
