import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Api, RefusedError } from './api.ts'
import type { StoredToken } from './token-store.ts'

const MAX_ATTEMPTS = 3

/** Asks without echo; undefined if the person leaves. */
type AskSecret = (label: string) => Promise<string | undefined>

/** The refusals that ask for a code, or for another one. */
const CODE_REFUSALS = ['TOTP_REQUIRED', 'TOTP_INVALID']

const isRefusal = (error: unknown, ...codes: string[]): error is RefusedError =>
  error instanceof RefusedError && codes.includes(error.code)

/**
 * Creates the function that logs a user in: with `SVC_PASSWORD`, with the password that the first start of a local
 * server wrote to its home folder, or with a password that the person types; it asks for a code if the account has a
 * second factor. It throws the server's refusal.
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

  const submit = async (username: string, password: string): Promise<StoredToken> => {
    let code: string | undefined
    for (let attempt = 0; ; attempt++)
      try {
        const body = { username, password, ...(code !== undefined && { code }) }
        const { data } = await api({ method: 'POST', path: '/auth/login', body })
        return { username, access_token: (data as { access_token: string }).access_token }
      } catch (error) {
        if (!isRefusal(error, ...CODE_REFUSALS) || !askSecret || attempt === MAX_ATTEMPTS) throw error
        say(error.message)
        code = (await askSecret(`Code of ${username}: `))?.trim()
        if (!code) throw new Error('Not logged in.')
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
      if (password === undefined) throw new Error('Not logged in.')
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
