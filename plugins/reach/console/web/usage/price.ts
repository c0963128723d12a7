import type { components } from '#client'
import { formatMoney } from '../i18n/format.ts'
import { language } from '../i18n/language.ts'
import { t, type WordKey } from '../i18n/words.ts'

/** The price of a model, and its source. */
export type PriceRow = components['schemas']['ModelPriceRow']

type Price = NonNullable<PriceRow['price']>
type Amount = 'input' | 'output' | 'cache_read' | 'cache_write'

/** The amounts of a price that lists show, for a million tokens each. */
export const AMOUNTS: { name: Amount; label: WordKey }[] = [
  { name: 'input', label: 'usage.input' },
  { name: 'output', label: 'usage.output' },
  { name: 'cache_read', label: 'usage.cache_read' },
]

/** All amounts of a price for a million tokens, as a form edits them. */
export const FIELDS: { name: Amount; label: WordKey }[] = [
  ...AMOUNTS,
  { name: 'cache_write', label: 'usage.cache_write' },
]

/** An amount in words; a dash if it is unknown. */
export const namePrice = (amount: Price[Amount], currency: string): string =>
  amount === null ? '–' : formatMoney(amount, currency)

const days = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' })

const SOURCES: Record<NonNullable<PriceRow['source']>, WordKey> = {
  catalog: 'usage.source_catalog',
  override: 'usage.source_own',
  upstream: 'usage.source_upstream',
}

/** Names the source of a price and the day since which it holds; empty without a price. */
export function nameSource({ price, source }: PriceRow): string {
  if (!price || !source) return ''
  const as_of =
    source === 'upstream' || price.as_of === null
      ? undefined
      : days.format(new Date(`${price.as_of}T00:00:00Z`))
  return [t(SOURCES[source]), as_of].filter(Boolean).join(' · ')
}
