import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'
import { openaiErrors } from './errors.ts'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'openai-api',
  summary: "Agents as models of OpenAI's API, for its clients",
  tag: {
    name: 'OpenAI',
    order: 45,
    description:
      "Agents as models of OpenAI's API, for its clients: base address `/api/v1`, an access token as the key. Fields of a request without an effect are ignored.",
  },
  depends: ['users', 'auth', 'agents', 'chat'],
  config: {
    max_threads: { type: 'integer', minimum: 1, maximum: 1_000_000, default: 1000 },
  },
  errors: openaiErrors,
})

declare module '#kernel/types' {
  interface Manifests {
    'openai-api': typeof manifest
  }
}

/** The cradle that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
