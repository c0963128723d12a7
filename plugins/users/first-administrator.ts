import { AppError } from '#kernel'
import { userErrors } from './errors.ts'
import { createInitialPassword } from './initial-password.ts'
import type { Cradle } from './manifest.ts'

const TOO_WEAK = userErrors.PASSWORD_TOO_WEAK!.message.en

/** Makes an administrator where there is none yet, also when several servers start on one database. */
export async function ensureAdministrator(
  { users, config, server }: Cradle,
  announce: (label: string, text: string) => void,
): Promise<void> {
  if (await users.haveAdministrator()) return
  const { admin_username: username, admin_password: configured } = config
  const initialPassword = createInitialPassword(server)
  const password = configured ?? (await initialPassword.keep(users.makePassword()))
  try {
    await users.create({ username, password, role: 'admin' })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'PASSWORD_TOO_WEAK')
      throw new Error(`plugins.users.admin_password (SVC_ADMIN_PASSWORD) is too weak. ${TOO_WEAK}`, {
        cause: error,
      })
    if (error.code !== 'USERNAME_TAKEN') throw error
    // Another server was faster; the file stays only if that server took the password from it.
    if (!configured && !(await users.authenticate(username, password))) await initialPassword.remove()
    return
  }
  announce(
    'administrator',
    configured
      ? `${username}, with the password from the configuration`
      : `${username}, password ${password} (kept in ${initialPassword.path} until it is changed)`,
  )
}
