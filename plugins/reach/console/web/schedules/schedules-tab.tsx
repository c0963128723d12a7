import { Button, Stack } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useLoadedAgent } from '../agents/use-agent.ts'
import { t } from '../i18n/words.ts'
import { Empty } from '../ui/empty.tsx'
import { Plus } from '../ui/icons.ts'
import { Examples, useExamples } from './examples.tsx'
import type { Example } from './schedule-form.ts'
import { ScheduleList } from './schedule-list.tsx'
import { NewSchedule } from './schedule-sheet.tsx'
import { useSchedules } from './use-schedules.ts'

/** The own schedules with an agent; the address can open one of the examples. */
export default function SchedulesTab() {
  const { agent } = useLoadedAgent()
  const schedules = useSchedules([agent.id])
  const examples = useExamples(agent.id)
  const { example: number } = useSearch({ from: '/agents/$id/schedules' })
  const navigate = useNavigate({ from: '/agents/$id/schedules' })
  const [adding, setAdding] = useState<{ example?: Example }>()
  const linked = number === undefined ? undefined : examples?.[number]
  const open = adding ?? (linked && { example: linked })
  const close = () => {
    setAdding(undefined)
    if (number !== undefined) void navigate({ search: {}, replace: true })
  }
  const add = (
    <Button variant="default" leftSection={<Plus size={16} />} onClick={() => setAdding({})}>
      {t('schedules.add')}
    </Button>
  )
  return (
    <Stack gap="lg">
      <ScheduleList
        {...schedules}
        agents={[agent]}
        controls={add}
        empty={
          <Empty title={t('schedules.empty')} action={add}>
            {t('schedules.about')}
          </Empty>
        }
      />
      {examples && (
        <Examples agentId={agent.id} examples={examples} onOpen={(example) => setAdding({ example })} />
      )}
      {open && <NewSchedule agents={[agent]} example={open.example} onClose={close} />}
    </Stack>
  )
}
