import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { Test } from 'tap'
import { type Dispatcher, request } from 'undici'
import type { Clock } from '../../kernel/clock.ts'
import { type Server, startServer as start } from '../../kernel/server.ts'
import { started } from '../run/costs.ts'
import { createHome } from './home.ts'
import { connectSocket, type TestSocket } from './socket.ts'
import { lendDatabase } from './test-engine.ts'

/** An answer as a client sees it. */
export interface TestReply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: what a body is, the test asserts
  body: any
  headers: Headers
}

/** A real server in this process, on a port of its own, with its own home and database. */
export interface TestServer {
  url: string
  home: string
  admin: { username: string; password: string; token: string }
  /** What was logged so far, as text. */
  logged(): string
  request(
    method: string,
    path: string,
    options?: { token?: string | null; body?: unknown; headers?: Record<string, string> },
  ): Promise<TestReply>
  login(username: string, password: string): Promise<string>
  createUser(user: {
    username: string
    role?: 'user' | 'admin'
    permissions?: string[]
  }): Promise<{ id: string; username: string; password: string; token: string }>
  connect(path: string, options?: { token?: string }): Promise<TestSocket>
  readonly server: Server
  readonly db: NonNullable<Server['runtime']['database']>['db']
  stop(): Promise<void>
  restart(): Promise<void>
}

export { createHome }

/** Makes hashing a password cost next to nothing. */
export const CHEAP_PASSWORDS = { SVC_PASSWORD_MEMORY_KIB: '8' }

/** Lets tests ask as fast as they can; those of the limits set their own in the configuration. */
export const HIGH_RATES = {
  SVC_LIMIT_REQUESTS_PER_MINUTE: '1000000',
  SVC_LIMIT_REQUESTS_BURST: '1000000',
  SVC_LIMIT_FRAMES_PER_SECOND: '1000000',
  SVC_LIMIT_FRAMES_BURST: '1000000',
}

export const ADMIN = { username: 'admin', password: 'correct-horse-1' }

/** Puts a plugin in plain JavaScript into a home, as an integrator would. */
export function installPlugin(home: string, name: string, source: string): void {
  const folder = join(home, 'plugins', name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', type: 'module' }))
  writeFileSync(join(folder, 'index.js'), source)
}

/**
 * Starts a server, signs its administrator in, and stops it when the test ends. On a home that it is given it
 * runs the embedded engine of that home; the home that it makes names a database on the engine of the test file,
 * so that commands and further servers on it find the same one.
 */
export async function startServer(
  t: Test,
  options: {
    home?: string
    config?: object
    env?: Record<string, string>
    plugins?: Record<string, string>
    pingIntervalMs?: number
    /** Answers 500 where a reply or a frame does not fit its schema; true unless told otherwise. */
    strictReplies?: boolean
    stepLimitMs?: { start: number; stop: number }
    /** A clock to move by hand; the system's where none is given. */
    clock?: Clock
    /** Sign the administrator in; false where there is no auth plugin. */
    signIn?: boolean
  } = {},
): Promise<TestServer> {
  const { config = {} } = options
  const isDatabaseChosen =
    options.home || process.env.SVC_TEST_DATABASE_URL || options.env?.SVC_DATABASE_URL || 'database' in config
  const lent = isDatabaseChosen ? undefined : await lendDatabase(t)
  const home = options.home ?? createHome(t, lent ? { ...config, database: { url: lent.url } } : config)
  for (const [name, source] of Object.entries(options.plugins ?? {})) installPlugin(home, name, source)
  const env = {
    SVC_PORT: '0',
    SVC_LOG_LEVEL: 'debug',
    SVC_ADMIN_PASSWORD: ADMIN.password,
    ...CHEAP_PASSWORDS,
    ...('limits' in config ? {} : HIGH_RATES),
    ...databaseEnvironment(home),
    ...options.env,
  }
  let log = ''
  const logTo = new Writable({
    write(chunk, _, done) {
      log += chunk
      done()
    },
  })
  const { clock, pingIntervalMs, strictReplies = true, stepLimitMs } = options
  const settings = { home, env, logTo, clock, strictReplies, pingIntervalMs, stepLimitMs }
  const begin = () => {
    started.servers++
    return start(settings)
  }
  let server = await begin().catch(async (error) => {
    await lent?.giveBack()
    throw error
  })
  t.teardown(() => server.stop())

  const test: TestServer = {
    get url() {
      return server.url
    },
    home,
    admin: { ...ADMIN, token: '' },
    logged: () => log,
    async request(method, path, { token = test.admin.token, body, headers = {} } = {}) {
      const form = body instanceof FormData ? new Response(body) : undefined
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
      // Half the price of `fetch`.
      const response = await request(`${server.url}/api${path}`, {
        method: method as Dispatcher.HttpMethod,
        headers: {
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(body === undefined
            ? {}
            : { 'content-type': form?.headers.get('content-type') ?? 'application/json' }),
          ...headers,
        },
        body: form ? Buffer.from(await form.arrayBuffer()) : text,
      })
      const answer = await response.body.text()
      const answered = new Headers(
        Object.entries(response.headers).flatMap(([name, value]) =>
          [value ?? []].flat().map((one): [string, string] => [name, one]),
        ),
      )
      const json = answered.get('content-type')?.startsWith('application/json')
      return { status: response.statusCode, body: json ? JSON.parse(answer) : answer, headers: answered }
    },
    async login(username, password) {
      const { status, body } = await test.request('POST', '/auth/login', {
        token: null,
        body: { username, password },
      })
      if (status !== 200) throw new Error(`login of ${username} answered ${status} ${JSON.stringify(body)}`)
      return body.access_token
    },
    async createUser({ username, role = 'user', permissions = [] }) {
      const password = `${username}-password-1`
      const { users } = server.runtime.cradleOf('users') as never as {
        users: { create(user: object): Promise<{ _id: string }> }
      }
      const { _id } = await users.create({ username, password, role, permissions, display_name: username })
      return { id: _id, username, password, token: await openSession(username) }
    },
    connect: (path, { token = test.admin.token } = {}) =>
      connectSocket(t, `${server.url.replace('http', 'ws')}/api${path}?token=${token}`),
    get server() {
      return server
    },
    get db() {
      return server.runtime.database!.db
    },
    stop: () => server.stop(),
    async restart() {
      await server.stop()
      server = await begin()
    },
  }
  /** Signs in without the request, which would cost more than a tenth of a start. */
  const openSession = async (username: string): Promise<string> => {
    const { users, logins } = server.runtime.cradleOf('auth')
    const user = await users.findByUsername(username)
    return (await logins.open(user!, { ip: '127.0.0.1', user_agent: null })).access_token
  }
  if (options.signIn ?? true) test.admin.token = await openSession(ADMIN.username)
  return test
}

/** Each home gets a database of its own on the server that the suite is pointed at; none where it is at none. */
export function databaseEnvironment(home: string): Record<string, string> {
  if (!process.env.SVC_TEST_DATABASE_URL) return {}
  const url = new URL(process.env.SVC_TEST_DATABASE_URL)
  url.pathname = `/${home.split('/').at(-1)}`
  return { SVC_DATABASE_URL: url.href }
}
