// `node .ci/smoke.js [svc]`: starts a server on an empty home, has a first chat with it, and stops it. It is the built one,
// or an installed one; for other versions of Node.js, and for releases.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const MAIN = process.argv[2] ?? join(import.meta.dirname, '../dist/kernel/cli/main.js')
const home = mkdtempSync(join(tmpdir(), 'svc-smoke-'))
const env = { ...process.env, SVC_HOME: home, SVC_PORT: '0', SVC_LOG_LEVEL: 'warn' }

const server = spawn(process.execPath, [MAIN, 'serve', '--json'], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const ended = new Promise((resolve) => server.once('exit', resolve))
const watchdog = setTimeout(() => server.kill('SIGKILL'), 60_000)
try {
  const listening = new Promise((resolve) => createInterface({ input: server.stdout }).once('line', resolve))
  const line = await Promise.race([listening, ended])
  if (typeof line !== 'string') throw new Error(`the server ended with ${line}`)
  const { url } = JSON.parse(line)
  const health = await (await fetch(`${url}/api/health`)).json()
  if (health.status === 'failed') throw new Error(`the server is not well: ${JSON.stringify(health)}`)
  const chat = spawnSync(process.execPath, [MAIN, 'chat', '-m', 'hello'], {
    env,
    encoding: 'utf8',
    timeout: 30_000,
  })
  if (chat.status !== 0 || !/tokens in/.test(chat.stdout + chat.stderr))
    throw new Error(`svc chat ended with ${chat.status}: ${chat.stdout}${chat.stderr}`)
  server.kill('SIGTERM')
  const code = await ended
  if (code !== 0) throw new Error(`the server stopped with ${code}`)
  process.stdout.write(`Node.js ${process.versions.node} starts, chats and stops\n`)
} finally {
  clearTimeout(watchdog)
  server.kill('SIGKILL')
  rmSync(home, { recursive: true, force: true, maxRetries: 20 })
}
