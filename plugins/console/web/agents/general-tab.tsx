import { Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { listChanges, useDraft } from '../ui/draft.ts'
import { SettingsForm } from '../ui/settings-form.tsx'
import { GeneralFields, type GeneralValues } from './general-fields.tsx'
import { type Agent, type AgentChanges, updateAgent, useLoadedAgent } from './use-agent.ts'

/** The name, look and model of an agent; for guests what it is. */
export default function GeneralTab() {
  const { agent, tag, canManage } = useLoadedAgent()
  if (canManage) return <GeneralForm agent={agent} tag={tag} />
  return (
    <Stack gap="sm">
      <Text>{agent.description ?? t('agents.no_description')}</Text>
      <Text size="sm" c="var(--meta)">
        {t('agents.guest', { owner: agent.owner })}
      </Text>
    </Stack>
  )
}

const valuesOf = (agent: Agent): GeneralValues => {
  const { name, icon, color, description, default_model, config = {} } = agent
  return { name, icon, color, description, default_model, config }
}

function GeneralForm(props: { agent: Agent; tag: string | null }) {
  const { id } = props.agent
  const [tag, setTag] = useState(props.tag)
  const draft = useDraft(valuesOf(props.agent))
  const save = async () => {
    const stored = await updateAgent(id, listChanges(draft.base, draft.value) as AgentChanges, tag)
    setTag(stored.tag)
    draft.accept(valuesOf(stored.data))
  }
  return (
    <SettingsForm label={t('agents.general')} isDirty={draft.isDirty} onSave={save} onReset={draft.reset}>
      <GeneralFields values={draft.value} onChange={draft.change} />
    </SettingsForm>
  )
}
