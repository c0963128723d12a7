import { Counter, collectDefaultMetrics, Gauge as PromGauge, Registry } from 'prom-client'
import type { Cradle, Gauge } from './manifest.ts'

/** The figures of the process, which all servers in it share; they cost nothing until somebody reads them. */
let processRegistry: Registry | undefined

function ensureProcessRegistry(): Registry {
  if (!processRegistry) {
    processRegistry = new Registry()
    collectDefaultMetrics({ register: processRegistry, prefix: 'svc_' })
  }
  return processRegistry
}

/** The media type of the text format of Prometheus. */
export const CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE

/** Writes the metrics in the text format of Prometheus. */
export async function writeMetrics(cradle: Cradle): Promise<string> {
  const momentary = new Registry()
  const figures = new Map<string, PromGauge | Counter>()
  for (const { name, help, labels = {}, value, is_counter } of await readGauges(cradle)) {
    const settings = { name, help, labelNames: Object.keys(labels), registers: [momentary] }
    const figure = figures.get(name) ?? (is_counter ? new Counter(settings) : new PromGauge(settings))
    figures.set(name, figure)
    if (figure instanceof Counter) figure.inc(labels, value)
    else figure.set(labels, value)
  }
  const { registry } = await cradle.counters
  return Registry.merge([registry, momentary, ensureProcessRegistry()]).metrics()
}

async function readGauges({ extensions, server, sockets, log }: Cradle): Promise<Gauge[]> {
  const { database, disk, plugins } = await server.health()
  const own: Gauge[] = [
    {
      name: 'svc_build_info',
      help: 'The version of the server',
      labels: { version: server.version },
      value: 1,
    },
    {
      name: 'svc_sockets_open',
      help: 'Open WebSockets and event streams',
      value: sockets.contexts().length,
    },
    { name: 'svc_database_up', help: '1 if the database answers', value: Number(database.ok) },
    {
      name: 'svc_database_ping_seconds',
      help: 'One round trip to the database',
      value: database.latency_ms === null ? Number.NaN : database.latency_ms / 1000,
    },
    {
      name: 'svc_disk_free_bytes',
      help: 'Free space of the file system with the home',
      value: disk.free_bytes ?? Number.NaN,
    },
    { name: 'svc_disk_low', help: '1 if the free space is low', value: Number(disk.low) },
    {
      name: 'svc_log_lines_dropped',
      help: 'Lines of the log that could not be written since the start',
      value: server.droppedLogLines(),
    },
    ...Object.entries(plugins).map(([plugin, state]) => ({
      name: 'svc_plugin_up',
      help: '1 if the plugin is ok, 0 if it is degraded or has failed',
      labels: { plugin },
      value: Number(state === 'ok'),
    })),
  ]
  if (!database.ok) return own
  try {
    return [...own, ...(await extensions['metrics.gauges'].ask({})).flat()]
  } catch (error) {
    // The other figures are needed all the more during an outage.
    log.error({ error }, 'some figures could not be read')
    return own
  }
}
