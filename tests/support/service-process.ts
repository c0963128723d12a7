import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { nodeCommand } from './node-command.ts'
import { ADMIN, CHEAP_PASSWORDS, HIGH_RATES } from './server.ts'

/** A server in a process of its own. */
export interface ServiceProcess {
  url: string
  pid: number
  /** Ends it as `kill -9` does, or with another signal, and waits until it is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>
}

const main = fileURLToPath(new URL('../../kernel/cli/main.js', import.meta.url))

/** Runs `svc serve` on a home and waits until it listens; it is killed when the test ends. */
export async function spawnService(
  t: Test,
  home: string,
  env: Record<string, string> = {},
): Promise<ServiceProcess> {
  const child = spawn(...nodeCommand([main, 'serve', '--json']), {
    env: {
      ...process.env,
      SVC_HOME: home,
      SVC_PORT: '0',
      SVC_ADMIN_PASSWORD: ADMIN.password,
      ...CHEAP_PASSWORDS,
      ...HIGH_RATES,
      SVC_LOG_LEVEL: 'error',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  const exited = once(child, 'exit')
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal)
    await exited
  }
  t.teardown(() => kill())
  const { url, pid } = await Promise.race([
    firstLine(child),
    exited.then(([code]) => {
      throw new Error(`the server ended with ${code}: ${said}`)
    }),
  ])
  return { url, pid, kill }
}

async function firstLine({ stdout }: ChildProcess): Promise<{ url: string; pid: number }> {
  const lines = createInterface({ input: stdout! })
  const [line] = await once(lines, 'line')
  return JSON.parse(line)
}
