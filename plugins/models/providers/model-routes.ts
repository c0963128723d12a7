import { pageReply } from '#plugin-api'
import { route } from './manifest.ts'
import { mediaDefaultChoices, mediaDefaults as mediaDefaultsRow } from './media-schemas.ts'
import { activeModel, activeModelChoice, modelQuery, modelRow } from './schemas.ts'

/** The routes of the models that providers offer, and of those that the server uses. */
export const modelRoutes = [
  route({
    method: 'GET',
    path: '/models',
    operation_id: 'listModels',
    summary: 'List the models',
    description:
      'Lists the models of your own providers and of the global ones that are enabled and that you may use: those that chat, or those of another `kind`. The `id` of a row is what `model` and `default_model` take elsewhere, for models that chat. A provider that cannot list its models, and has none entered, adds no rows, but its models can be used by name.',
    guard: 'user',
    query: modelQuery,
    response: { 200: { type: 'array', items: modelRow } },
  }).handle(async ({ caller, query }, { models }) => pageReply(query, await models.list(caller.id, query))),

  route({
    method: 'GET',
    path: '/models/active',
    operation_id: 'getActiveModel',
    summary: 'Get the active model',
    description:
      'Returns the model that agents without a `default_model` use. `model` is null if none was chosen, if you may not use it, or if it cannot be used now; then `disabled_model` names it.',
    guard: 'user',
    response: { 200: activeModel },
  }).handle(({ caller }, { models }) => models.active(caller.id)),

  route({
    method: 'PUT',
    path: '/models/active',
    operation_id: 'setActiveModel',
    summary: 'Choose the active model',
    description:
      'Chooses the model of all agents and threads that name none. It must belong to a global provider.',
    guard: 'admin',
    body: activeModelChoice,
    response: { 200: activeModel },
    errors: ['PROVIDER_NOT_VISIBLE'],
    audit: 'model.activate',
  }).handle(async ({ body }, { models }) => {
    await models.activate(body.model)
    return body
  }),

  route({
    method: 'GET',
    path: '/models/defaults',
    operation_id: 'getModelDefaults',
    summary: 'Get the models that the server uses',
    description:
      'Returns the models that draw, speak, transcribe and rank for all accounts. A value is null if none was chosen, if you may not use it, or if it cannot be used now; then `disabled` names it.',
    guard: 'user',
    response: { 200: mediaDefaultsRow },
  }).handle(({ caller }, { mediaDefaults }) => mediaDefaults.read(caller.id)),

  route({
    method: 'PUT',
    path: '/models/defaults',
    operation_id: 'setModelDefaults',
    summary: 'Choose the models that the server uses',
    description:
      'Chooses models of global providers, each of the kind of its field; null chooses none, and a field that is left out stays as it is. The calls of these models count against the quota of the account that they are for.',
    guard: 'admin',
    body: mediaDefaultChoices,
    response: { 200: mediaDefaultsRow },
    errors: ['MODEL_NOT_SUITABLE'],
    audit: 'model.defaults',
  }).handle(async ({ body }, { mediaDefaults }) => {
    await mediaDefaults.change(body)
    return mediaDefaults.read()
  }),
]
