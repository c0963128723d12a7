import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../kernel/clock.ts'
import type { Plugin } from '../../kernel/contract/plugin.ts'
import type { Server } from '../../kernel/server/server.ts'
import { type RunningServer, startTestServer, type TestReply } from '../../plugin-api/testing/server.ts'
import { startCounts } from '../run/costs.ts'
import type { Test } from '../run/file-test.ts'
import { createHome } from './home.ts'
import { connectSocket, type TestSocket } from './socket.ts'
import { acquireDatabase } from './test-engine.ts'

export {
  ADMIN,
  CHEAP_PASSWORDS,
  HIGH_RATES,
  NO_TITLES,
  type TestReply,
} from '../../plugin-api/testing/server.ts'

/** The testing kit's server with additions for the tests of this repository. */
export interface TestServer
  extends Pick<RunningServer, 'url' | 'home' | 'admin' | 'logged' | 'server' | 'stop' | 'restart'> {
  request(
    method: string,
    path: string,
    options?: { token?: string | null; body?: unknown; headers?: Record<string, string> },
  ): Promise<TestReply>
  /** Returns the body of a reply; throws unless the request succeeded. */
  call(method: string, path: string, body?: unknown, token?: string | null): Promise<TestReply['body']>
  login(username: string, password: string): Promise<string>
  createUser: RunningServer['createUser']
  connect(path: string, options?: { token?: string }): Promise<TestSocket>
  readonly db: NonNullable<Server['runtime']['database']>['db']
}

export { createHome }

/** Writes a plugin in plain JavaScript to a home, or a kind of channel or provider to the `parent` folder. */
export function installPlugin(home: string, name: string, source: string, parent = 'plugins'): void {
  const folder = join(home, parent, name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', type: 'module' }))
  writeFileSync(join(folder, 'index.js'), source)
}

/**
 * Starts a server, signs its administrator in, and stops it when the test ends. With `home`, it runs the embedded
 * engine of that home. Otherwise it creates a home whose configuration names a database on the engine of this process,
 * so that commands and further servers on that home use the same database.
 */
export async function startServer(
  t: Test,
  options: {
    home?: string
    config?: object
    env?: Record<string, string>
    plugins?: Record<string, string>
    /** Plugins passed to the server as objects. */
    given?: readonly Plugin[]
    pingIntervalMs?: number
    /** The time in which a client must take something of its reply. */
    stallMs?: number
    /** Answers 500 if a reply or a frame does not match its schema. Default: true. */
    strictReplies?: boolean
    stepLimitMs?: { start: number; stop: number }
    /** A clock that the test controls. Default: the system clock. */
    clock?: Clock
    /** False if the server runs without the auth plugin, so that nobody can sign in. Default: true. */
    signIn?: boolean
  } = {},
): Promise<TestServer> {
  const { config = {}, plugins = {}, given: pluginObjects, home: chosen, env, ...settings } = options
  const isDatabaseChosen =
    chosen || process.env.SVC_TEST_DATABASE_URL || env?.SVC_DATABASE_URL || 'database' in config
  const database = isDatabaseChosen ? undefined : await acquireDatabase(t)
  const home = chosen ?? createHome(t, database ? { ...config, database: { url: database.url } } : config)
  for (const [name, source] of Object.entries(plugins)) installPlugin(home, name, source)
  const kit = await startTestServer({
    ...settings,
    home,
    config: config as Record<string, unknown>,
    env: { ...databaseEnvironment(home), ...env },
    plugins: pluginObjects,
    onStart: () => void startCounts.servers++,
  }).catch(async (error) => {
    await database?.release()
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
    async call(method, path, body, token) {
      const reply = await test.request(method, path, { body, ...(token !== undefined && { token }) })
      if (reply.status >= 300)
        throw new Error(`${method} ${path} answered ${reply.status} ${JSON.stringify(reply.body)}`)
      return reply.body
    },
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

/** Returns the setting of a database for this home on the server of `SVC_TEST_DATABASE_URL`; nothing if it is unset. */
export function databaseEnvironment(home: string): Record<string, string> {
  if (!process.env.SVC_TEST_DATABASE_URL) return {}
  const url = new URL(process.env.SVC_TEST_DATABASE_URL)
  url.pathname = `/${home.split('/').at(-1)}`
  return { SVC_DATABASE_URL: url.href }
}

/** Reads all pages of a list. */
export async function readPages(
  server: Pick<TestServer, 'request'>,
  path: string,
  options: { token?: string } = {},
): Promise<TestReply[]> {
  const pages: TestReply[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const page: TestReply = await server.request('GET', next, options)
    if (page.status !== 200) throw new Error(`${next} answered ${page.status} ${JSON.stringify(page.body)}`)
    pages.push(page)
    next = parseNextPath(page, path)
  }
  return pages
}

/** Returns the path and query of the next page from the header Link; undefined after the last page. */
function parseNextPath({ headers }: TestReply, path: string): string | undefined {
  const link = headers.get('link')
  if (link === null) return undefined
  const [, query] = /^<(\?[^>]+)>; rel="next"$/.exec(link) ?? []
  if (query === undefined) throw new Error(`not a link to a next page: ${link}`)
  return path.split('?')[0] + query
}
