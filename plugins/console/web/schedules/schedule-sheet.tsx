import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { refresh } from '../server/send.ts'
import { useDraft } from '../ui/draft.ts'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { ScheduleFields } from './schedule-fields.tsx'
import {
  createSchedule,
  type Example,
  type ListedSchedule,
  newValues,
  readSchedule,
  type ScheduleValues,
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
      canSave={isComplete(draft.value)}
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
  const { data, error, refetch } = useQuery({
    queryKey: ['edit', schedule.id],
    queryFn: () => readSchedule(schedule),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (data) return <Editor stored={valuesOf(data.data)} tag={data.tag} {...{ agent, schedule, onClose }} />
  return (
    <Sheet title={schedule.name} onClose={onClose}>
      {error ? <Failure error={error} onRetry={refetch} /> : <Loading height={320} />}
    </Sheet>
  )
}

function Editor({
  stored,
  tag,
  agent,
  schedule,
  onClose,
}: EditProps & { stored: ScheduleValues; tag: string | null }) {
  const draft = useDraft(stored)
  const save = async () => {
    await updateSchedule(schedule, draft.base, draft.value, tag)
    await refresh('/agents/{id}/cron')
  }
  return (
    <Sheet
      title={schedule.name}
      isDirty={draft.isDirty}
      canSave={draft.isDirty && isComplete(draft.value)}
      onSave={save}
      onClose={onClose}
    >
      <ScheduleFields agent={agent} values={draft.value} onChange={draft.change} />
    </Sheet>
  )
}

const isComplete = ({ name, prompt, deliver }: ScheduleValues) =>
  name.trim() !== '' && prompt.trim() !== '' && deliver?.conversation_id !== ''
