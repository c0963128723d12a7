import { untilAborted } from '#kernel'

/** What the platform gives for the secret, and how long it counts. */
export interface GrantedToken {
  token: string
  expires_in_seconds: number
}

/** The token of the app within its tenant, asked for once for all who need it. */
export interface AccessToken {
  get(signal: AbortSignal): Promise<string>
  /** Says that this token was refused; it is not given out again. */
  discard(token: string): void
}

/** So long before its end a token is no longer used. */
const MARGIN_SECONDS = 300

/** Keeps a token; `ask` is not ended by a caller who leaves, because others may wait for the same answer. */
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
