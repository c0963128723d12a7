import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Test } from '../run/file-test.ts'

const { error } = spawnSync('nats-server', ['--version'])

/** The reason to skip tests that need NATS, or false if it can be started. */
export const noNats: string | false = error ? `nats-server does not run here: ${error.message}` : false

/** A NATS server of a test, which asks for a user and a password. */
export interface NatsServer {
  url: string
  /** Ends its process. */
  stop(): Promise<void>
}

/** Starts a NATS server on a free port, or on this one, and stops it when the test ends. */
export async function startNats(t: Test, port = -1): Promise<NatsServer> {
  const child = spawn(
    'nats-server',
    ['-a', '127.0.0.1', '-p', `${port}`, '--user', 'svc', '--pass', 'drop of water'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill()
    await exited
  }
  t.teardown(stop)
  let address: string | undefined
  for await (const line of createInterface({ input: child.stderr })) {
    address ??= /client connections on (\S+)/.exec(line)?.[1]
    if (line.includes('Server is ready')) break
  }
  child.stderr.resume()
  if (!address) throw new Error('nats-server ended')
  return { url: `nats://svc:drop%20of%20water@${address}`, stop }
}
