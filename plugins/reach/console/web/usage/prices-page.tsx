import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { formatCompact } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { useFacts } from '../server/facts.ts'
import { useRows } from '../server/pages.ts'
import { Empty } from '../ui/empty.tsx'
import rowClasses from '../ui/list.module.css'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { useIsPhone } from '../ui/phone-bar.tsx'
import { AMOUNTS, namePrice, nameSource, type PriceRow } from './price.ts'
import { PriceSheet } from './price-sheet.tsx'
import tables from './spending-table.module.css'
import { UsageArea } from './usage-area.tsx'
import { useUsage } from './use-usage.ts'

/** The pause in typing after which the server is asked, in milliseconds. */
const PAUSE_MS = 150

/** The prices of models, for administrators. Models that were used without a price come first. */
export default function PricesPage() {
  const [search, setSearch] = useState('')
  const [q] = useDebouncedValue(search.trim(), PAUSE_MS)
  const prices = useRows('/admin/prices', { query: q === '' ? {} : { q } }, { keepsRows: true })
  const unpriced = useUnpriced()
  const [open, setOpen] = useState<PriceRow>()
  const { currency } = useFacts()
  const isPhone = useIsPhone()
  const tokensOf = ({ model, price }: PriceRow) => (price ? 0 : (unpriced.get(model) ?? 0))
  const isListed = new Set(prices.rows?.map(({ model }) => model))
  // The list has no models of people's own providers, and none that a provider has dropped.
  const others = [...unpriced.keys()].filter((model) => !isListed.has(model) && contains(model, q))
  const rows = prices.rows && [
    ...others.map((model): PriceRow => ({ model, name: null, price: null, source: null })),
    ...prices.rows,
  ]
  return (
    <UsageArea>
      <List
        {...prices}
        rows={rows?.toSorted((a, b) => tokensOf(b) - tokensOf(a))}
        label={t('usage.prices')}
        keyOf={({ model }) => model}
        search={{ text: search, onChange: setSearch }}
        controls={
          <Text size="sm" c="var(--meta)">
            {t('usage.prices_for', { currency: currency ?? '' })}
          </Text>
        }
        empty={<Empty title={t('usage.no_prices')}>{t('usage.no_prices_about')}</Empty>}
        head={!isPhone && <Head />}
      >
        {(row) => {
          const props = { row, unpriced: tokensOf(row), onOpen: () => setOpen(row) }
          return isPhone ? <Card {...props} /> : <Row {...props} />
        }}
      </List>
      {open && <PriceSheet key={open.model} row={open} onClose={() => setOpen(undefined)} />}
    </UsageArea>
  )
}

const contains = (model: string, q: string) =>
  q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => model.toLowerCase().includes(word))

/** The tokens of the last 30 days without a known price, by model. */
function useUnpriced(): ReadonlyMap<string, number> {
  const { data } = useUsage({ whose: 'all', window: 'last_30d', by: 'by_model' })
  const used = data?.buckets.filter(({ unpriced_tokens }) => unpriced_tokens > 0) ?? []
  return new Map(used.map(({ key, unpriced_tokens }) => [key, unpriced_tokens]))
}

const nameUse = (count: number) =>
  count > 0 ? t('usage.used_unpriced', { count: formatCompact(count) }) : undefined

const Head = () => (
  <tr>
    <th scope="col">{t('usage.model')}</th>
    {AMOUNTS.map(({ name, label }) => (
      <th key={name} scope="col" className={tables.number}>
        {t(label)}
      </th>
    ))}
    <th scope="col">{t('usage.source')}</th>
  </tr>
)

interface Props {
  row: PriceRow
  /** The tokens that were used without a price. */
  unpriced: number
  onOpen(): void
}

function Row({ row, unpriced, onOpen }: Props) {
  const { model, name, price } = row
  return (
    <tr>
      <td>
        <button type="button" className={`${rowClasses.main} ${rowClasses.plain}`} onClick={onOpen}>
          {name ?? model}
        </button>
        <div className={rowClasses.meta}>
          {[name && model, nameUse(unpriced)].filter(Boolean).join(' · ')}
        </div>
      </td>
      {price ? (
        AMOUNTS.map(({ name }) => (
          <td key={name} className={tables.number}>
            {namePrice(price[name], price.currency)}
          </td>
        ))
      ) : (
        <td colSpan={AMOUNTS.length} className={`${tables.number} ${tables.unknown}`}>
          {t('usage.no_price')}
        </td>
      )}
      <td className={tables.source}>{nameSource(row)}</td>
    </tr>
  )
}

function Card({ row, unpriced, onOpen }: Props) {
  const { model, name, price } = row
  const amounts = price
    ? AMOUNTS.flatMap(({ name, label }) =>
        price[name] === null ? [] : `${t(label)} ${namePrice(price[name], price.currency)}`,
      ).join(' · ')
    : t('usage.no_price')
  return (
    <ListRow
      title={name ?? model}
      meta={
        <>
          {name && <div>{model}</div>}
          <div>{[amounts, nameSource(row)].filter(Boolean).join(' · ')}</div>
          {unpriced > 0 && <div>{nameUse(unpriced)}</div>}
        </>
      }
      onOpen={onOpen}
    />
  )
}
