import { createGuardedFetch, definePlugin, type GuardedFetch } from '#kernel'
import type { ProviderKind } from '#plugin-api'
import { createProviderConnections, type ProviderConnections } from './connections.ts'
import { setUpFirstProviders } from './first-start.ts'
import { assertProviderKind } from './kind-form.ts'
import { manifest } from './manifest.ts'
import { createModelCatalog, type ModelCatalog, type ModelListDocument } from './model-catalog.ts'
import { createModels } from './models.ts'
import { createOpenedModels, type OpenedModels } from './opened-models.ts'
import { createProviderProbe, type ProviderProbe } from './probe.ts'
import { createProviders, type Providers } from './providers.ts'
import { providerRoutes } from './routes.ts'
import type { ModelSettingsDocument, Models, ProviderDeleting, ProviderDocument } from './types.ts'
import { createVisibleProviders, type VisibleProviders } from './visible-providers.ts'

declare module '#kernel/types' {
  interface Services {
    providers: {
      providers: Providers
      models: Models
    }
  }
  interface PrivateServices {
    providers: {
      guardedFetch: GuardedFetch
      modelCatalog: ModelCatalog
      openedModels: OpenedModels
      providerConnections: ProviderConnections
      providerProbe: ProviderProbe
      visibleProviders: VisibleProviders
    }
  }
  interface ExtensionPoints {
    'providers.kinds': ProviderKind
  }
  interface Collections {
    providers: {
      providers: ProviderDocument
      model_lists: ModelListDocument
      model_settings: ModelSettingsDocument
    }
  }
  interface Events {
    /** Awaited before a provider is deleted or renamed; any listener may refuse. */
    'provider.deleting': ProviderDeleting
  }
}

export default definePlugin({
  ...manifest,
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
    host.service('guardedFetch', ({ config }) => createGuardedFetch({ allowHosts: config.allow_hosts }))
    host.service('providerConnections', createProviderConnections)
    host.service('visibleProviders', createVisibleProviders)
    host.service('modelCatalog', createModelCatalog)
    host.service('openedModels', createOpenedModels)
    host.provide('models', createModels)
    host.provide('providers', createProviders)
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
