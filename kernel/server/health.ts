import type { HealthReport, SomeCradle } from '../contract/cradle.ts'
import type { Database } from '../database/database.ts'
import type { PlannedPlugin } from '../loading/consistency.ts'
import type { Logger } from '../log.ts'
import type { Storage } from './storage.ts'

/** The time after which a database that does not answer counts as unavailable, in milliseconds. */
const PATIENCE_MS = 2000

/** Creates the examination of a server: its disk, its database, and its plugins while the database answers. */
export function createHealth(runtime: {
  plugins: readonly PlannedPlugin[]
  failed: ReadonlyMap<string, string>
  faults: ReadonlyMap<string, number>
  database: Database | undefined
  storage: Storage
  log: Logger
  cradleOf(plugin: string): SomeCradle
}): () => Promise<HealthReport> {
  const pluginStates = async () => {
    const states: HealthReport['plugins'] = {}
    for (const name of runtime.faults.keys()) states[name] = 'degraded'
    for (const name of runtime.failed.keys()) states[name] = 'failed'
    await Promise.all(
      runtime.plugins.map(async ({ plugin: { name }, declarations: { health } }) => {
        states[name] ??= 'ok'
        try {
          for (const check of health) await check(runtime.cradleOf(name))
        } catch (error) {
          runtime.log.warn({ error, plugin: name }, 'plugin is not healthy')
          states[name] = 'failed'
        }
      }),
    )
    return states
  }

  const databaseState = async () => {
    try {
      const latency = await withPatience(runtime.database!.ping())
      return { ok: true, latency_ms: Math.round(latency * 100) / 100 }
    } catch (error) {
      runtime.log.warn({ error }, 'database is unavailable')
      return { ok: false, latency_ms: null }
    }
  }

  return async () => {
    const database = await databaseState()
    const plugins = database.ok ? await pluginStates() : {}
    const isWhole = Object.values(plugins).every((state) => state === 'ok')
    const disk = runtime.storage.state()
    const status = !database.ok ? 'failed' : isWhole && !disk.low ? 'ok' : 'degraded'
    return { status, database, plugins, disk }
  }
}

function withPatience<Value>(promise: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS} ms`)), PATIENCE_MS)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
