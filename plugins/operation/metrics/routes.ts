import { route } from './manifest.ts'

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
