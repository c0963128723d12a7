import { formatDate, formatDuration } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { EVENT_TYPES } from './event-types.ts'
import type { Event, Turn } from './steps.ts'
import { readSummary } from './summary.ts'
import classes from './timeline.module.css'

interface Props {
  turns: Turn[]
  onOpen(event: Event): void
}

/** The steps of each turn in their order; each step opens all that is known about it. */
export function Timeline({ turns, onOpen }: Props) {
  return (
    <ol className={classes.turns} aria-label={t('trajectory.turns')}>
      {turns.map(({ turn_id, steps }) => (
        <li key={turn_id} className={classes.turn}>
          <ol className={classes.steps}>
            {steps.map((step) => {
              const { key, type, ts, duration_ms, event } = step
              const { icon: Icon, label } = EVENT_TYPES[type]
              return (
                <li key={key}>
                  <button
                    type="button"
                    className={classes.step}
                    data-type={type}
                    onClick={() => onOpen(event)}
                  >
                    <Icon size={16} aria-hidden className={classes.icon} />
                    <span className={classes.label}>{t(label)}</span>
                    <span className={classes.text}>{readSummary(step)}</span>
                    <span className={classes.time}>
                      {duration_ms === undefined ? (
                        <time dateTime={new Date(ts * 1000).toISOString()}>{formatDate(ts)}</time>
                      ) : (
                        formatDuration(duration_ms / 1000)
                      )}
                    </span>
                  </button>
                </li>
              )
            })}
          </ol>
        </li>
      ))}
    </ol>
  )
}
