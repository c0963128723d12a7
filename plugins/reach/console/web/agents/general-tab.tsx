import { Stack, Text } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { SettingsForm } from '../ui/settings-form.tsx'
import { GeneralFields, type GeneralValues } from './general-fields.tsx'
import { type Agent, useLoadedAgent } from './use-agent.ts'
import { useAgentDraft } from './use-agent-draft.ts'

/** The name, look and model of an agent; for guests what it is. */
export default function GeneralTab() {
  const { agent } = useLoadedAgent()
  if (agent.can_edit) return <GeneralForm />
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
  const { name, icon, color, description, default_model, knowledge_base_ids, config = {} } = agent
  return {
    name,
    icon,
    color,
    description,
    default_model,
    config,
    ...(knowledge_base_ids && { knowledge_base_ids }),
  }
}

function GeneralForm() {
  const draft = useAgentDraft(valuesOf)
  return (
    <SettingsForm
      label={t('agents.general')}
      isDirty={draft.isDirty}
      onSave={draft.save}
      onReset={draft.reset}
    >
      <GeneralFields values={draft.value} onChange={draft.change} />
    </SettingsForm>
  )
}
