import { pageReply } from '#plugin-api'
import { route } from './manifest.ts'
import { priceBody, priceParams, priceQuery, priceRow } from './price-schemas.ts'

const PRICE = '/admin/prices/:model'

/** The routes of prices. */
export const priceRoutes = [
  route({
    method: 'GET',
    path: '/admin/prices',
    operation_id: 'listPrices',
    summary: 'List the prices of models',
    description:
      'Lists the models of the providers of the server, and others whose price was set, with what a million of their tokens costs. A price that was set here comes before the one that a provider states, and that before the catalog of well-known models. A price in another currency than that of the server counts as unknown.',
    guard: 'admin',
    query: priceQuery,
    response: { 200: { type: 'array', items: priceRow } },
  }).handle(async ({ query }, { prices }) => pageReply(query, await prices.list(query))),

  route({
    method: 'PUT',
    path: PRICE,
    operation_id: 'setPrice',
    summary: 'Set the price of a model',
    description:
      'Sets what calls of a model cost from the next one on, in all server processes within about a second. A price for `<provider>:<model>` comes before one for the model alone. An upstream that reports the cost of a call itself is believed.',
    guard: 'admin',
    params: priceParams,
    body: priceBody,
    response: { 200: priceRow },
    errors: ['PRICES_LIMITED'],
    audit: 'price.set',
  }).handle(async ({ params, body }, { prices }) => {
    await prices.set(params.model, body)
    return prices.read(params.model)
  }),

  route({
    method: 'DELETE',
    path: PRICE,
    operation_id: 'deletePrice',
    summary: 'Remove a price that was set',
    description: 'The price is again what the provider or the catalog says.',
    guard: 'admin',
    params: priceParams,
    response: { 204: null },
    errors: ['NOT_FOUND'],
    audit: 'price.delete',
  }).handle(async ({ params }, { prices }) => void (await prices.remove(params.model))),
]
