import { type Locale, makeTag, objectOf, pageQuery, pageReply, replyWithTag } from '#plugin-api'
import { type Cradle, route } from './manifest.ts'
import type { ProbeRequest } from './probe.ts'
import { type Holder, type ProviderDraft, providerFields, toListedModel, toProviderRow } from './providers.ts'
import {
  draftResult,
  globalProviderRow,
  kindRow,
  newProvider,
  probeRequest,
  probeResult,
  providerChanges,
  providerDraft,
  providerParams,
  providerRow,
} from './schemas.ts'
import type { ProviderDocument } from './types.ts'

const createErrors = ['PROVIDER_NAME_TAKEN', 'PROVIDER_KIND_UNSUPPORTED'] as const
const updateErrors = ['NOT_FOUND', ...createErrors, 'PROVIDER_REFERENCED'] as const
const draftErrors = ['PROVIDER_KIND_UNSUPPORTED', 'ADDRESS_NOT_ALLOWED'] as const
const testErrors = ['NOT_FOUND', ...draftErrors] as const

/** Tests a provider that is not stored, and lists its models. */
async function probeDraft(
  holder: Holder,
  { model_id, embedding, ...body }: ProviderDraft & ProbeRequest,
  { locale, cradle: { providers, providerProbe } }: { locale: Locale; cradle: Cradle },
) {
  const provider = await providers.draft(holder, body)
  const { models, ...result } = await providerProbe.probe(provider, { model_id, embedding }, locale)
  return { ...result, models: models.map(toListedModel) }
}

const showProvider = <const Status extends number>(
  status: Status,
  provider: ProviderDocument,
  holder: Holder,
  shown: { locale: Locale; extensions: Cradle['extensions'] },
) => replyWithTag(status, toProviderRow(provider, holder, shown), makeTag(provider, providerFields))

