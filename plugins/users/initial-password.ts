import { randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The file that holds the first administrator's generated password until it is changed. */
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
    /** Writes the file (0600) unless it is there, whole or not at all; gives the password that it holds. */
    async keep(password: string): Promise<string> {
      const draft = `${path}.${randomUUID()}`
      await writeFile(draft, `${password}\n`, { mode: 0o600 })
      try {
        await link(draft, path)
      } catch (error) {
        // A server beside this one, or one that was cut off before it made the account, wrote it first.
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      } finally {
        await rm(draft)
      }
      return (await read()) ?? password
    },
    remove: () => rm(path, { force: true }),
  }
}
