import { useEffect, useState } from 'react'
import { formatDeadline } from '../../i18n/deadline.ts'
import { formatDate } from '../../i18n/format.ts'
import { t } from '../../i18n/words.ts'
import classes from './approval-card.module.css'

const MINUTE_MS = 60_000

/** The time until which a turn waits, in Unix seconds; the hint says what happens then. */
export function Expiry({ at, about }: { at: number; about?: string }) {
  const [, setMinute] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setMinute((minute) => minute + 1), MINUTE_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <time
      dateTime={new Date(at * 1000).toISOString()}
      title={[formatDate(at), about].filter(Boolean).join(' · ')}
      className={classes.expiry}
    >
      {t('approvals.expires', { time: formatDeadline(at) })}
    </time>
  )
}
