import { Button } from '@mantine/core'
import { useState } from 'react'
import { useAgent } from '../chat/use-agent.ts'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { Plus } from '../ui/icons.ts'
import { Page } from '../ui/page.tsx'
import { Examples, useExamples } from './examples.tsx'
import type { Example } from './schedule-form.ts'
import { ScheduleList } from './schedule-list.tsx'
import { NewSchedule } from './schedule-sheet.tsx'
import { useSchedules } from './use-schedules.ts'

/** The schedules of the account with all agents. */
export default function SchedulesPage() {
  const { rows: agents, error, refetch } = useRows('/agents', { query: { limit: 200 } })
  const { agent: lastAgent } = useAgent(undefined)
  const schedules = useSchedules(agents?.map(({ id }) => id) ?? [])
  const [adding, setAdding] = useState<{ example?: Example }>()
  // The agent that was used last comes first in the form.
  const offered = agents?.toSorted(
    (left, right) => Number(right.id === lastAgent?.id) - Number(left.id === lastAgent?.id),
  )
  const add = offered && offered.length > 0 && (
    <Button leftSection={<Plus size={16} />} onClick={() => setAdding({})}>
      {t('schedules.add')}
    </Button>
  )
  return (
    <Page title={t('frame.schedules')} about={t('schedules.about')} actions={add}>
      {error ? (
        <Failure error={error} onRetry={refetch} />
      ) : (
        <ScheduleList
          {...schedules}
          rows={agents && schedules.rows}
          agents={agents ?? []}
          empty={
            <Empty title={t('schedules.empty')} action={add}>
              {t('schedules.about')}
            </Empty>
          }
        />
      )}
      {lastAgent && <ExamplesOf agentId={lastAgent.id} onOpen={(example) => setAdding({ example })} />}
      {adding && offered && (
        <NewSchedule agents={offered} example={adding.example} onClose={() => setAdding(undefined)} />
      )}
    </Page>
  )
}

function ExamplesOf({ agentId, onOpen }: { agentId: string; onOpen(example: Example): void }) {
  const examples = useExamples(agentId)
  return examples && <Examples {...{ agentId, examples, onOpen }} />
}
