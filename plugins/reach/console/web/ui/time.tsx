import { useEffect, useState } from 'react'
import { formatAge, formatExactDate } from '../i18n/format.ts'

const MINUTE_MS = 60_000

/** A time of the API, in Unix seconds, as seen from now, with the full date on hover. */
export function Time({ at }: { at: number }) {
  const [, setMinute] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setMinute((minute) => minute + 1), MINUTE_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={formatExactDate(at)}>
      {formatAge(at)}
    </time>
  )
}
