import { type Cradle as CradleOf, defineManifest } from '#kernel'

/** The manifest of the plugin. */
export const manifest = defineManifest({
  name: 'idempotency',
  summary: 'Repeated POST requests with an Idempotency-Key, which take effect once',
  depends: ['users'],
  limits: {
    idempotency_keys: { default: 1000, description: 'Idempotency keys of an account that are remembered' },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    idempotency: typeof manifest
  }
}

/** The services that the factories and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>
