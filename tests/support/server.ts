import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Clock } from '../../kernel/clock.ts'
import type { Plugin } from '../../kernel/plugin.ts'
import type { Server } from '../../kernel/server.ts'
import { type RunningServer, startTestServer, type TestReply } from '../../plugin-api/testing/server.ts'
import { started } from '../run/costs.ts'
import { createHome } from './home.ts'
import { connectSocket, type TestSocket } from './socket.ts'
import { lendDatabase } from './test-engine.ts'

export { ADMIN, CHEAP_PASSWORDS, HIGH_RATES, type TestReply } from '../../plugin-api/testing/server.ts'

/** The kit's server with what the tests of this repository need besides. */
export interface TestServer
  extends Pick<RunningServer, 'url' | 'home' | 'admin' | 'logged' | 'server' | 'stop' | 'restart'> {
  request(
    method: string,
    path: string,
    options?: { token?: string | null; body?: unknown; headers?: Record<string, string> },
  ): Promise<TestReply>
  login(username: string, password: string): Promise<string>
  createUser: RunningServer['createUser']
  connect(path: string, options?: { token?: string }): Promise<TestSocket>
  readonly db: NonNullable<Server['runtime']['database']>['db']
}

export { createHome }

/** Puts a plugin in plain JavaScript into a home, as an integrator would, or a kind into the folder of its sort. */
export function installPlugin(home: string, name: string, source: string, parent = 'plugins'): void {
  const folder = join(home, parent, name)
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
    /** Plugins that are handed to the server as objects. */
    given?: readonly Plugin[]
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
  const { config = {}, plugins = {}, given, home: chosen, env, ...settings } = options
  const isDatabaseChosen =
    chosen || process.env.SVC_TEST_DATABASE_URL || env?.SVC_DATABASE_URL || 'database' in config
  const lent = isDatabaseChosen ? undefined : await lendDatabase(t)
  const home = chosen ?? createHome(t, lent ? { ...config, database: { url: lent.url } } : config)
  for (const [name, source] of Object.entries(plugins)) installPlugin(home, name, source)
  const kit = await startTestServer({
    ...settings,
    home,
    config: config as Record<string, unknown>,
    env: { ...databaseEnvironment(home), ...env },
    plugins: given,
    onStart: () => void started.servers++,
  }).catch(async (error) => {
    await lent?.giveBack()
    throw error
  })
  t.teardown(() => kit.stop())
  const { admin, logged, createUser, stop, restart } = kit
  const test: TestServer = {
    get url() {
      return kit.url
    },
    get server() {
      return kit.server
    },
    get db() {
      return kit.server.runtime.database!.db
    },
    home,
    admin,
    logged,
    createUser,
    stop,
    restart,
    request: (method, path, { body, ...options } = {}) => kit.request(method, path, body, options),
    async login(username, password) {
      const { status, body } = await test.request('POST', '/auth/login', {
        token: null,
        body: { username, password },
      })
      if (status !== 200) throw new Error(`login of ${username} answered ${status} ${JSON.stringify(body)}`)
      return body.access_token
    },
    connect: (path, { token = admin.token } = {}) =>
      connectSocket(t, `${kit.url.replace('http', 'ws')}/api${path}?token=${token}`),
  }
  return test
}

/** Each home gets a database of its own on the server that the suite is pointed at; none where it is at none. */
export function databaseEnvironment(home: string): Record<string, string> {
  if (!process.env.SVC_TEST_DATABASE_URL) return {}
  const url = new URL(process.env.SVC_TEST_DATABASE_URL)
  url.pathname = `/${home.split('/').at(-1)}`
  return { SVC_DATABASE_URL: url.href }
}
