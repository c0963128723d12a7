import { type Cradle as CradleOf, defineManifest } from '#plugin-api'

/** The manifest of the plugin. */
export const manifest = defineManifest({
  name: 'traces',
  summary: 'Requests, turns, model calls and tool calls as OpenTelemetry traces, if a collector is set',
  config: {
    endpoint: {
      type: 'string',
      pattern: '^https?://',
      examples: ['http://127.0.0.1:4318'],
      env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    },
    service_name: { type: 'string', minLength: 1, default: 'svc', env: 'OTEL_SERVICE_NAME' },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    traces: typeof manifest
  }
}

/** The cradle that the factories and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>
