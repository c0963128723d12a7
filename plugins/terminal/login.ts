import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Api, RefusedError } from './api.ts'
import type { StoredToken } from './token-store.ts'

const TRIES = 3

/** Asks without echo; nothing when the person leaves. */
export type AskSecret = (label: string) => Promise<string | undefined>

/**
 * Makes the function that logs a user in: with `SVC_PASSWORD`, with the password that a first start left in the
 * home of a local server, or with one that is asked for. It throws the server's refusal.
 */
export const createLogin = ({
  api,
  env,
  home,
  local,
  askSecret,
  say,
}: {
  api: Api
  env: NodeJS.ProcessEnv
  home: string
  local: boolean
  askSecret: AskSecret | undefined
  say(text: string): void
}) => {
  const administrator = env.SVC_ADMIN_USERNAME || 'admin'

  const enter = async (username: string, password: string): Promise<StoredToken> => {
    const { data } = await api({ method: 'POST', path: '/auth/login', body: { username, password } })
    return { username, access_token: (data as { access_token: string }).access_token }
  }

  const enterFirst = async (username: string) => {
    if (!local || username !== administrator) return undefined
    const password = await readInitialPassword(home)
    if (!password) return undefined
    return enter(username, password).catch((error: unknown) => {
      // The file may be another server's; then the person is asked.
      if (error instanceof RefusedError && error.status === 401) return undefined
      throw error
    })
  }

  return async (name: string | undefined): Promise<StoredToken> => {
    const username = name ?? administrator
    if (env.SVC_PASSWORD) return enter(username, env.SVC_PASSWORD)
    const first = await enterFirst(username)
    if (first) return first
    // Nobody should be asked for a password that no server is there to take.
    await api({ method: 'GET', path: '/health/live' })
    if (!askSecret)
      throw new Error(`Set SVC_PASSWORD to the password of ${username}; here it cannot be asked for.`)
    for (let tries = 1; ; tries++) {
      const password = await askSecret(`Password of ${username}: `)
      if (password === undefined) throw new Error('Not logged in.')
      try {
        return await enter(username, password)
      } catch (error) {
        if (!(error instanceof RefusedError) || error.status !== 401 || tries === TRIES) throw error
        say(error.message)
      }
    }
  }
}

async function readInitialPassword(home: string): Promise<string | undefined> {
  try {
    return (await readFile(join(home, 'initial-admin-password'), 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
