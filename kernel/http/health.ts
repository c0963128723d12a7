import type { Runtime } from '../runtime.ts'
import { rowOf } from '../schema.ts'
import { defineRoute, type Route, reply } from './route.ts'

const healthState = { title: 'HealthState', enum: ['ok', 'degraded', 'failed'] } as const

const healthSchema = {
  title: 'Health',
  ...rowOf({
    status: { ...healthState, description: '`failed` if the database does not answer' },
    version: { type: 'string', examples: ['0.1.0'] },
    started_at: { type: 'integer', description: 'Unix seconds' },
    plugins: {
      type: 'object',
      additionalProperties: healthState,
      description: 'The state of each plugin by name; empty if the database is unavailable',
      examples: [{ chat: 'ok', web: 'ok' }],
    },
    database: rowOf({
      ok: { type: 'boolean' },
      latency_ms: {
        type: ['number', 'null'],
        description: 'Milliseconds of one round trip; null if the database does not answer',
        examples: [0.42],
      },
    }),
  }),
} as const

/** The same reply while the database does not answer. */
const failedHealthSchema = {
  ...healthSchema,
  examples: [
    {
      status: 'failed',
      version: '0.1.0',
      started_at: 1_767_225_600,
      plugins: {},
      database: { ok: false, latency_ms: null },
    },
  ],
} as const

/** The time after which a database that does not answer counts as unavailable, in milliseconds. */
const PATIENCE_MS = 2000

/** The two public routes that tell whether the server is up. */
export function healthRoutes(runtime: Runtime): Route[] {
  const pluginStates = async () => {
    const states: Record<string, 'ok' | 'degraded' | 'failed'> = {}
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

  const getHealth = defineRoute({
    method: 'GET',
    path: '/health',
    operation_id: 'checkHealth',
    summary: 'Check the server, its plugins and its database',
    description:
      'Meant for load balancers and monitoring; it has no rate limit. `status` is `degraded`, still with 200, while a plugin has failed or has reported a fault. The reply is 503 with the same body if the database does not answer within two seconds.',
    guard: 'public',
    response: { 200: healthSchema, 503: failedHealthSchema },
  }).handle(async () => {
    const { version, started_at } = runtime.facts
    const database = await databaseState()
    const plugins = database.ok ? await pluginStates() : {}
    const isWhole = Object.values(plugins).every((state) => state === 'ok')
    const status = !database.ok ? ('failed' as const) : isWhole ? ('ok' as const) : ('degraded' as const)
    return reply(database.ok ? 200 : 503, { status, version, started_at, plugins, database })
  })

  const getLive = defineRoute({
    method: 'GET',
    path: '/health/live',
    operation_id: 'checkLiveness',
    summary: 'Check that the process runs',
    description:
      'Answers as long as the process handles requests, without asking the database or the plugins. Restart the process if it does not answer; use `GET /health` to decide whether to send requests to it.',
    guard: 'public',
    response: { 200: rowOf({ status: { const: 'ok' } }) },
  }).handle(() => ({ status: 'ok' as const }))

  return [getHealth, getLive]
}

function withPatience<Value>(promise: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS} ms`)), PATIENCE_MS)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
