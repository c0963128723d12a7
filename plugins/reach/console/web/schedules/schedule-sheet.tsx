import { Select } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { refresh } from '../server/send.ts'
import { useDraft } from '../ui/draft.ts'
import { EditSheet } from '../ui/edit-sheet.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { ScheduleFields } from './schedule-fields.tsx'
import {
  createSchedule,
  type Example,
  type ListedSchedule,
  newValues,
  readSchedule,
  updateSchedule,
  valuesOf,
} from './schedule-form.ts'

/** An agent that schedules can be made with. */
export interface ScheduledAgent {
  id: string
  name: string
  is_owner: boolean
}

interface NewProps {
  /** The agents among which one is chosen. */
  agents: ScheduledAgent[]
  /** The values with which the form begins; empty ones without it. */
  example?: Example | undefined
  onClose(): void
}

/** Makes a schedule, empty or from an example. */
export function NewSchedule({ agents, example, onClose }: NewProps) {
  const [agent, setAgent] = useState(agents[0]!)
  const draft = useDraft(newValues(example))
  const create = async () => {
    await createSchedule(agent.id, draft.value)
    await refresh('/agents/{id}/cron')
  }
  const choose = (id: string | null) => {
    setAgent(agents.find((one) => one.id === id) ?? agent)
    draft.change({ deliver: null })
  }
  return (
    <Sheet
      title={t('schedules.new')}
      isDirty={draft.isDirty}
      onSave={create}
      saveLabel={t('schedules.create')}
      onClose={onClose}
    >
      {agents.length > 1 && (
        <Select
          label={t('channels.agent')}
          data={agents.map(({ id, name }) => ({ value: id, label: name }))}
          value={agent.id}
          allowDeselect={false}
          searchable
          onChange={choose}
        />
      )}
      <ScheduleFields agent={agent} values={draft.value} onChange={draft.change} />
    </Sheet>
  )
}

interface EditProps {
  agent: ScheduledAgent
  schedule: ListedSchedule
  onClose(): void
}

/** Changes a schedule, as it is stored now. */
export function EditSchedule({ agent, schedule, onClose }: EditProps) {
  return (
    <EditSheet
      title={schedule.name}
      id={schedule.id}
      read={() => readSchedule(schedule)}
      valuesOf={({ data }) => valuesOf(data)}
      save={async ({ tag }, base, values) => {
        await updateSchedule(schedule, base, values, tag)
        await refresh('/agents/{id}/cron')
      }}
      onClose={onClose}
    >
      {(values, onChange) => <ScheduleFields {...{ agent, values, onChange }} />}
    </EditSheet>
  )
}
