import { AppError, type ModelPrice, type Page, type PageRequest, pageOf } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { PriceRow } from './price-schemas.ts'
import type { ProviderDocument } from './types.ts'

/** The time after which changes by other processes are seen, in milliseconds. */
const VALID_MS = 1000

/** The most prices that administrators can set. */
const MAX_PRICES = 5000

/** The prices of models, and those that administrators have set in their place. */
export type Prices = ReturnType<typeof createPrices>

/**
 * Creates the service. A price that was set for `<provider>:<model>` comes before one for the model at any provider,
 * then comes the price of the provider's own entry or list, then that of the catalog.
 */
export function createPrices({
  collections: { model_prices, providers },
  modelCatalog,
  extensions,
  clock,
  log,
}: Pick<Cradle, 'collections' | 'modelCatalog' | 'extensions' | 'clock' | 'log'>) {
  let overrides: ReadonlyMap<string, ModelPrice> = new Map()
  let validUntil = 0
  let loading = Promise.resolve()

  /** The currency of the server; prices in another one count as unknown. */
  const currency = () => extensions['providers.currency'].list()[0]?.({}) ?? 'USD'

  /** Reads the prices that were set, unless they were read within the last second. */
  const load = (): Promise<void> => {
    if (clock.now() < validUntil) return loading
    validUntil = clock.now() + VALID_MS
    loading = model_prices
      .find()
      .limit(MAX_PRICES)
      .toArray()
      .then((documents) => {
        overrides = new Map(documents.map(({ _id, price }) => [_id, price]))
      })
    loading.catch(() => {
      validUntil = 0
    })
    return loading
  }

  const findOverride = (provider: string, model: string) =>
    overrides.get(`${provider}:${model}`) ?? overrides.get(model)

  const inCurrency = (price: ModelPrice | undefined): ModelPrice | undefined =>
    price?.currency === currency() ? price : undefined

  const toRow = (
    model: string,
    name: string | null,
    price: ModelPrice | undefined,
    source: NonNullable<PriceRow['source']>,
  ): PriceRow => {
    const ownPrice = inCurrency(price) ?? null
    return { model, name, price: ownPrice, source: ownPrice && source }
  }

  const listRows = async (): Promise<PriceRow[]> => {
    await load()
    const globals = await providers.find({ owner_id: null }).toArray()
    const rows = new Map<string, PriceRow>()
    for (const provider of globals) {
      const models = provider.enabled ? await modelCatalog.list(provider) : provider.models
      for (const model of models) {
        const reference = `${provider.name}:${model.id}`
        const override = findOverride(provider.name, model.id)
        const price = override ?? modelCatalog.complete(provider, model).price
        const source = override ? 'override' : model.price ? 'upstream' : 'catalog'
        rows.set(reference, toRow(reference, model.name, price, source))
      }
    }
    for (const [model, override] of overrides)
      if (!rows.has(model)) rows.set(model, toRow(model, null, override, 'override'))
    return [...rows.values()]
  }

  const forget = () => {
    validUntil = 0
  }

  return {
    load,
    get currency() {
      return currency()
    },
    /**
     * Returns the price of a model for its calls, in the currency of the server; undefined if it is not known. Changes
     * by other processes are seen a second later.
     */
    of(provider: ProviderDocument, model: string): ModelPrice | undefined {
      load().catch((error) => log.warn({ error }, 'the prices of models cannot be read'))
      const override = findOverride(provider.name, model)
      return inCurrency(override ?? modelCatalog.describe(provider, model).price)
    },
    /** Returns the price that was set for a model of a provider; undefined if none was set. */
    findOverride,

    /** Lists the models of the server's providers, and others whose price was set. Throws VALIDATION_FAILED. */
    async list({ q, ...page }: PageRequest & { q?: string }): Promise<Page<PriceRow>> {
      const words = q?.toLowerCase().split(/\s+/) ?? []
      const matches = ({ model, name }: PriceRow) => {
        const text = `${model} ${name ?? ''}`.toLowerCase()
        return words.every((word) => text.includes(word))
      }
      return pageOf((await listRows()).filter(matches), ({ model }) => model, page)
    },

    /** Returns the row of one model. */
    async read(model: string): Promise<PriceRow> {
      const row = (await listRows()).find((listed) => listed.model === model)
      return row ?? { model, name: null, price: null, source: null }
    },

    /** Sets the price of a model. Throws VALIDATION_FAILED for another currency, PRICES_LIMITED. */
    async set(
      model: string,
      { currency: priceCurrency = currency(), as_of = today(), ...amounts }: Partial<ModelPrice>,
    ): Promise<void> {
      if (priceCurrency !== currency()) {
        const message = `must be ${currency()}, the currency of this server`
        throw new AppError('VALIDATION_FAILED', { issues: [{ path: '/currency', rule: 'const', message }] })
      }
      const price = { ...NO_PRICE, ...amounts, currency: priceCurrency, as_of }
      if ((await model_prices.countDocuments({ _id: { $ne: model } })) >= MAX_PRICES)
        throw new AppError('PRICES_LIMITED', { limit: MAX_PRICES })
      await model_prices.replaceOne({ _id: model }, { price }, { upsert: true })
      forget()
    },

    /** Removes a price that was set. Throws NOT_FOUND. */
    async remove(model: string): Promise<void> {
      const { deletedCount } = await model_prices.deleteOne({ _id: model })
      if (deletedCount === 0) throw new AppError('NOT_FOUND')
      forget()
    },
  }

  function today(): string {
    return new Date(clock.now()).toISOString().slice(0, 10)
  }
}

const NO_PRICE = { input: null, output: null, cache_read: null, cache_write: null } as const
