import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { runProgram } from '../../kernel/cli/program.ts'
import { started } from '../run/costs.ts'
import { nodeCommand } from './node-command.ts'
import { CHEAP_PASSWORDS, createHome, HIGH_RATES, startServer, type TestServer } from './server.ts'

/** The program `svc`. */
export const CLI = fileURLToPath(new URL('../../kernel/cli/main.js', import.meta.url))

/** The plugins that come with the server, by the names of their folders. */
export const BUILT_IN_PLUGINS = readdirSync(fileURLToPath(new URL('../../plugins', import.meta.url)))

/** A configuration with every built-in plugin off, so that the kernel runs a test's own plugins alone. */
export function bareConfig(config: { plugins?: object } & Record<string, unknown> = {}) {
  const off = Object.fromEntries(BUILT_IN_PLUGINS.map((name) => [name, { enabled: false }]))
  return { ...config, plugins: { ...off, ...config.plugins } }
}

/** Starts a server with these plugins only. */
export function startKernel(
  t: Test,
  options: Parameters<typeof startServer>[1] & { config?: Parameters<typeof bareConfig>[0] } = {},
): Promise<TestServer> {
  return startServer(t, { ...options, config: bareConfig(options.config), signIn: false })
}

/** A plugin in plain JavaScript: what `setup` does with its `host`, and more fields of the manifest as text. */
export const pluginSource = (name: string, setup: string, manifest = '') => `
export default {
  kernel: 1,
  name: '${name}',
  summary: 'The ${name} of a test',
  ${manifest}
  setup(host) { ${setup} },
}
`

/** The declaration of a tool in plain JavaScript. */
export const toolSource = (name: string) =>
  `host.extend('agents.tools', { name: '${name}', label: { en: 'Tool', zh: '工具' }, description: 'Does it.', input_schema: { type: 'object' },
     disableable: true, execute: () => 'done' })`

/** A public GET route in plain JavaScript that answers with the value of an expression. */
export const getRoute = (path: string, expression: string, more = '') =>
  `{ method: 'GET', path: '${path}', summary: 'Answer', guard: 'public', response: { 200: {} }, ${more}
     handler: async (request, cradle) => (${expression}) }`

/** The environment of a `svc` of its own: nothing of ours but the home, so that a developer's settings do not count. */
export function environment(home: string, more: Record<string, string>): NodeJS.ProcessEnv {
  const clean = Object.entries(process.env).filter(([name]) => !/^SVC_|_API_KEY$|^LC_ALL$|^LANG$/.test(name))
  return { ...Object.fromEntries(clean), SVC_HOME: home, ...CHEAP_PASSWORDS, ...HIGH_RATES, ...more }
}

/** How a command ended. */
export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs `svc` in this process, which costs a tenth, where the process is not what is tested. */
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
    /** That of another copy of this package. */
    program?: typeof runProgram
  } = {},
): Promise<CommandResult> {
  started.commands++
  const [stdout, stderr] = [createSink(), createSink()]
  const code = await program(args, {
    env: environment(home, env),
    stdin: Readable.from([input]) as NodeJS.ReadStream,
    stdout: stdout.stream,
    stderr: stderr.stream,
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

/** Counts what a process covers, which takes a third of its time, only where no other test covers it. */
const coverageOf = (isCovering: boolean) => (isCovering ? {} : { NODE_V8_COVERAGE: '' })

/** Runs `svc` in a process of its own to its end. */
export async function spawnCommand(
  home: string,
  args: readonly string[],
  {
    env = {},
    nodeArgs = [],
    isCovering = false,
  }: {
    env?: Record<string, string>
    nodeArgs?: string[]
    isCovering?: boolean
  } = {},
): Promise<CommandResult> {
  const child = spawn(...nodeCommand([...nodeArgs, CLI, ...args]), {
    env: { ...environment(home, env), ...coverageOf(isCovering) },
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

/** Runs `svc serve` until it listens (or ends); `ended` tells how it went. */
export async function spawnServer(
  t: Test,
  home: string,
  args: string[] = [],
  {
    env = {},
    nodeArgs = [],
    isCovering = false,
  }: { env?: Record<string, string>; nodeArgs?: string[]; isCovering?: boolean } = {},
) {
  const child = spawn(...nodeCommand([...nodeArgs, CLI, 'serve', ...args]), {
    env: { ...environment(home, { SVC_PORT: '0', ...env }), ...coverageOf(isCovering) },
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
        const found = /http:\/\/[^\s"/]+/.exec(line)
        if (found) resolve(found[0])
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

/** An HTTP answer as it came over the wire. */
export interface RawReply {
  status: number
  headers: Record<string, string>
  text: string
}

/** Sends bytes as they are and reads until the server closes; what no HTTP client would send can be sent so. */
export async function sendRaw(url: string, request: string | Buffer): Promise<RawReply> {
  const { hostname, port } = new URL(url)
  const stream = connect(Number(port), hostname)
  let received = ''
  stream.setEncoding('utf8').on('data', (chunk) => {
    received += chunk
  })
  // The server may be done with a connection before it has read all that was sent.
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

/** The text of a request to one path that asks for the connection to be closed. */
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
