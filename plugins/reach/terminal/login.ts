import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Api, isRefusal } from './api.ts'
import { type AskSecret, askCode, setUpApp } from './app-setup.ts'
import type { StoredToken } from './token-store.ts'

const MAX_ATTEMPTS = 3

/** The subset of the reply to a login that is used here. */
interface LoginReply {
  access_token: string
  /** `required_actions` must be completed before the session can be used. */
  user: { required_actions?: string[] }
}

/** The refusals that ask for a code, or for another one. */
const CODE_REFUSALS = ['TOTP_REQUIRED', 'TOTP_INVALID']

/**
 * Creates the function that logs a user in: with `SVC_PASSWORD`, with the password that the first start of a local
 * server wrote to its home folder, or with a password that the person types; it asks for a code if the account has a
 * second factor, and sets one up if the server requires it. It throws the server's refusal.
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

  /** Completes the required actions of the session; before that, its token is refused. */
  const complete = async (username: string, token: string, [action, ...more]: string[] = []) => {
    if (action === undefined) return
    if (action !== 'set_up_totp' || more.length > 0 || !askSecret)
      throw new Error(
        `${username} needs more than a password to sign in: use the console, or run svc chat in a terminal.`,
      )
    await setUpApp({ api, token, username, askSecret, say })
  }

  const submit = async (username: string, password: string): Promise<StoredToken> => {
    let code: string | undefined
    for (let attempt = 0; ; attempt++)
      try {
        const body = { username, password, ...(code !== undefined && { code }) }
        const { data } = await api({ method: 'POST', path: '/auth/login', body })
        const { access_token, user } = data as LoginReply
        await complete(username, access_token, user.required_actions)
        return { username, access_token }
      } catch (error) {
        if (!isRefusal(error, ...CODE_REFUSALS) || !askSecret || attempt === MAX_ATTEMPTS) throw error
        say(error.message)
        code = await askCode(askSecret, username)
      }
  }

  const submitInitial = async (username: string) => {
    if (!local || username !== administrator) return undefined
    const password = await readInitialPassword(home)
    if (!password) return undefined
    return submit(username, password).catch((error: unknown) => {
      // The file may belong to another server; then the person is asked.
      if (isRefusal(error, 'AUTH_FAILED')) return undefined
      throw error
    })
  }

  return async (name: string | undefined): Promise<StoredToken> => {
    const username = name ?? administrator
    if (env.SVC_PASSWORD) return submit(username, env.SVC_PASSWORD)
    const initial = await submitInitial(username)
    if (initial) return initial
    // Fails if the server is unreachable, before a person types a password in vain.
    await api({ method: 'GET', path: '/health/live' })
    if (!askSecret)
      throw new Error(
        `Set SVC_PASSWORD to the password of ${username}: without a terminal, it cannot be typed.`,
      )
    for (let attempt = 1; ; attempt++) {
      const password = await askSecret(`Password of ${username}: `)
      if (password === undefined) throw new Error('Not signed in.')
      try {
        return await submit(username, password)
      } catch (error) {
        if (!isRefusal(error, 'AUTH_FAILED') || attempt === MAX_ATTEMPTS) throw error
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
