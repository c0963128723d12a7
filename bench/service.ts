import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** The benchmarks use one account for the load of thousands, so they lift its limits. */
const NO_LIMITS = Object.fromEntries(
  [
    'SOCKETS',
    'THREADS',
    'RUNNING_TURNS',
    'WAITING_TURNS',
    'REQUESTS_PER_MINUTE',
    'REQUESTS_BURST',
    'FRAMES_PER_SECOND',
    'FRAMES_BURST',
    'SIGN_INS_PER_ADDRESS',
  ].map((name) => [`SVC_LIMIT_${name}`, '1000000']),
)

/** A running service with its own process and home. */
export interface Service {
  url: string
  pid: number
  /** Milliseconds from spawning the process to the first healthy answer. */
  readyMs: number
  engine(): Promise<{ uri: string; pid: number }>
  /** At least the first 2,000 characters of the output of the process. */
  output(): string
  /** Ends the process and its database engine. */
  stop(): Promise<void>
}

/** The arguments of Node.js with which `npm start`, the image and the service of systemd run a server. */
const SERVER_ARGUMENTS = ['--max-semi-space-size=32']

const main = fileURLToPath(new URL('../kernel/cli/main.js', import.meta.url))
const readyTimeoutMs = 30_000
const stopTimeoutMs = 10_000

/** Starts the service on `home` and waits until it is healthy. `onSpawn` is called as soon as the process exists. */
export async function startService({
  home,
  password,
  nodeArguments = [],
  env = {},
  onSpawn,
}: {
  home: string
  password: string
  nodeArguments?: string[]
  /** Additional variables of the environment. */
  env?: Record<string, string> | undefined
  onSpawn(child: ChildProcess): void
}): Promise<Service> {
  const serverFile = join(home, 'server.json')
  await rm(serverFile, { force: true })
  // Settings and API keys in the caller's environment must not affect the measured service.
  const inherited = Object.entries(process.env).filter(([name]) => !/^(SVC|OPENAI|ANTHROPIC)_/.test(name))
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...SERVER_ARGUMENTS, ...nodeArguments, main, 'serve'], {
    env: {
      ...Object.fromEntries(inherited),
      SVC_HOME: home,
      SVC_PORT: '0',
      SVC_ADMIN_PASSWORD: password,
      SVC_LOG_LEVEL: 'warn',
      SVC_ALLOW_HOSTS: '127.0.0.1',
      ...NO_LIMITS,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onSpawn(child)
  let output = ''
  let beginning = ''
  const keep = (text: string) => {
    output = (output + text).slice(-2000)
    if (beginning.length < 2000) beginning += text
  }
  child.stdout.setEncoding('utf8').on('data', keep)
  child.stderr.setEncoding('utf8').on('data', keep)

  let server: { url: string; pid: number } | undefined
  while (!server || !(await isHealthy(server.url))) {
    if (hasEnded(child)) throw new Error(`the service ended before it was ready:\n${output.trim()}`)
    if (performance.now() - startedAt > readyTimeoutMs) {
      throw new Error(`the service was not ready within ${readyTimeoutMs / 1000} s:\n${output.trim()}`)
    }
    await sleep(2)
    server = await readJson(serverFile)
  }
  const readyMs = performance.now() - startedAt

  const engine = async () => {
    const running = await readJson<{ uri: string; pid: number }>(join(home, 'db', 'engine.json'))
    if (!running) throw new Error('the service runs no embedded database engine')
    return running
  }
  const { url, pid } = server
  return { url, pid, readyMs, engine, output: () => beginning, stop: () => stopService(child, home) }
}

/** Ends a service with SIGTERM, after ten seconds with SIGKILL, and then its engine if that is still running. */
export async function stopService(child: ChildProcess, home: string): Promise<void> {
  const engine = await readJson<{ pid: number }>(join(home, 'db', 'engine.json'))
  if (!hasEnded(child)) {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
    await exited
    clearTimeout(timer)
  }
  const deadline = performance.now() + stopTimeoutMs
  while (engine && (await servesHome(engine.pid, home))) {
    if (performance.now() > deadline) process.kill(engine.pid, 'SIGKILL')
    await sleep(5)
  }
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

/** True if the process still runs and serves this home: its id may have been reused. */
async function servesHome(pid: number, home: string): Promise<boolean> {
  return (await readIfExists(`/proc/${pid}/cmdline`))?.includes(home) ?? false
}

async function readJson<T>(path: string): Promise<T | undefined> {
  const text = await readIfExists(path)
  try {
    return text ? JSON.parse(text) : undefined
  } catch (error) {
    // The file was read while it was being written: the next read succeeds.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

const isHealthy = (url: string) =>
  new Promise<boolean>((resolve) => {
    get(`${url}/api/health`, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    }).on('error', () => resolve(false))
  })

/** The unit in which Linux reports processor time. */
const msPerTick = 10

/** Reads the processor time of a process in all of its threads, in milliseconds. */
export async function readCpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name, in parentheses, may contain spaces; user and system time are the 14th and 15th fields.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * msPerTick
}
