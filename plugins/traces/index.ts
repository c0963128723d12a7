import { definePlugin } from '#kernel'
import { openExporter, type Span, type SpanExporter } from './exporter.ts'
import { manifest } from './manifest.ts'
import { modelSpan, requestSpan, toolSpan, turnSpan } from './spans.ts'

/** The exporter while the server runs; without a collector there is none, and nothing is made. */
interface Traces {
  exporter: SpanExporter | undefined
}

declare module '#kernel/types' {
  interface PrivateServices {
    traces: { traces: Traces }
  }
}

/** Makes a listener that adds a span for what it hears, while there is an exporter. */
const noteAs =
  <Fact>(toSpan: (fact: Fact) => Span) =>
  (fact: Fact, { traces }: { traces: Traces }) =>
    traces.exporter?.add(toSpan(fact))

export default definePlugin({
  ...manifest,
  setup(host) {
    host.service('traces', () => ({ exporter: undefined }))
    host.extend('kernel.requests', noteAs(requestSpan))
    host.on('turn.ended', noteAs(turnSpan))
    host.on('model.called', noteAs(modelSpan))
    host.on('tool.called', noteAs(toolSpan))
  },
  async start({ config, traces, server, log }) {
    const { endpoint, service_name } = config
    if (endpoint === undefined) return
    try {
      traces.exporter = await openExporter({ endpoint, service_name, server })
    } catch (error) {
      // The packages are optional, and a server without traces is better than none.
      log.error({ error }, 'traces cannot be sent: the optional packages @opentelemetry/… are not installed')
    }
  },
  async stop({ traces, log }) {
    try {
      await traces.exporter?.close()
    } catch (error) {
      log.warn({ error }, 'the last traces could not be sent')
    }
  },
})
