import type { components } from '#client'
import { formatCompact, formatNumber, formatSum } from '../i18n/format.ts'
import { language } from '../i18n/language.ts'
import { t } from '../i18n/words.ts'
import lists from '../ui/list.module.css'
import classes from './day-chart.module.css'
import { type Measure, nameCost, sizeOf } from './spending.ts'
import tables from './spending-table.module.css'

type Bucket = components['schemas']['UsageBucket']

interface Props {
  /** Unix seconds. */
  from: number
  to: number
  buckets: Bucket[]
  measure: Measure
  currency: string
}

const DAY = 86_400
const HEIGHT = 140

const dayName = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** A bar for each day, tokens as output stacked on input; below it, on demand, the same numbers as a table. */
export function DayChart({ from, to, buckets, measure, currency }: Props) {
  const days = listDays(from, to).map((key) => ({ key, bucket: buckets.find((one) => one.key === key) }))
  const most = Math.max(...buckets.map((bucket) => sizeOf(bucket, measure)), Number.MIN_VALUE)
  const scale = (size: number) => (size / most) * HEIGHT
  const name = (size: number) =>
    measure === 'cost' ? formatSum({ amount: size, currency }) : formatCompact(size)
  return (
    <figure className={classes.chart}>
      <div className={classes.scale} aria-hidden>
        {name(most)}
      </div>
      <svg
        viewBox={`0 0 ${days.length * 10} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={classes.bars}
        aria-hidden
      >
        {days.map(({ key, bucket }, index) => (
          <g key={key}>
            <title>{`${nameDay(key)}: ${bucket ? describe(bucket) : '–'}`}</title>
            <rect x={index * 10} width={10} height={HEIGHT} className={classes.column} />
            {bucket &&
              listParts(bucket, measure).map(({ part, size }) => (
                <rect
                  key={part}
                  x={index * 10 + 1.5}
                  y={HEIGHT - scale(size)}
                  width={7}
                  height={scale(size)}
                  className={classes[part]}
                />
              ))}
          </g>
        ))}
      </svg>
      <figcaption className={classes.legend}>
        <span>{nameDay(days[0]!.key)}</span>
        {measure === 'tokens' && (
          <span>
            <i className={classes.input} /> {t('usage.input')} <i className={classes.output} />{' '}
            {t('usage.output')}
          </span>
        )}
        <span>{nameDay(days.at(-1)!.key)}</span>
      </figcaption>
      <details className={classes.details}>
        <summary>{t('usage.as_table')}</summary>
        <div className={lists.rows}>
          <table className={lists.table} aria-label={t('usage.by_day')}>
            <thead>
              <tr>
                <th scope="col">{t('usage.day')}</th>
                <th scope="col" className={tables.number}>
                  {t('usage.cost')}
                </th>
                <th scope="col" className={tables.number}>
                  {t('usage.tokens')}
                </th>
                <th scope="col" className={tables.number}>
                  {t('usage.calls_short')}
                </th>
              </tr>
            </thead>
            <tbody>
              {buckets.toReversed().map((bucket) => (
                <tr key={bucket.key}>
                  <th scope="row" className={tables.name}>
                    {nameDay(bucket.key)}
                  </th>
                  <td className={`${tables.number} ${bucket.cost ? '' : tables.unknown}`}>
                    {nameCost(bucket)}
                  </td>
                  <td className={tables.number}>{formatNumber(bucket.total_tokens)}</td>
                  <td className={tables.number}>{formatNumber(bucket.model_calls)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}

/** The bars of a day, each in front of the one before. */
const listParts = (bucket: Bucket, measure: Measure) =>
  measure === 'cost'
    ? [{ part: 'input' as const, size: sizeOf(bucket, 'cost') }]
    : [
        { part: 'output' as const, size: bucket.total_tokens },
        { part: 'input' as const, size: bucket.input_tokens },
      ]

const describe = (bucket: Bucket) =>
  [nameCost(bucket), t('tools.tokens', { count: bucket.total_tokens })].join(' · ')

const nameDay = (key: string) => dayName.format(new Date(`${key}T00:00:00Z`))

/** Lists the days of a span in UTC as YYYY-MM-DD. */
function listDays(from: number, to: number): string[] {
  const first = Math.floor(from / DAY)
  const length = Math.floor((to - 1) / DAY) - first + 1
  return Array.from({ length }, (_, index) =>
    new Date((first + index) * DAY * 1000).toISOString().slice(0, 10),
  )
}
