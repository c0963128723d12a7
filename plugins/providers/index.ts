import { createGuardedFetch, type GuardedFetch, plugin } from '#kernel'
import type { ProviderKind } from '#plugin-api'
import { createProviderConnections, type ProviderConnections } from './connections.ts'
import { providerErrors } from './errors.ts'
import { type ProvidersConfig, setUpFirstProviders } from './first-start.ts'
import { assertProviderKind } from './kind-form.ts'
import { createModelCatalog, type ModelCatalog, type ModelListDocument } from './model-catalog.ts'
import { createModels } from './models.ts'
import { createOpenedModels, type OpenedModels } from './opened-models.ts'
import { createProviderProbe, type ProviderProbe } from './probe.ts'
import { createProviders, type Providers } from './providers.ts'
import { providerRoutes } from './routes.ts'
import { baseUrl } from './schemas.ts'
import type { ModelSettingsDocument, Models, ProviderDeleting, ProviderDocument } from './types.ts'
import { createVisibleProviders, type VisibleProviders } from './visible-providers.ts'

declare module '#kernel/types' {
  interface Services {
    guardedFetch: GuardedFetch
    modelCatalog: ModelCatalog
    models: Models
    openedModels: OpenedModels
    providerConnections: ProviderConnections
    providerProbe: ProviderProbe
    providers: Providers
    visibleProviders: VisibleProviders
  }
  interface ExtensionPoints {
    'providers.kinds': ProviderKind
  }
  interface Collections {
    providers: ProviderDocument
    model_lists: ModelListDocument
    model_settings: ModelSettingsDocument
  }
  interface Events {
    /** Awaited before a provider is deleted or renamed; any listener may refuse. */
    'provider.deleting': ProviderDeleting
  }
}

const key = { type: 'string', minLength: 1, writeOnly: true } as const

export default plugin({
  name: 'providers',
  summary: 'LLM providers, their keys, and the models that agents can choose',
  depends: ['auth'],
  config: {
    allow_hosts: { type: 'array', items: { type: 'string' }, default: [], env: 'SVC_ALLOW_HOSTS' },
    max_concurrency: { type: 'integer', minimum: 1, default: 64, env: 'SVC_MAX_MODEL_CALLS' },
    openai_api_key: { ...key, env: 'OPENAI_API_KEY' },
    openai_base_url: { ...baseUrl, env: 'OPENAI_BASE_URL' },
    anthropic_api_key: { ...key, env: 'ANTHROPIC_API_KEY' },
    anthropic_base_url: { ...baseUrl, env: 'ANTHROPIC_BASE_URL' },
  },
  errors: providerErrors,
  setup(host) {
    host.collection('providers', {
      indexes: [{ key: { owner_id: 1, name: 1 }, unique: true }],
      sealed: { api_key: 'provider:{_id}', secret_options: 'provider:{_id}:options' },
    })
    host.collection('model_lists')
    host.collection('model_settings')
    host.extensionPoint('providers.kinds', {
      noun: 'provider kind',
      nameOf: ({ kind }) => kind,
      check: assertProviderKind,
      folder: 'providers',
    })
    host.service('guardedFetch', ({ config }) =>
      createGuardedFetch({ allowHosts: (config as ProvidersConfig).allow_hosts }),
    )
    host.service('providerConnections', createProviderConnections)
    host.service('visibleProviders', createVisibleProviders)
    host.service('modelCatalog', createModelCatalog)
    host.service('openedModels', createOpenedModels)
    host.service('models', createModels)
    host.service('providers', createProviders)
    host.limit('providers', ({ collections }, owner_id) => collections.providers.countDocuments({ owner_id }))
    host.service('providerProbe', createProviderProbe)
    host.routes(providerRoutes)
    host.on('user.deleted', ({ user_id }, { providers }) => providers.removeOwn(user_id))
    host.on('server.starting', ({ announce }, cradle) => setUpFirstProviders(cradle, announce))
  },
  async stop({ guardedFetch, modelCatalog }) {
    await modelCatalog.close()
    await guardedFetch.close()
  },
})
