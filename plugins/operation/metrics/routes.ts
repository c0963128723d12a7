import { createHash, timingSafeEqual } from 'node:crypto'
import type { Guard } from '#plugin-api'
import { type Cradle, route } from './manifest.ts'

const hash = (text: string) => createHash('sha256').update(text).digest()

/** Admits administrators, and the token of `plugins.metrics.token`, which belongs to no account. */
export const metricsReaderGuard: Guard<'metrics_reader', Cradle> = {
  after: 'admin',
  description: 'For administrators, and for the bearer token of `SVC_METRICS_TOKEN`.',
  bypass({ headers }, { config: { token } }) {
    const sentToken = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
    return token !== undefined && sentToken !== undefined && timingSafeEqual(hash(sentToken), hash(token))
  },
  check: () => ({}),
}

const getMetrics = route({
  method: 'GET',
  path: '/metrics',
  operation_id: 'getMetrics',
  summary: 'Get the metrics of this server process',
  description:
    'Text in the format of Prometheus. All names begin with `svc_`. Counters are those of this process since its start; figures of the database, such as waiting turns, are the same in all processes. Labels never contain ids or names of people.',
  guard: 'metrics_reader',
  stream: 'response',
  response: {
    200: { type: 'string', contentMediaType: 'text/plain', examples: ['svc_sockets_open 3\n'] },
  },
}).handle(async (_request, cradle) => {
  const { CONTENT_TYPE, writeMetrics } = await import('./exposition.ts')
  return new Response(await writeMetrics(cradle), { headers: { 'Content-Type': CONTENT_TYPE } })
})

/** The routes of this plugin. */
export const metricsRoutes = [getMetrics]
