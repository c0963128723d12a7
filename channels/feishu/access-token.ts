import { untilAborted } from '#toolbox'

/** A token from the platform and its validity. */
interface GrantedToken {
  token: string
  expires_in_seconds: number
}

/** The tenant access token of the app; concurrent callers share one request. */
interface AccessToken {
  get(signal: AbortSignal): Promise<string>
  /** Discards a refused token. */
  discard(token: string): void
}

/** A token is not used this long before it expires. */
const MARGIN_SECONDS = 300

/** Creates the token cache. A caller that aborts does not end `ask`, because others may wait for it. */
export function createAccessToken(ask: () => Promise<GrantedToken>): AccessToken {
  let current: { token: string; until: number } | undefined
  let asking: Promise<string> | undefined

  async function renew() {
    try {
      const { token, expires_in_seconds } = await ask()
      current = { token, until: Date.now() + Math.max(expires_in_seconds - MARGIN_SECONDS, 1) * 1000 }
      return token
    } finally {
      asking = undefined
    }
  }

  return {
    async get(signal) {
      signal.throwIfAborted()
      if (current && Date.now() < current.until) return current.token
      asking ??= renew()
      return untilAborted(signal, asking)
    },
    discard(token) {
      if (current?.token === token) current = undefined
    },
  }
}
