import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'
import { providerErrors } from './errors.ts'
import { baseUrl } from './schemas.ts'

const key = { type: 'string', minLength: 1, writeOnly: true } as const

/** The manifest of the providers plugin. */
export const manifest = defineManifest({
  name: 'providers',
  summary: 'LLM providers, their keys, and the models that agents can choose',
  tag: {
    name: 'Providers and models',
    order: 50,
    description:
      'Connections to the vendors of models, your own and those of the server, and the models that they offer.',
  },
  depends: ['users', 'auth'],
  config: {
    allow_hosts: { type: 'array', items: { type: 'string' }, default: [], env: 'SVC_ALLOW_HOSTS' },
    /** The most concurrent calls to a provider in one server process, unless the provider sets its own limit. */
    max_concurrency: { type: 'integer', minimum: 1, default: 64, env: 'SVC_MAX_MODEL_CALLS' },
    /** The time that a model has for its first token before a fallback is asked. */
    first_token_seconds: { type: 'integer', minimum: 1, maximum: 3600, default: 60 },
    openai_api_key: { ...key, env: 'OPENAI_API_KEY' },
    openai_base_url: { ...baseUrl, env: 'OPENAI_BASE_URL' },
    anthropic_api_key: { ...key, env: 'ANTHROPIC_API_KEY' },
    anthropic_base_url: { ...baseUrl, env: 'ANTHROPIC_BASE_URL' },
  },
  errors: providerErrors,
  limits: {
    providers: { default: 20, description: 'Providers of an account; those of the server do not count' },
  },
  events: ['model.called'],
})

declare module '#kernel/types' {
  interface Manifests {
    providers: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
