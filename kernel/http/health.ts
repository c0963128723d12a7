import { defineRoute, type Route, reply } from '../contract/route.ts'
import { nullable, rowOf } from '../schema.ts'

const healthState = { title: 'HealthState', enum: ['ok', 'degraded', 'failed'] } as const

const healthSchema = {
  title: 'Health',
  ...rowOf({
    status: { ...healthState, description: '`failed` if the database does not answer' },
    version: { type: 'string', examples: ['0.1.0'] },
    commit: {
      ...nullable({ type: 'string' }),
      description: 'The commit that was built; null if it is not known',
      examples: ['1afde9ab'],
    },
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
    disk: rowOf({
      free_bytes: {
        type: ['integer', 'null'],
        description: 'Free bytes of the file system with the home; null if it has no size',
        examples: [52_428_800_000],
      },
      low: { type: 'boolean', description: 'True below `disk.warn_below`' },
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
      commit: '1afde9ab',
      started_at: 1_767_225_600,
      plugins: {},
      database: { ok: false, latency_ms: null },
      disk: { free_bytes: 52_428_800_000, low: false },
    },
  ],
} as const

const getHealth = defineRoute({
  method: 'GET',
  path: '/health',
  operation_id: 'checkHealth',
  summary: 'Check the server, its plugins and its database',
  description:
    'Meant for load balancers and monitoring; it has no rate limit. `status` is `degraded`, still with 200, while a plugin has failed or has reported a fault, or the disk is almost full. The reply is 503 with the same body if the database does not answer within two seconds.',
  guard: 'public',
  response: { 200: healthSchema, 503: failedHealthSchema },
}).handle(async (_, { server }) => {
  const { version, commit, started_at } = server
  const report = await server.health()
  return reply(report.database.ok ? 200 : 503, { ...report, version, commit, started_at })
})

const getReady = defineRoute({
  method: 'GET',
  path: '/health/ready',
  operation_id: 'checkReadiness',
  summary: 'Check that the server can answer requests',
  description:
    'The answer of `GET /health` in one word, for probes: 200 while the database answers, 503 otherwise and while the server stops.',
  guard: 'public',
  response: { 200: rowOf({ status: { const: 'ok' } }), 503: rowOf({ status: { const: 'failed' } }) },
}).handle(async (_, { server }) => {
  const { database } = await server.health()
  return database.ok ? reply(200, { status: 'ok' as const }) : reply(503, { status: 'failed' as const })
})

const getLive = defineRoute({
  method: 'GET',
  path: '/health/live',
  operation_id: 'checkLiveness',
  summary: 'Check that the process runs',
  description:
    'Answers as long as the process handles requests, without asking the database or the plugins. Restart the process if it does not answer; use `GET /health/ready` to decide whether to send requests to it.',
  guard: 'public',
  response: { 200: rowOf({ status: { const: 'ok' } }) },
}).handle(() => ({ status: 'ok' as const }))

/** The routes of the kernel itself, which are public and tell whether the server is up. */
export const kernelRoutes: readonly Route[] = [getHealth, getReady, getLive]
