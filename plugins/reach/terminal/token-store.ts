import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The login at one server. */
export interface StoredToken {
  username: string
  access_token: string
}

/** Stores the login of each server address in `cli-session.json` in the home folder, readable by its owner only. */
export const createTokenStore = ({ home, url }: { home: string; url: string }) => {
  const path = join(home, 'cli-session.json')

  const readAll = async (): Promise<Record<string, StoredToken>> => {
    try {
      return JSON.parse(await readFile(path, 'utf8'))
    } catch (error) {
      // A missing or damaged file only costs another login.
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return {}
      throw error
    }
  }

  return {
    /** Returns the login stored for this address, if there is one. */
    async read(): Promise<StoredToken | undefined> {
      return (await readAll())[url]
    },

    /** Replaces the login stored for this address. */
    async write(entry: StoredToken) {
      const all = { ...(await readAll()), [url]: entry }
      await mkdir(home, { recursive: true, mode: 0o700 })
      const draft = `${path}.${process.pid}`
      await writeFile(draft, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 })
      await rename(draft, path)
    },
  }
}

/** Stores the login of one server address. */
export type TokenStore = ReturnType<typeof createTokenStore>
