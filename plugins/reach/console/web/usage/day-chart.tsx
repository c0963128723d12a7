import type { components } from '#client'
import { formatCompact, formatNumber } from '../i18n/format.ts'
import { language } from '../i18n/language.ts'
import { t } from '../i18n/words.ts'
import classes from './day-chart.module.css'

interface Props {
  /** Unix seconds; null if the window has no beginning. */
  from: number | null
  to: number
  buckets: components['schemas']['UsageBucket'][]
}

const DAY = 86_400
const HEIGHT = 140
/** Windows without an end are cut to the days that fit. */
const MAX_DAYS = 90

const dayName = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** A bar for each day, output stacked on input; a table for screen readers. */
export function DayChart({ from, to, buckets }: Props) {
  const days = fillDays(from, to, buckets)
  const most = Math.max(...days.map(({ total_tokens }) => total_tokens), 1)
  const scale = (tokens: number) => (tokens / most) * HEIGHT
  return (
    <figure className={classes.chart}>
      <div className={classes.scale} aria-hidden>
        {formatCompact(most)}
      </div>
      <svg
        viewBox={`0 0 ${days.length * 10} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={classes.bars}
        aria-hidden
      >
        {days.map(({ key, input_tokens, total_tokens }, index) => (
          <g key={key}>
            <title>{`${nameDay(key)}: ${formatNumber(total_tokens)}`}</title>
            <rect x={index * 10} width={10} height={HEIGHT} className={classes.column} />
            <rect
              x={index * 10 + 1.5}
              y={HEIGHT - scale(total_tokens)}
              width={7}
              height={scale(total_tokens)}
              className={classes.output}
            />
            <rect
              x={index * 10 + 1.5}
              y={HEIGHT - scale(input_tokens)}
              width={7}
              height={scale(input_tokens)}
              className={classes.input}
            />
          </g>
        ))}
      </svg>
      <figcaption className={classes.legend}>
        <span>{nameDay(days[0]!.key)}</span>
        <span>
          <i className={classes.input} /> {t('usage.input')} <i className={classes.output} />{' '}
          {t('usage.output')}
        </span>
        <span>{nameDay(days.at(-1)!.key)}</span>
      </figcaption>
      <table className={classes.table}>
        <caption>{t('usage.by_day')}</caption>
        <tbody>
          {buckets.map(({ key, total_tokens }) => (
            <tr key={key}>
              <th scope="row">{nameDay(key)}</th>
              <td>{formatNumber(total_tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}

const nameDay = (key: string) => dayName.format(new Date(`${key}T00:00:00Z`))

/** All days of a window, also those without calls. */
function fillDays(from: number | null, to: number, buckets: Props['buckets']) {
  const first =
    Date.parse(`${buckets[0]?.key ?? new Date(to * 1000).toISOString().slice(0, 10)}T00:00:00Z`) / 1000
  const last = Math.floor(to / DAY)
  const start = Math.max(Math.floor((from ?? first) / DAY), last - MAX_DAYS + 1)
  return Array.from({ length: last - start + 1 }, (_, index) => {
    const key = new Date((start + index) * DAY * 1000).toISOString().slice(0, 10)
    return buckets.find((bucket) => bucket.key === key) ?? { key, input_tokens: 0, total_tokens: 0 }
  })
}
