import { Menu } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { t } from '../i18n/words.ts'
import { refresh } from '../server/send.ts'
import { Failure } from '../ui/failure.tsx'
import { List, type Rows } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { Time } from '../ui/time.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { useAction } from '../ui/use-action.ts'
import { describeRule } from './rule-words.ts'
import { RunState } from './run-state.tsx'
import { RunsSheet } from './runs-sheet.tsx'
import { deleteSchedule, enableSchedule, type ListedSchedule, runSchedule } from './schedule-form.ts'
import { EditSchedule, type ScheduledAgent } from './schedule-sheet.tsx'

interface Props extends Rows<ListedSchedule> {
  agents: ScheduledAgent[]
  empty: ReactNode
  controls?: ReactNode
}

/** Schedules with their next and last runs and their actions. */
export function ScheduleList({ agents, ...rows }: Props) {
  const [open, setOpen] = useState<{ dialog: 'edit' | 'runs'; schedule: ListedSchedule }>()
  const { error, run } = useAction()
  const close = () => setOpen(undefined)
  const agentOf = ({ agent_id }: ListedSchedule) => agents.find(({ id }) => id === agent_id)
  const agent = open && agentOf(open.schedule)

  const attempt = (change: (schedule: ListedSchedule) => Promise<unknown>, schedule: ListedSchedule) =>
    run(async () => {
      await change(schedule).finally(() => refresh('/agents/{id}/cron'))
    })
  const remove = async (schedule: ListedSchedule) => {
    await deleteSchedule(schedule)
    await refresh('/agents/{id}/cron')
  }

  return (
    <>
      {error !== undefined && <Failure error={error} />}
      <List
        {...rows}
        label={t('frame.schedules')}
        keyOf={({ id }) => id}
        textOf={(schedule) => `${schedule.name} ${agentOf(schedule)?.name ?? ''}`}
      >
        {(schedule) => (
          <ListRow
            title={schedule.name}
            meta={
              <>
                {[agents.length > 1 && agentOf(schedule)?.name, describeRule(schedule.schedule)]
                  .filter(Boolean)
                  .join(' · ')}
                <Times schedule={schedule} />
              </>
            }
            onOpen={() => setOpen({ dialog: 'edit', schedule })}
          >
            {schedule.last_status && <RunState status={schedule.last_status} />}
            <Toggle
              aria-label={t('schedules.enable', { name: schedule.name })}
              checked={schedule.enabled}
              onToggle={(enabled) => attempt(() => enableSchedule(schedule, enabled), schedule)}
            />
            <RowMenu
              name={schedule.name}
              onEdit={() => setOpen({ dialog: 'edit', schedule })}
              deletion={{ about: t('schedules.delete_about'), run: () => remove(schedule) }}
            >
              <Menu.Item onClick={() => attempt(runSchedule, schedule)}>{t('schedules.run_now')}</Menu.Item>
              <Menu.Item onClick={() => setOpen({ dialog: 'runs', schedule })}>
                {t('schedules.runs')}
              </Menu.Item>
            </RowMenu>
          </ListRow>
        )}
      </List>
      {open?.dialog === 'edit' && agent && (
        <EditSchedule agent={agent} schedule={open.schedule} onClose={close} />
      )}
      {open?.dialog === 'runs' && <RunsSheet schedule={open.schedule} onClose={close} />}
    </>
  )
}

/** The next and the last run of a schedule, or why it is paused. */
function Times({
  schedule: { enabled, paused_reason, next_run_at, last_run_at },
}: {
  schedule: ListedSchedule
}) {
  const state = paused_reason
    ? t(`schedules.paused_${paused_reason}`)
    : t(enabled ? 'schedules.nothing_due' : 'schedules.paused')
  return (
    <div>
      {next_run_at === null ? (
        state
      ) : (
        <>
          {t('schedules.next')} <Time at={next_run_at} />
        </>
      )}
      {last_run_at !== null && (
        <>
          {' · '}
          {t('schedules.last')} <Time at={last_run_at} />
        </>
      )}
    </div>
  )
}
