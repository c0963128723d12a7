import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatAge } from '../i18n/format.ts'
import { language } from '../i18n/language.ts'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { readFailure } from '../server/failure.ts'
import { send } from '../server/send.ts'
import classes from './next-times.module.css'
import { ownTimezone, type TimeRule } from './rule.ts'
import { describeRule } from './rule-words.ts'

const DEBOUNCE_MS = 250

const dates = new Intl.DateTimeFormat(language, {
  weekday: 'short',
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
})

/** A rule in words, and the dates at which it comes next, as the server computes them. */
export function NextTimes({ agentId, rule }: { agentId: string; rule: TimeRule }) {
  const [schedule] = useDebouncedValue(rule, DEBOUNCE_MS)
  const { data, error } = useQuery({
    queryKey: ['preview', agentId, schedule],
    queryFn: () =>
      send(
        client.POST('/agents/{id}/cron/preview', { params: { path: { id: agentId } }, body: { schedule } }),
      ),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  })
  return (
    <section className={classes.preview} aria-label={t('schedules.next_times')} aria-live="polite">
      <Text size="sm" fw={500}>
        {describeRule(schedule)}
      </Text>
      {error ? (
        <Text size="sm" c="var(--danger)">
          {t('schedules.no_times')} {readFailure(error).issues[0]?.message}
        </Text>
      ) : (
        <ol className={classes.times}>
          {data?.times.map((at, index) => (
            <li key={at}>
              {dates.format(at * 1000)}
              {index === 0 && <span className={classes.age}> · {formatAge(at)}</span>}
            </li>
          ))}
        </ol>
      )}
      {'cron' in schedule && schedule.timezone !== ownTimezone && (
        <Text size="xs" c="var(--meta)">
          {t('schedules.own_zone', { zone: ownTimezone })}
        </Text>
      )}
    </section>
  )
}
