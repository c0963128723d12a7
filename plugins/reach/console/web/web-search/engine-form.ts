import { pruneValues, type Schema, type Values } from '../ui/schema-form-schema.ts'
import type { SearchEngine, SearchEngineKind } from './web-search.ts'

/** The values of the form of an engine; stored secrets are masks. */
export interface EngineValues {
  config: Values
  /** The price of a search; null if searches are not charged. */
  price: number | null
}

/** The values of a stored engine. */
export const valuesOf = ({ kind: _, label: __, price, ...config }: SearchEngine): EngineValues => ({
  config,
  price,
})

/** The engine with the values of its form. */
export const toEngine = (
  { kind, label, config_schema }: SearchEngineKind,
  { config, price }: EngineValues,
): SearchEngine => ({ ...pruneValues(config_schema as Schema, config), kind, label, price })
