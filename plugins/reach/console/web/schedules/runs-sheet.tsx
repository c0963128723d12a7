import { formatDate, formatDuration } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { Empty } from '../ui/empty.tsx'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { RunState } from './run-state.tsx'
import type { ListedSchedule } from './schedule-form.ts'

interface Props {
  schedule: ListedSchedule
  onClose(): void
}

/** The runs of a schedule with their outcomes; each leads to its conversation. */
export function RunsSheet({ schedule: { name, agent_id, id: job_id }, onClose }: Props) {
  const runs = useRows('/agents/{id}/cron/{job_id}/runs', { path: { id: agent_id, job_id } })
  return (
    <Sheet title={t('schedules.runs_of', { name })} onClose={onClose}>
      <List
        {...runs}
        label={t('schedules.runs')}
        keyOf={({ id }) => id}
        empty={<Empty title={t('schedules.no_runs')}>{t('schedules.no_runs_about')}</Empty>}
      >
        {({ due_at, started_at, ended_at, status, thread_id, error }) => (
          <ListRow
            title={formatDate(due_at ?? started_at)}
            meta={
              <>
                {error && <div>{error.message}</div>}
                {[
                  due_at === null && t('schedules.by_hand'),
                  status !== 'skipped' &&
                    ended_at !== null &&
                    ended_at > started_at &&
                    formatDuration(ended_at - started_at),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </>
            }
            {...(thread_id && {
              link: { to: '/chat/$agent/$thread', params: { agent: agent_id, thread: thread_id } },
            })}
          >
            <RunState status={status} />
          </ListRow>
        )}
      </List>
    </Sheet>
  )
}
