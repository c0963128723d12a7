import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { runProgram } from '../../kernel/cli/program.ts'
import { startCounts } from '../run/costs.ts'
import type { Test } from '../run/file-test.ts'
import { listPluginFolders } from './plugin-folders.ts'
import { CHEAP_PASSWORDS, createHome, HIGH_RATES, NO_TITLES, startServer, type TestServer } from './server.ts'
import { nodeCommand } from './service-process.ts'

/** The path of the program `svc`. */
export const CLI = fileURLToPath(new URL('../../kernel/cli/main.js', import.meta.url))

/** The folder names of the plugins that come with the server. */
export const BUILT_IN_PLUGINS = listPluginFolders().map(({ name }) => name)

const COMMANDS = ['doctor', 'scaffold']

/** The built-in plugins that run with `bareConfig`; `api-docs` serves its documents even if it is off. */
export const KEPT_ON = ['api-docs', ...COMMANDS]

/**
 * Returns a configuration with every built-in plugin off, so that only the test's own plugins run, except for those
 * with the commands `svc doctor` and `svc plugins`.
 */
export function bareConfig(config: { plugins?: object } & Record<string, unknown> = {}) {
  const off = Object.fromEntries(
    BUILT_IN_PLUGINS.filter((name) => !COMMANDS.includes(name)).map((name) => [name, { enabled: false }]),
  )
  return { ...config, plugins: { ...off, ...config.plugins } }
}

/** Starts a server without the built-in plugins. */
export function startKernel(
  t: Test,
  options: Parameters<typeof startServer>[1] & { config?: Parameters<typeof bareConfig>[0] } = {},
): Promise<TestServer> {
  return startServer(t, { ...options, config: bareConfig(options.config), signIn: false })
}

/** The source of a plugin in plain JavaScript, from the body of `setup(host)` and more fields of its manifest. */
export const pluginSource = (name: string, setup: string, manifest = '') => `
export default {
  kernel: 1,
  name: '${name}',
  summary: 'The ${name} of a test',
  ${manifest}
  setup(host) { ${setup} },
}
`

/** The source of a tool declaration in plain JavaScript. */
export const toolSource = (name: string) =>
  `host.extend('agents.tools', { name: '${name}', label: { en: 'Tool', zh: '工具' }, description: 'Does it.', input_schema: { type: 'object' },
     disableable: true, execute: () => 'done' })`

/** The source of a public GET route that answers with the value of an expression. */
export const routeSource = (path: string, expression: string, more = '') =>
  `{ method: 'GET', path: '${path}', summary: 'Answer', guard: 'public', response: { 200: {} }, ${more}
     handler: async (request, cradle) => (${expression}) }`

/** Creates the environment of a `svc` process, without the developer's own settings and API keys. */
export function createEnvironment(home: string, more: Record<string, string>): NodeJS.ProcessEnv {
  const clean = Object.entries(process.env).filter(([name]) => !/^SVC_|_API_KEY$|^LC_ALL$|^LANG$/.test(name))
  return {
    ...Object.fromEntries(clean),
    SVC_HOME: home,
    ...CHEAP_PASSWORDS,
    ...HIGH_RATES,
    ...NO_TITLES,
    ...more,
  }
}

/** The exit code and the output of a command. */
export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs `svc` inside this process, which costs a tenth of a process of its own. */
export async function runCommand(
  home: string,
  args: readonly string[],
  {
    env = {},
    input = '',
    program = runProgram,
  }: {
    env?: Record<string, string>
    input?: string
    /** The program of another copy of this package. */
    program?: typeof runProgram
  } = {},
): Promise<CommandResult> {
  startCounts.commands++
  const [stdout, stderr] = [createSink(), createSink()]
  const code = await program(args, {
    env: createEnvironment(home, env),
    stdin: Readable.from([input]) as NodeJS.ReadStream,
    stdout: stdout.stream,
    stderr: stderr.stream,
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

/** Turns coverage off, which takes a third of a process's time, unless no other test covers the same code. */
const coverageEnvironment = (measuresCoverage: boolean) => (measuresCoverage ? {} : { NODE_V8_COVERAGE: '' })

/** Runs `svc` in a process of its own and waits for its end. */
export async function spawnCommand(
  home: string,
  args: readonly string[],
  {
    env = {},
    nodeArgs = [],
    measuresCoverage = false,
  }: {
    env?: Record<string, string>
    nodeArgs?: string[]
    measuresCoverage?: boolean
  } = {},
): Promise<CommandResult> {
  const child = spawn(...nodeCommand([...nodeArgs, CLI, ...args]), {
    env: { ...createEnvironment(home, env), ...coverageEnvironment(measuresCoverage) },
  })
  const output = collect(child)
  const [code] = await once(child, 'close')
  return { code, ...output() }
}

function createSink() {
  let text = ''
  const stream = new Writable({
    write(chunk, _, done) {
      text += chunk
      done()
    },
  })
  return { stream: stream as NodeJS.WriteStream, text: () => text }
}

/** Starts `svc serve` in a process of its own and waits until it listens; `ended` resolves with its result. */
export async function spawnServer(
  t: Test,
  home: string,
  args: string[] = [],
  {
    env = {},
    nodeArgs = [],
    measuresCoverage = false,
  }: { env?: Record<string, string>; nodeArgs?: string[]; measuresCoverage?: boolean } = {},
) {
  const child = spawn(...nodeCommand([...nodeArgs, CLI, 'serve', ...args]), {
    env: { ...createEnvironment(home, { SVC_PORT: '0', ...env }), ...coverageEnvironment(measuresCoverage) },
  })
  t.teardown(() => child.kill('SIGKILL'))
  const output = collect(child)
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...output() }))
  const url = await Promise.race([
    ended.then(({ stderr }) => {
      throw new Error(`svc serve ended: ${stderr}`)
    }),
    new Promise<string>((resolve) => {
      createInterface(child.stdout).on('line', (line) => {
        const address = /http:\/\/[^\s"/]+/.exec(line)
        if (address) resolve(address[0])
      })
    }),
  ])
  return { child, url, ended, output }
}

function collect(child: ChildProcessWithoutNullStreams) {
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  return () => ({ stdout, stderr })
}

/** An HTTP response, unparsed except for its head. */
interface RawReply {
  status: number
  headers: Record<string, string>
  text: string
}

/** Sends raw bytes, valid HTTP or not, and reads the response until the server closes the connection. */
export async function sendRaw(url: string, request: string | Buffer): Promise<RawReply> {
  const { hostname, port } = new URL(url)
  const stream = connect(Number(port), hostname)
  let received = ''
  stream.setEncoding('utf8').on('data', (chunk) => {
    received += chunk
  })
  // The server may close a connection before it has read the whole request.
  stream.on('error', (error) => stream.destroy(received ? undefined : error))
  stream.write(request)
  await once(stream, 'close')
  return parseReply(received)
}

function parseReply(received: string): RawReply {
  const end = received.indexOf('\r\n\r\n')
  const [start = '', ...lines] = received.slice(0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
  return { status: Number(start.split(' ')[1]), headers, text: received.slice(end + 4) }
}

/** The text of an HTTP request with `Connection: close`. */
export const rawRequest = (
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): string =>
  [
    `${method} ${path} HTTP/1.1`,
    ...Object.entries({ Host: 'localhost', Connection: 'close', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    '',
    body,
  ].join('\r\n')

export { createHome }
