import { Button } from '@mantine/core'
import { useState } from 'react'
import { formatCompact, formatNumber } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import lists from '../ui/list.module.css'
import { byMeasure, type Measure, nameCost, type Spending, sizeOf } from './spending.ts'
import classes from './spending-table.module.css'

/** One model, agent, person or group, with what it spent. */
export interface SpendingRow extends Spending {
  key: string
  label: string
  note?: string | undefined
}

interface Props {
  label: string
  /** The heading of the first column. */
  noun: string
  rows: SpendingRow[]
  measure: Measure
}

/** The number of rows that are shown at first. */
const SHOWN = 10

/** Who or what spent how much, the most first, with bars to compare them. */
export function SpendingTable({ label, noun, rows, measure }: Props) {
  const [isWhole, setWhole] = useState(false)
  const sorted = rows.toSorted(byMeasure(measure))
  const most = Math.max(...sorted.map((row) => sizeOf(row, measure)), Number.MIN_VALUE)
  return (
    <>
      <div className={lists.rows}>
        <table className={lists.table} aria-label={label}>
          <thead>
            <tr>
              <th scope="col">{noun}</th>
              <th scope="col" className={classes.number}>
                {t('usage.cost')}
              </th>
              <th scope="col" className={classes.number}>
                {t('usage.tokens')}
              </th>
              <th scope="col" className={classes.number}>
                {t('usage.calls_short')}
              </th>
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, isWhole ? undefined : SHOWN).map((row) => (
              <tr key={row.key}>
                <th scope="row" className={classes.name}>
                  {row.label}
                  <Note {...row} />
                  <svg className={classes.bar} viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden>
                    <rect width={(100 * sizeOf(row, measure)) / most} height="1" />
                  </svg>
                </th>
                <td className={`${classes.number} ${row.cost ? '' : classes.unknown}`}>{nameCost(row)}</td>
                <td className={classes.number}>{formatCompact(row.total_tokens)}</td>
                <td className={classes.number}>{formatNumber(row.model_calls)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {sorted.length > SHOWN && !isWhole && (
        <Button variant="subtle" size="compact-sm" w="fit-content" onClick={() => setWhole(true)}>
          {t('usage.show_all', { count: sorted.length })}
        </Button>
      )}
    </>
  )
}

/** Further facts about a row, and the part of its tokens that has no known price. */
function Note({ note, cost, unpriced_tokens }: SpendingRow) {
  const notes = [note, cost && unpriced_tokens > 0 && nameUnpriced(unpriced_tokens)]
  const text = notes.filter(Boolean).join(' · ')
  return text === '' ? null : <div className={classes.note}>{text}</div>
}

/** The tokens without a known price in words. */
export const nameUnpriced = (count: number): string => t('usage.unpriced', { count: formatCompact(count) })