/** The routes of providers. */
export const providerRoutes = [
  route({
    method: 'GET',
    path: '/providers/kinds',
    operation_id: 'listProviderKinds',
    summary: 'List the kinds of providers',
    description:
      'Lists what a provider can connect to, with the JSON Schema of the `options` of each kind. Fields that a schema marks `writeOnly` are secrets.',
    guard: 'user',
    response: { 200: { type: 'array', items: kindRow } },
  }).handle(({ locale }, { providers }) => providers.kinds(locale)),

  route({
    method: 'GET',
    path: '/providers',
    operation_id: 'listProviders',
    summary: 'List your providers',
    description:
      'Lists your own providers, then the global ones of the server that you may use, each part by name. Keys and secret options are never shown; `has_api_key` tells whether there is a key.',
    guard: 'user',
    query: objectOf(pageQuery),
    response: { 200: { type: 'array', items: providerRow } },
  }).handle(async ({ caller, query, locale }, { providers }) =>
    pageReply(query, await providers.list(caller, query, locale)),
  ),

  route({
    method: 'POST',
    path: '/providers',
    operation_id: 'createProvider',
    summary: 'Create a provider of your own',
    description:
      'Stores a place where models run, which only your account can use and see. Its models are those of the body or, if that has none, those that the provider itself lists. The address must not lead into a private network unless the operator allows it. To try the values first, use `POST /providers/probe`.',
    guard: 'user',
    body: newProvider,
    response: { 201: providerRow },
    errors: [...createErrors, 'ADDRESS_NOT_ALLOWED', 'LIMIT_REACHED'],
    etag: true,
    audit: 'provider.create',
  }).handle(async ({ caller, body, locale }, { providers, extensions }) =>
    showProvider(201, await providers.create(caller, body), caller, { locale, extensions }),
  ),

  route({
    method: 'POST',
    path: '/providers/probe',
    operation_id: 'probeProvider',
    summary: 'Test a provider before creating it',
    description:
      'Sends the smallest possible request with the values of the body and lists the models of the provider; nothing is stored. A failed test is answered with 200 and `ok: false`, with the reason and advice in the language of the request. It takes at most 15 seconds.',
    guard: 'user',
    body: providerDraft,
    response: { 200: draftResult },
    errors: draftErrors,
    audit: { none: 'A draft is tested and not stored.' },
  }).handle(({ caller, body, locale }, cradle) => probeDraft(caller, body, { locale, cradle })),

  route({
    method: 'GET',
    path: '/providers/:id',
    operation_id: 'getProvider',
    summary: 'Get a provider',
    description:
      'Returns one of your own providers or a global one that you may use. The key and secret options are never shown.',
    guard: 'user',
    params: providerParams,
    response: { 200: providerRow },
    errors: ['NOT_FOUND'],
    etag: true,
  }).handle(async ({ caller, params, locale }, { providers, extensions }) =>
    showProvider(200, await providers.find(caller, params.id), caller, { locale, extensions }),
  ),

  route({
    method: 'PATCH',
    path: '/providers/:id',
    operation_id: 'updateProvider',
    summary: 'Change a provider of your own',
    description:
      'Changes the given fields; null clears a field. `models` and `options` are replaced as a whole, but secret options that are left out keep their values. Another origin in `base_url` needs the key and the secret options again. A provider that an agent refers to cannot be renamed.',
    guard: 'user',
    params: providerParams,
    body: providerChanges,
    response: { 200: providerRow },
    errors: [...updateErrors, 'ADDRESS_NOT_ALLOWED'],
    etag: true,
    audit: 'provider.update',
  }).handle(async (request, { providers, extensions }) => {
    const { caller, params, body, locale } = request
    const provider = await providers.update(caller, params.id, body, request)
    return showProvider(200, provider, caller, { locale, extensions })
  }),

  route({
    method: 'DELETE',
    path: '/providers/:id',
    operation_id: 'deleteProvider',
    summary: 'Delete a provider of your own',
    description:
      'A provider that one of your agents refers to as `default_model` cannot be deleted; the details of the error list what refers to it.',
    guard: 'user',
    params: providerParams,
    response: { 204: null },
    errors: ['NOT_FOUND', 'PROVIDER_REFERENCED'],
    audit: 'provider.delete',
  }).handle(async ({ caller, params, note }, { providers }) => {
    note(await providers.remove(caller, params.id))
  }),

  route({
    method: 'POST',
    path: '/providers/:id/test',
    operation_id: 'testProvider',
    summary: 'Test a provider',
    description:
      'Sends the smallest possible request to one of your own providers or a global one: with `model_id` to this model, otherwise to a suitable one. A failed test is answered with 200 and `ok: false`, with the reason and advice in the language of the request. It takes at most 15 seconds.',
    guard: 'user',
    params: providerParams,
    body: probeRequest,
    response: { 200: probeResult },
    errors: testErrors,
    audit: { none: 'It tests and stores nothing.' },
  }).handle(async ({ caller, params, body, locale }, { providers, providerProbe }) =>
    providerProbe.test(await providers.find(caller, params.id), body, locale),
  ),

  route({
    method: 'GET',
    path: '/admin/providers',
    operation_id: 'listGlobalProviders',
    summary: 'List the global providers',
    description:
      'Lists the providers of the server, by name: all accounts can use them, or those with whom they are shared. Keys and secret options are never shown.',
    guard: 'admin',
    query: objectOf(pageQuery),
    response: { 200: { type: 'array', items: globalProviderRow } },
  }).handle(async ({ query, locale }, { providers }) =>
    pageReply(query, await providers.list(null, query, locale)),
  ),

  route({
    method: 'POST',
    path: '/admin/providers',
    operation_id: 'createGlobalProvider',
    summary: 'Create a global provider',
    description:
      'Stores a place where models run for all accounts, until it is shared with some. Its models are those of the body or, if that has none, those that the provider itself lists. Its address may be in a private network.',
    guard: 'admin',
    body: newProvider,
    response: { 201: globalProviderRow },
    errors: createErrors,
    etag: true,
    audit: 'provider.create',
  }).handle(async ({ body, locale }, { providers, extensions }) =>
    showProvider(201, await providers.create(null, body), null, { locale, extensions }),
  ),

  route({
    method: 'POST',
    path: '/admin/providers/probe',
    operation_id: 'probeGlobalProvider',
    summary: 'Test a global provider before creating it',
    description:
      'Sends the smallest possible request with the values of the body and lists the models of the provider; nothing is stored. Its address may be in a private network. A failed test is answered with 200 and `ok: false`, with the reason and advice.',
    guard: 'admin',
    body: providerDraft,
    response: { 200: draftResult },
    errors: draftErrors,
    audit: { none: 'A draft is tested and not stored.' },
  }).handle(({ body, locale }, cradle) => probeDraft(null, body, { locale, cradle })),

  route({
    method: 'GET',
    path: '/admin/providers/:id',
    operation_id: 'getGlobalProvider',
    summary: 'Get a global provider',
    description: 'Returns a provider of the server. The key and secret options are never shown.',
    guard: 'admin',
    params: providerParams,
    response: { 200: globalProviderRow },
    errors: ['NOT_FOUND'],
    etag: true,
  }).handle(async ({ params, locale }, { providers, extensions }) =>
    showProvider(200, await providers.find(null, params.id), null, { locale, extensions }),
  ),

  route({
    method: 'PATCH',
    path: '/admin/providers/:id',
    operation_id: 'updateGlobalProvider',
    summary: 'Change a global provider',
    description:
      'Changes the given fields; null clears a field. `models` and `options` are replaced as a whole, but secret options that are left out keep their values. Another origin in `base_url` needs the key and the secret options again. A provider that an agent or the active model refers to cannot be renamed.',
    guard: 'admin',
    params: providerParams,
    body: providerChanges,
    response: { 200: globalProviderRow },
    errors: updateErrors,
    etag: true,
    audit: 'provider.update',
  }).handle(async (request, { providers, extensions }) => {
    const { params, body, locale } = request
    const provider = await providers.update(null, params.id, body, request)
    return showProvider(200, provider, null, { locale, extensions })
  }),

  route({
    method: 'DELETE',
    path: '/admin/providers/:id',
    operation_id: 'deleteGlobalProvider',
    summary: 'Delete a global provider',
    description:
      'A provider that an agent or the active model refers to cannot be deleted; the details of the error list what refers to it.',
    guard: 'admin',
    params: providerParams,
    response: { 204: null },
    errors: ['NOT_FOUND', 'PROVIDER_REFERENCED'],
    audit: 'provider.delete',
  }).handle(async ({ params, note }, { providers }) => {
    note(await providers.remove(null, params.id))
  }),

  route({
    method: 'POST',
    path: '/admin/providers/:id/test',
    operation_id: 'testGlobalProvider',
    summary: 'Test a global provider',
    description:
      'Sends the smallest possible request: with `model_id` to this model, otherwise to the active model if the provider has it, or to a suitable one. A failed test is answered with 200 and `ok: false`, with the reason and advice. It takes at most 15 seconds.',
    guard: 'admin',
    params: providerParams,
    body: probeRequest,
    response: { 200: probeResult },
    errors: testErrors,
    audit: { none: 'It tests and stores nothing.' },
  }).handle(async ({ params, body, locale }, { providers, providerProbe }) =>
    providerProbe.test(await providers.find(null, params.id), body, locale),
  ),
]
