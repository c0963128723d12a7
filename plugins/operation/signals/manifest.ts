import { type Cradle as CradleOf, defineManifest } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'signals',
  summary: 'The server processes on a database, and the channel on which they notify each other',
  config: {
    nats_url: {
      type: 'string',
      examples: ['nats://nats.example.com:4222'],
      pattern: '^(nats|tls)://[^,\\s]+(,\\s*(nats|tls)://[^,\\s]+)*$',
      writeOnly: true,
      env: 'SVC_NATS_URL',
    },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    signals: typeof manifest
  }
}

/** The cradle that the factories and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>
