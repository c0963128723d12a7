import { createHash, randomBytes } from 'node:crypto'
import type { Attributes, SpanKind } from '@opentelemetry/api'
import type { Cradle } from './manifest.ts'

/** Something that has happened, as a span. */
export interface Span {
  name: string
  kind: keyof typeof SpanKind
  started_ms: number
  ended_ms: number
  is_error: boolean
  attributes: Attributes
  /** The ids of the span itself, if it has children that know them. */
  self?: SpanIds
  parent?: SpanIds
}

/** The ids of a span, in hexadecimal. */
export interface SpanIds {
  traceId: string
  spanId: string
}

/** Sends spans to a collector, in batches and in the background. */
export type SpanExporter = Awaited<ReturnType<typeof openExporter>>

/** The time for which a collector that does not answer may delay a stop, in milliseconds. */
const PATIENCE_MS = 3000

/** Returns the ids of the span of a turn, which follow from its id: its calls may be made in several processes. */
export function turnSpanIds(turn_id: string): SpanIds {
  const digest = createHash('sha256').update(turn_id).digest('hex')
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) }
}

/** Reads the header of W3C Trace Context; undefined unless it is valid and sampled. */
export function parseTraceparent(header: string | undefined): SpanIds | undefined {
  const [, traceId, spanId, flags] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(header ?? '') ?? []
  if (!traceId || !spanId || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return Number.parseInt(flags!, 16) & 1 ? { traceId, spanId } : undefined
}

/** Loads the packages of OpenTelemetry and opens an exporter to the collector at `endpoint`, over OTLP/HTTP. */
export async function openExporter({
  endpoint,
  service_name,
  server,
}: { endpoint: string; service_name: string } & Pick<Cradle, 'server'>) {
  const [
    api,
    { BasicTracerProvider, BatchSpanProcessor },
    { OTLPTraceExporter },
    { resourceFromAttributes },
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  /** The ids of the span that is being made. */
  let next: SpanIds | undefined
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    timeoutMillis: PATIENCE_MS,
  })
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': service_name,
      'service.version': server.version,
      'service.instance.id': server.node_id,
    }),
    idGenerator: {
      generateTraceId: () => next?.traceId ?? randomBytes(16).toString('hex'),
      generateSpanId: () => next?.spanId ?? randomBytes(8).toString('hex'),
    },
    spanProcessors: [new BatchSpanProcessor(exporter)],
  })
  const tracer = provider.getTracer('svc', server.version)
  return {
    add({ name, kind, started_ms, ended_ms, is_error, attributes, self, parent }: Span): void {
      const context = parent
        ? api.trace.setSpanContext(api.ROOT_CONTEXT, { ...parent, traceFlags: 1, isRemote: true })
        : api.ROOT_CONTEXT
      next = self
      const options = { kind: api.SpanKind[kind], startTime: started_ms, attributes }
      const span = tracer.startSpan(name, options, context)
      next = undefined
      if (is_error) span.setStatus({ code: api.SpanStatusCode.ERROR })
      span.end(Math.max(started_ms, ended_ms))
    },
    /** Sends the spans that wait. */
    close: () => provider.shutdown(),
  }
}
