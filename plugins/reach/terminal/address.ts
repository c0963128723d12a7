import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The address of the server; `local` if it runs on this machine, so that it owns the files in the home folder. */
interface Address {
  url: string
  local: boolean
}

const FALLBACK = 'http://127.0.0.1:8088'
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '[::]'])

/** Finds the server: by the option, `SVC_URL`, the file that a running server wrote to its home, or the default. */
export const readAddress = async ({
  option,
  env,
  home,
}: {
  option: string | undefined
  env: NodeJS.ProcessEnv
  home: string
}): Promise<Address> => {
  const running = await readRunning(home)
  const text = option ?? env.SVC_URL ?? running ?? FALLBACK
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error(`"${text}" is not a server address. Expected something like ${FALLBACK}.`)
  const plain = (url.origin + url.pathname).replace(/\/+$/, '')
  return { url: plain, local: text === running || LOOPBACK.has(url.hostname) }
}

async function readRunning(home: string): Promise<string | undefined> {
  const text = await readFile(join(home, 'server.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : (JSON.parse(text) as { url?: string }).url
}
