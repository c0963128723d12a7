import { randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '#plugin-api'
import { userErrors } from './errors.ts'
import type { Cradle } from './manifest.ts'

const TOO_WEAK = userErrors.PASSWORD_TOO_WEAK.message.en

/** Creates an administrator if none exists. Several servers that start on one database create one together. */
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
    // Lost the race: another server created the account. Keep the file only if it holds that account's password.
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

/** Opens the file that holds the generated password of the first administrator until that password is changed. */
export function createInitialPassword({ home }: { home: string }) {
  const path = join(home, 'initial-admin-password')

  const read = async (): Promise<string | undefined> => {
    try {
      return (await readFile(path, 'utf8')).trim()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  return {
    path,
    read,
    /** Writes the file (mode 0600) atomically unless it exists; returns the password in the file. */
    async keep(password: string): Promise<string> {
      const draft = `${path}.${randomUUID()}`
      await writeFile(draft, `${password}\n`, { mode: 0o600 })
      try {
        await link(draft, path)
      } catch (error) {
        // Another server wrote it first, or an earlier start that crashed before it created the account.
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      } finally {
        await rm(draft)
      }
      return (await read()) ?? password
    },
    remove: () => rm(path, { force: true }),
  }
}
