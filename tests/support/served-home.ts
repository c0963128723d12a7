import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import type { Test } from '../run/file-test.ts'
import { CLI, createEnvironment } from './kernel.ts'
import { ADMIN } from './server.ts'
import { nodeCommand } from './service-process.ts'

/** Runs `svc serve` as a person does, and reads a line for each process that listens. */
export async function serveHome(t: Test, home: string, env: Record<string, string> = {}) {
  const [file, args] = nodeCommand([CLI, 'serve', '--json'])
  const child = spawn(file, args, {
    env: createEnvironment(home, {
      SVC_PORT: '0',
      SVC_ADMIN_PASSWORD: ADMIN.password,
      SVC_SUPERVISED: '0',
      ...env,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const starts: { url: string; pid: number }[] = []
  let log = ''
  createInterface({ input: child.stdout }).on('line', (line) => starts.push(JSON.parse(line)))
  child.stderr.on('data', (text) => {
    log += text
  })
  const ended = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGTERM')
    await ended
    if (!t.passing()) process.stderr.write(log)
  })
  const untilStarts = (count: number) =>
    eventually(`start ${count} of a server`, () => starts.length >= count)
  await untilStarts(1)
  return { child, starts, untilStarts, ended, log: () => log }
}
