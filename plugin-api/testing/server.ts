import { randomUUID } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { type Dispatcher, request } from 'undici'
import { type Server, startServer } from '#kernel/server'
import { openSocket } from './socket.ts'
import type { TestSocket } from './test-socket.ts'

/** An answer as a client sees it. */
export interface TestReply {
  status: number
  /** Parsed if it is JSON, else text. */
  // biome-ignore lint/suspicious/noExplicitAny: what a body is, the test asserts
  body: any
  headers: Headers
}

/** An account that a test made, signed in. */
export interface TestUser {
  id: string
  username: string
  password: string
  token: string
}

/** A real server in this process, on a port of its own, with its own home and database. */
export interface TestServer {
  readonly url: string
  readonly home: string
  readonly admin: { username: string; password: string; token: string }
  /** Returns what was logged so far, as text. */
  logged(): string
  /** Calls the API below `/api`, as the administrator unless another token, or null, is given. */
  request(
    method: string,
    path: string,
    body?: unknown,
    options?: { token?: string | null; headers?: Record<string, string> },
  ): Promise<TestReply>
  /** Opens a socket below `/api`, as the administrator unless another token is given. */
  connect(path: string, options?: { token?: string }): Promise<TestSocket>
  /** Uploads a file to a new agent; returns the pages of its text as agents read it. */
  readDocument(filename: string, content: string | Uint8Array): Promise<{ page: number; text: string }[]>
  /** Makes an account and signs it in. */
  createUser(user: { username: string; role?: 'user' | 'admin'; permissions?: string[] }): Promise<TestUser>
}

/** The same with what the kit itself and the tests of this repository need. */
export interface RunningServer extends TestServer {
  readonly server: Server
  /** Uploads a file to a new agent, and requests its text as agents read it. */
  requestDocument(filename: string, content: string | Uint8Array): Promise<TestReply>
  signIn(username: string): Promise<string>
  stop(): Promise<void>
  restart(): Promise<void>
  /** Stops the server and removes the home that was made for it. */
  close(): Promise<void>
}

/** Makes hashing a password cost next to nothing. */
export const CHEAP_PASSWORDS = { SVC_PASSWORD_MEMORY_KIB: '8' }

/** Lets tests ask as fast as they can. */
export const HIGH_RATES = {
  SVC_LIMIT_REQUESTS_PER_MINUTE: '1000000',
  SVC_LIMIT_REQUESTS_BURST: '1000000',
  SVC_LIMIT_FRAMES_PER_SECOND: '1000000',
  SVC_LIMIT_FRAMES_BURST: '1000000',
}

/** Keeps the model from being asked for more than a test asks for. */
export const NO_TITLES = { SVC_TITLE_MODEL: 'off' }

/** The administrator of every test server. */
export const ADMIN = { username: 'admin', password: 'correct-horse-1' }

/** Settings of a test server, as for `startServer`. It takes nothing from this process's environment. */
interface TestServerOptions
  extends Omit<Parameters<typeof startServer>[0], 'home' | 'env' | 'logTo' | 'flags'> {
  /** A home with its `config.json`; a new one with this `config` if none is given. */
  home?: string
  config?: Record<string, unknown>
  env?: Record<string, string>
  /** Signs the administrator in; false if there is no auth plugin. */
  signIn?: boolean
  /** Called before each start. */
  onStart?(): void
}

/** Starts a server and signs its administrator in. */
export async function startTestServer({
  home: givenHome,
  config = {},
  env = {},
  signIn = true,
  onStart,
  strictReplies = true,
  ...settings
}: TestServerOptions = {}): Promise<RunningServer> {
  const home = givenHome ?? mkdtempSync(join(tmpdir(), 'svc-test-'))
  if (!givenHome) writeFileSync(join(home, 'config.json'), JSON.stringify(config))
  let log = ''
  const logTo = new Writable({
    write(chunk, _, done) {
      log += chunk
      done()
    },
  })
  const options = {
    ...settings,
    home,
    env: {
      SVC_PORT: '0',
      SVC_LOG_LEVEL: 'debug',
      SVC_ADMIN_PASSWORD: ADMIN.password,
      ...CHEAP_PASSWORDS,
      ...NO_TITLES,
      ...('limits' in config ? {} : HIGH_RATES),
      ...env,
    },
    logTo,
    strictReplies,
  }
  const begin = () => {
    onStart?.()
    return startServer(options)
  }
  // The engine may write while its home is removed: what is new is looked for again.
  const removeHome = async () => {
    if (!givenHome) await rm(home, { recursive: true, force: true, maxRetries: 20 })
  }
  let server = await begin().catch(async (error) => {
    await removeHome()
    throw error
  })

  const test: RunningServer = {
    get url() {
      return server.url
    },
    home,
    admin: { ...ADMIN, token: '' },
    logged: () => log,
    async request(method, path, body, { token = test.admin.token, headers = {} } = {}) {
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
    connect: (path, { token = test.admin.token } = {}) =>
      openSocket(`${server.url.replace('http', 'ws')}/api${path}?token=${token}`),
    async requestDocument(filename, content) {
      const { body: agent } = await test.request('POST', '/agents', {
        name: `reader-${randomUUID().slice(0, 8)}`,
      })
      const form = new FormData()
      form.set('file', new File([content as string], filename))
      const { body: stored } = await test.request('POST', `/agents/${agent.id}/upload`, form)
      const path = encodeURIComponent(stored.path)
      return test.request('GET', `/agents/${agent.id}/files/document?path=${path}`)
    },
    async readDocument(filename, content) {
      const { status, body } = await test.requestDocument(filename, content)
      if (status !== 200) throw new Error(`${filename} was not read: ${JSON.stringify(body)}`)
      return body.pages
    },
    async createUser({ username, role = 'user', permissions = [] }) {
      const password = `${username}-password-1`
      const { users } = server.runtime.cradleOf('users') as never as {
        users: { create(user: object): Promise<{ _id: string }> }
      }
      const { _id } = await users.create({ username, password, role, permissions, display_name: username })
      return { id: _id, username, password, token: await test.signIn(username) }
    },
    /** Without the request, which would cost more than a tenth of a start. */
    async signIn(username) {
      const { users, logins } = server.runtime.cradleOf('auth')
      const user = await users.findByUsername(username)
      return (await logins.open(user!, { ip: '127.0.0.1', user_agent: null }, 'password')).access_token
    },
    get server() {
      return server
    },
    stop: () => server.stop(),
    async restart() {
      await server.stop()
      server = await begin()
    },
    async close() {
      await server.stop()
      await removeHome()
    },
  }
  try {
    if (signIn) test.admin.token = await test.signIn(ADMIN.username)
    return test
  } catch (error) {
    await test.close()
    throw error
  }
}
