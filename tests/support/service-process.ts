import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Test } from '../run/file-test.ts'
import { ADMIN, CHEAP_PASSWORDS, HIGH_RATES, NO_TITLES } from './server.ts'

/** A server in a process of its own. */
export interface ServiceProcess {
  url: string
  pid: number
  /** Sends a signal, by default SIGKILL, and waits for the end of the process. */
  kill(signal?: NodeJS.Signals): Promise<void>
}

const MAIN = fileURLToPath(new URL('../../kernel/cli/main.js', import.meta.url))

/** The file and arguments for `spawn` that run Node.js for a short time, which is faster without optimized code. */
export const nodeCommand = (args: readonly string[]): [file: string, args: readonly string[]] => [
  process.execPath,
  ['--no-opt', ...args],
]

/**
 * Runs `svc serve` on a home and waits until it listens; it is killed when the test ends, and its log is printed if the
 * test failed. Under load it `runsLong`; with a `hostname`, which needs bubblewrap, it seems to run on another machine.
 */
export async function spawnService(
  t: Test,
  home: string,
  env: Record<string, string> = {},
  { runsLong = false, hostname }: { runsLong?: boolean; hostname?: string } = {},
): Promise<ServiceProcess> {
  const args = [MAIN, 'serve', '--json']
  const command = runsLong ? [process.execPath, ...args] : nodeCommand(args).flat()
  const elsewhere = ['bwrap', '--dev-bind', '/', '/', '--die-with-parent', '--unshare-uts', '--hostname']
  const [file, ...fileArgs] = hostname === undefined ? command : [...elsewhere, hostname, ...command]
  const child = spawn(file!, fileArgs, {
    env: {
      ...process.env,
      SVC_HOME: home,
      SVC_PORT: '0',
      SVC_ADMIN_PASSWORD: ADMIN.password,
      ...CHEAP_PASSWORDS,
      ...HIGH_RATES,
      ...NO_TITLES,
      SVC_LOG_LEVEL: 'info',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (text) => {
    log += text
  })
  const exited = once(child, 'exit')
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal)
    await exited
  }
  t.teardown(async () => {
    await kill()
    if (!t.passing()) process.stderr.write(`The log of server ${child.pid}:\n${log}`)
  })
  const { url, pid } = await Promise.race([
    readFirstLine(child),
    exited.then(([code]) => {
      throw new Error(`the server ended with ${code}: ${log}`)
    }),
  ])
  return { url, pid, kill }
}

async function readFirstLine({ stdout }: ChildProcess): Promise<{ url: string; pid: number }> {
  const lines = createInterface({ input: stdout! })
  const [line] = await once(lines, 'line')
  return JSON.parse(line)
}
