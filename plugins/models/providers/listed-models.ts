import {
  inferModelKind,
  MODEL_INPUTS,
  MODEL_KINDS,
  type ModelDescription,
  type ModelKind,
  type ModelPrice,
} from '#plugin-api'

/** The most models of one list. */
const MAX_MODELS = 2000

const MAX_NAME_CHARS = 200

/** The smallest window that a model of today has, and the largest number of tokens that is believed. */
const MIN_WINDOW_TOKENS = 256
const MAX_TOKENS = 100_000_000

/** The kind of a model; a model that was entered without one chats. */
export const kindOf = ({
  model_kind,
  embedding,
}: Pick<ModelDescription, 'model_kind' | 'embedding'>): ModelKind =>
  model_kind ?? (embedding ? 'embedding' : 'chat')

/**
 * Reads the models that an upstream has listed: each has a kind, and what cannot be true of a model is left out. Models of
 * no known kind are left out.
 */
export function readListed(models: readonly ModelDescription[]): ModelDescription[] {
  const byId = new Map<string, ModelDescription>()
  for (const model of models) {
    const { id } = model
    if (typeof id !== 'string' || id === '' || byId.has(id)) continue
    const description = toDescription(model)
    if (description) byId.set(id, description)
    if (byId.size === MAX_MODELS) break
  }
  return [...byId.values()]
}

function toDescription(model: ModelDescription): ModelDescription | undefined {
  const { id, name, enabled, embedding, context_window, max_output_tokens, tools, reasoning } = model
  const isSaid = MODEL_KINDS.includes(model.model_kind!) || typeof embedding === 'boolean'
  const model_kind = isSaid ? kindOf(model) : inferModelKind(id)
  if (!model_kind) return undefined
  const window = isCount(context_window, MIN_WINDOW_TOKENS) ? context_window : undefined
  // An answer as long as the window would leave no room for a prompt.
  const hasLimit = isCount(max_output_tokens, 1) && max_output_tokens < (window ?? MAX_TOKENS)
  const input = MODEL_INPUTS.filter((kind) => Array.isArray(model.input) && model.input.includes(kind))
  const price = model.price && readPrice(model.price)
  return {
    id,
    name: typeof name === 'string' && name !== '' ? name.slice(0, MAX_NAME_CHARS) : id,
    ...(enabled === false && { enabled }),
    embedding: model_kind === 'embedding',
    model_kind,
    ...(window !== undefined && { context_window: window }),
    ...(hasLimit && { max_output_tokens }),
    ...(input.length > 0 && { input }),
    ...(typeof tools === 'boolean' && { tools }),
    ...(typeof reasoning === 'boolean' && { reasoning }),
    ...(price && { price }),
  }
}

const isCount = (value: unknown, least: number): value is number =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= MAX_TOKENS

/** Reads a price; undefined if none of its numbers is one. */
export function readPrice({ currency, as_of, ...price }: ModelPrice): ModelPrice | undefined {
  const read = (amount: number | null | undefined) =>
    amount != null && Number.isFinite(amount) && amount >= 0 ? amount : null
  const [input, output] = [read(price.input), read(price.output)]
  const { image, million_characters, minute } = price
  const units = Object.entries({ image, million_characters, minute }).filter(
    ([, amount]) => read(amount) !== null,
  )
  if (input === null && output === null && units.length === 0) return undefined
  const [cache_read, cache_write] = [read(price.cache_read), read(price.cache_write)]
  return { input, output, cache_read, cache_write, ...Object.fromEntries(units), currency, as_of }
}
