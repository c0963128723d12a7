import {
  createDeclarable,
  createGuardedFetch,
  createShareable,
  definePlugin,
  type GuardedFetch,
  grantRoutes,
  listNames,
  managedIndex,
  sharingIndexes,
} from '#plugin-api'
import { createProviderConnections, type ProviderConnections } from './connections.ts'
import { createEmbeddings, type Embeddings } from './embeddings.ts'
import { setUpFirstProviders } from './first-start.ts'
import { assertProviderKind } from './kinds.ts'
import { manifest } from './manifest.ts'
import { createMediaCalls, type MediaCalls } from './media-calls.ts'
import { createMediaDefaults, type MediaDefaults } from './media-defaults.ts'
import { createMediaModels } from './media-models.ts'
import { createModelCatalog, type ModelCatalog, type ModelListDocument } from './model-catalog.ts'
import { createModelFacts, type ModelFacts } from './model-facts.ts'
import { modelRoutes } from './model-routes.ts'
import { createModels } from './models.ts'
import { createOpenedModels, type OpenedModels } from './opened-models.ts'
import { priceRoutes } from './price-routes.ts'
import { createPrices, type Prices } from './prices.ts'
import { createProviderProbe, type ProviderProbe } from './probe.ts'
import { providerCommands } from './provider-commands.ts'
import { createProviders, type Providers } from './providers.ts'
import { providerRoutes } from './routes.ts'
import { setupCommand } from './setup-command.ts'
import type {
  MediaModels,
  ModelDefaultDocument,
  ModelPriceDocument,
  ModelSettingsDocument,
  Models,
  ProviderDocument,
} from './types.ts'
import { createVisibleProviders, type VisibleProviders } from './visible-providers.ts'

declare module '#kernel/types' {
  interface Services {
    providers: {
      providers: Providers
      models: Models
      embeddings: Embeddings
      mediaModels: MediaModels
    }
  }
  interface PrivateServices {
    providers: {
      guardedFetch: GuardedFetch
      mediaCalls: MediaCalls
      mediaDefaults: MediaDefaults
      modelCatalog: ModelCatalog
      modelFacts: ModelFacts
      openedModels: OpenedModels
      prices: Prices
      providerConnections: ProviderConnections
      providerProbe: ProviderProbe
      visibleProviders: VisibleProviders
    }
  }
  interface Collections {
    providers: {
      providers: ProviderDocument
      model_lists: ModelListDocument
      model_settings: ModelSettingsDocument
      model_defaults: ModelDefaultDocument
      model_prices: ModelPriceDocument
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('providers', {
      indexes: [{ key: { owner_id: 1, name: 1 }, unique: true }, ...sharingIndexes, managedIndex],
      sealed: { api_key: 'provider:{_id}', secret_options: 'provider:{_id}:options' },
    })
    host.collection('model_lists')
    host.collection('model_settings')
    host.collection('model_defaults')
    host.collection('model_prices')
    host.extensionPoint('providers.kinds', {
      noun: 'provider kind',
      nameOf: ({ kind }) => kind,
      check: assertProviderKind,
      folder: 'providers',
    })
    host.extensionPoint('providers.references', { noun: 'reference' })
    host.extensionPoint('providers.currency', { noun: 'setting', nameOf: () => 'currency' })
    host.extensionPoint('providers.reservations', { noun: 'reservation' })
    host.extensionPoint('providers.usage', { noun: 'usage' })
    host.service('guardedFetch', ({ config }) => createGuardedFetch({ allowHosts: config.allow_hosts }))
    host.service('providerConnections', createProviderConnections)
    host.service('visibleProviders', createVisibleProviders)
    host.service('modelFacts', createModelFacts)
    host.service('modelCatalog', createModelCatalog)
    host.service('prices', createPrices)
    host.service('openedModels', createOpenedModels)
    host.provide('models', createModels)
    host.provide('embeddings', createEmbeddings)
    host.service('mediaDefaults', createMediaDefaults)
    host.service('mediaCalls', createMediaCalls)
    host.provide('mediaModels', createMediaModels)
    host.provide('providers', createProviders)
    host.limit('providers', ({ collections }, owner_id) => collections.providers.countDocuments({ owner_id }))
    host.service('providerProbe', createProviderProbe)
    host.routes(providerRoutes)
    host.routes(
      grantRoutes({
        kind: 'provider',
        path: '/admin/providers/:id',
        title: 'ServerProvider',
        noun: 'a provider of the server',
        guard: 'admin',
        missing: 'NOT_FOUND',
      }),
    )
    host.routes(modelRoutes)
    host.routes(priceRoutes)
    host.extend('metrics.gauges', (_, { openedModels }) => {
      const { running, waiting } = openedModels.count()
      return [
        { name: 'svc_model_calls_running', help: 'Model calls of this process that run', value: running },
        { name: 'svc_model_calls_waiting', help: 'Model calls that wait for a permit', value: waiting },
      ]
    })
    for (const command of [...providerCommands, setupCommand]) host.command(command)
    host.extend('audit.names', ({ ids }, { collections }) =>
      listNames(collections.providers, ids, { kind: 'provider', field: 'name' }),
    )
    host.extend(
      'groups.shareables',
      createShareable<ProviderDocument>({
        name: 'provider',
        label: { en: 'Provider', zh: '模型服务商' },
        access: ['use'],
        is_open: true,
        collection: () => host.cradle.collections.providers,
        owner: 'owner_id',
        nameOf: ({ name }) => name,
        find: (_, key) => host.cradle.providers.find(null, key),
        changed: () => host.cradle.visibleProviders.forget(),
      }),
    )
    host.extend(
      'declared.kinds',
      createDeclarable({ name: 'provider', collection: () => host.cradle.collections.providers }),
    )
    for (const event of ['user.changed', 'group.changed'] as const)
      host.on(event, (_, { visibleProviders }) => visibleProviders.forget())
    host.extend('users.removal', ({ user_id }, { providers }) => providers.removeOwn(user_id))
  },
  ready: setUpFirstProviders,
  async stop({ guardedFetch, modelCatalog }) {
    await modelCatalog.close()
    await guardedFetch.close()
  },
})
