import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Account, createAccount } from './account.ts'
import { type Service, startService, stopService } from './service.ts'

/** A process beside the service. */
export interface Helper {
  url: string
  pid: number
}

/** Starts the processes that one figure needs, and ends all of them. */
export type Stage = ReturnType<typeof createStage>

/** Creates a stage whose upstream waits `firstTokenMs` before the first token. */
export function createStage({ firstTokenMs }: { firstTokenMs: number }) {
  const password = `bench-${randomUUID()}`
  const homes: string[] = []
  const helpers: ChildProcess[] = []
  const services: { child: ChildProcess; home: string }[] = []
  let upstream: Promise<Helper> | undefined
  let relay: Promise<Helper> | undefined

  async function startHelper(file: string, ...args: string[]): Promise<Helper> {
    const child = fork(new URL(file, import.meta.url), args)
    helpers.push(child)
    const [ready] = await Promise.race([once(child, 'message'), once(child, 'exit')])
    if (typeof ready?.url !== 'string') throw new Error(`${file} ended before it was ready`)
    return { url: ready.url, pid: child.pid! }
  }

  async function upstreamUrl(): Promise<string> {
    upstream ??= startHelper('./upstream.js', String(firstTokenMs))
    return (await upstream).url
  }

  return {
    /** Creates an empty home for a service. */
    async createHome(): Promise<string> {
      const home = await mkdtemp(join(tmpdir(), 'svc-bench-'))
      homes.push(home)
      return home
    },
    startService: (home: string, nodeArguments?: string[], env?: Record<string, string>): Promise<Service> =>
      startService({
        home,
        password,
        nodeArguments,
        env,
        onSpawn: (child) => services.push({ child, home }),
      }),
    /** Signs in to a service and activates the model of the fake upstream. */
    createAccount: async ({ url }: Service): Promise<Account> =>
      createAccount({ url, password, upstreamUrl: await upstreamUrl() }),
    /** Returns the relay with its WebSocket address, which is started by the first call. */
    relay(): Promise<Helper> {
      relay ??= upstreamUrl().then((url) => startHelper('./relay.js', url))
      return relay
    },
    /** Starts a relay that stores turns in the engine of a service. */
    startDurableRelay: async (service: Service): Promise<Helper> =>
      startHelper('./durable-relay.js', await upstreamUrl(), (await service.engine()).uri),
    /** Returns the base URL of the fake upstream, which is started by the first call. */
    upstreamUrl,
    /** Ends every running process and removes every home; may be called at any time and repeatedly. */
    async close() {
      await Promise.all(services.map(({ child, home }) => stopService(child, home)))
      for (const child of helpers) child.kill('SIGKILL')
      await Promise.all(homes.map((home) => rm(home, { recursive: true, force: true, maxRetries: 5 })))
    },
  }
}
