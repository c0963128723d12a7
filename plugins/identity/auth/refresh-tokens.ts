import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import { AppError } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { Sessions } from './sessions.ts'
import type { SigningKeys } from './signing-key.ts'
import type { Headers, RefreshState, SessionDocument } from './types.ts'

/** The name of the cookie. */
const COOKIE = 'svc_refresh'
/** The only route that browsers send the cookie to. */
const PATH = '/api/auth/refresh'
/** The time for which a token can still be used after its rotation: by another tab, or if the reply was lost. */
const GRACE_MS = 60_000

/** The parts of a refresh token. */
interface RefreshToken {
  session_id: string
  number: number
}

/** A session that issues refresh tokens. */
type RefreshableSession = SessionDocument & { refresh: RefreshState }

/** The refresh tokens of sessions, which browsers keep in a cookie that scripts cannot read. */
export type RefreshTokens = ReturnType<typeof createRefreshTokens>

/**
 * Creates the refresh tokens. Each names its session and its number within the session, under the signing key of access
 * tokens; the session stores the number of the current one.
 */
export function createRefreshTokens({
  sessions,
  signingKeys,
  server,
  clock,
  log,
  config,
}: { sessions: Sessions; signingKeys: SigningKeys } & Pick<Cradle, 'server' | 'clock' | 'log' | 'config'>) {
  const writeToken = async ({ session_id, number }: RefreshToken): Promise<string> => {
    const { secret } = await signingKeys.read()
    const content = `${session_id}.${number}`
    return `${content}.${createHmac('sha256', secret).update(`refresh ${content}`).digest('base64url')}`
  }

  /** Returns the parts of the token in the cookie; undefined unless this server signed it with the present key. */
  const readToken = async (cookies: string): Promise<RefreshToken | undefined> => {
    const token = parseCookie(cookies)[COOKIE] ?? ''
    const [, session_id, digits] = /^([\w-]{1,64})\.(\d{1,9})\.[\w-]+$/.exec(token) ?? []
    if (session_id === undefined) return undefined
    const parts = { session_id, number: Number(digits) }
    const [sent, expected] = [token, await writeToken(parts)].map((text) => Buffer.from(text))
    return sent!.length === expected!.length && timingSafeEqual(sent!, expected!) ? parts : undefined
  }

  const findLive = async (session_id: string): Promise<RefreshableSession> => {
    const session = await sessions.find(session_id)
    if (!session?.refresh || session.ended_at !== null || session.expires_at <= clock.seconds())
      throw new AppError('AUTH_FAILED')
    return session as RefreshableSession
  }

  /** Returns the session of a token after its rotation. Throws AUTH_FAILED; a token used twice ends its session. */
  const rotate = async ({ session_id, number }: RefreshToken): Promise<RefreshableSession> => {
    const session = await findLive(session_id)
    const current = session.refresh.number
    if (number === current) {
      const rotated = await sessions.rotate(session_id, number)
      // Another request with the same token may have come first.
      return rotated ? (rotated as RefreshableSession) : rotate({ session_id, number })
    }
    if (number === current - 1 && clock.now() - session.refresh.rotated_at < GRACE_MS) return session
    log.warn({ session_id, user_id: session.user_id }, 'a refresh token was used twice, so its session ends')
    await sessions.end(session.user_id, session_id)
    throw new AppError('AUTH_FAILED')
  }

  const setCookie = (value: string, maxAge: number, headers: Headers) => ({
    'Set-Cookie': stringifySetCookie(COOKIE, value, {
      httpOnly: true,
      sameSite: 'strict',
      path: PATH,
      secure: server.isSecure(headers),
      maxAge,
    }),
  })

  return {
    /** Returns the headers that store the current token of a session in the browser; none if it has no tokens. */
    async store({ _id, refresh }: SessionDocument, headers: Headers): Promise<Record<string, string>> {
      if (!refresh) return {}
      const token = await writeToken({ session_id: _id, number: refresh.number })
      return setCookie(token, config.refresh_token_ttl_seconds, headers)
    },

    /** Returns the headers that remove the token of a session from the browser; none if it has no tokens. */
    clear: (session: SessionDocument | null, headers: Headers): Record<string, string> =>
      session?.refresh ? setCookie('', 0, headers) : {},

    /**
     * Rotates the token in the cookie; returns its session. Throws AUTH_FAILED, and REFRESH_CROSS_SITE unless a page of
     * this server sends the request.
     */
    async redeem(headers: Headers): Promise<SessionDocument> {
      if (!server.isSameOrigin(headers) || !headers['x-requested-with'])
        throw new AppError('REFRESH_CROSS_SITE')
      const token = await readToken(headers.cookie?.toString() ?? '')
      if (!token) throw new AppError('AUTH_FAILED')
      return rotate(token)
    },
  }
}
