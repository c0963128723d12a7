import { definePlugin, describeMissingPackage, findMissingPackage } from '#plugin-api'
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

/** Throws the reason in words why an exporter could not be opened. */
function explain(cause: unknown): never {
  const name = findMissingPackage(cause)
  if (name) throw new Error(`traces are not sent, because ${describeMissingPackage(name)}`)
  throw new Error(`traces are not sent: ${(cause as Error).message}`, { cause })
}

/** Creates a listener that adds a span for each fact while there is an exporter. */
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
    host.check('traces', async ({ config, server }) => {
      const { endpoint, service_name } = config
      if (endpoint === undefined) return 'no collector is set'
      const exporter = await openExporter({ endpoint, service_name, server }).catch(explain)
      await exporter.close()
      return `spans are sent to ${new URL(endpoint).origin}`
    })
  },
  async start({ config, traces, server, log }) {
    const { endpoint, service_name } = config
    if (endpoint === undefined) return
    try {
      traces.exporter = await openExporter({ endpoint, service_name, server }).catch(explain)
    } catch (error) {
      // The packages are optional, and a server without traces is better than none.
      const { message, cause } = error as Error
      log.error({ error: cause }, message)
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
