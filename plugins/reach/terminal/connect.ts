import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '#client'
import type { CommandInput } from '#plugin-api'
import { type Api, createApi, RefusedError } from './api.ts'
import type { AgentRow } from './frames.ts'
import type { createLogin } from './login.ts'
import { createService } from './service.ts'
import { createSession, type Session } from './session.ts'
import { createTokenStore, type TokenStore } from './token-store.ts'

/** The most agents that are suggested if the requested one does not exist. */
const MAX_SUGGESTED_AGENTS = 20

/** The option that chooses the server. */
export const URL_OPTION = {
  flags: '--url <url>',
  summary: 'address of the server (default: the one running here)',
}
/** The option that chooses the account. */
export const USERNAME_OPTION = { flags: '--username <name>', summary: 'account to sign in with' }

/** A server, and the account that is signed in there. */
export interface SignedInAccount {
  service: Client
  url: string
  session: Session
}

/** The parts from which the login of a command is made. */
interface LoginParts extends Pick<CommandInput, 'env' | 'home'> {
  api: Api
  url: string
  local: boolean
  store: TokenStore
}

/** Returns the text of an option; undefined if it is missing. */
export const readText = ({ options }: Pick<CommandInput, 'options'>, name: string): string | undefined =>
  typeof options[name] === 'string' ? options[name] : undefined

/** Opens the session of a command; the API key in the environment replaces the login, asks nobody and stores nothing. */
export async function connect(
  { options, home, env }: Pick<CommandInput, 'options' | 'home' | 'env'>,
  signal: AbortSignal,
  loginWith: (parts: LoginParts) => ReturnType<typeof createLogin>,
): Promise<SignedInAccount> {
  const language = /^zh/i.test(env.LC_ALL || env.LC_MESSAGES || env.LANG || '') ? 'zh' : 'en'
  const { url, local } = await readAddress({ option: readText({ options }, 'url'), env, home })
  const api = createApi({ url, language, signal })
  const { SVC_API_KEY: access_token } = env
  const file = createTokenStore({ home, url })
  const isKept = !access_token && readText({ options }, 'user') === undefined
  const store = isKept ? file : { read: async () => undefined, write: async () => {} }
  const login = access_token
    ? async () => ({ username: '', access_token })
    : loginWith({ api, env, home, url, local, store })
  const session = createSession({ api, login, store, username: readText({ options }, 'username') })
  return { service: await createService({ url, language, session }), url, session }
}

/** Returns the agent with this name or id; otherwise throws an error that lists the names of the agents. */
export async function findAgent(session: Session, name: string): Promise<AgentRow> {
  try {
    return await session.request<AgentRow>({ method: 'GET', path: `/agents/${encodeURIComponent(name)}` })
  } catch (error) {
    if (!(error instanceof RefusedError) || error.status !== 404) throw error
    const { rows, next } = await session.readPage<AgentRow>(`/agents?limit=${MAX_SUGGESTED_AGENTS}`)
    const names = [...rows.map((agent) => agent.name), ...(next ? ['…'] : [])].join(', ')
    throw new Error(`Agent "${name}" does not exist.${names && ` You can talk to: ${names}.`}`, {
      cause: error,
    })
  }
}

/** The address of the server; `local` if it runs on this machine, so that it owns the files in the home folder. */
interface Address {
  url: string
  local: boolean
}

const FALLBACK = 'http://127.0.0.1:8088'
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '[::]'])

/** Finds the server: by the option, `SVC_URL`, the file that a running server wrote to its home, or the default. */
const readAddress = async ({
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
