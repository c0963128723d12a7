import { Anchor, Text, Textarea } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { listChanges, useDraft } from '../ui/draft.ts'
import { useIssue } from '../ui/issues.tsx'
import { SettingsForm } from '../ui/settings-form.tsx'
import { type Agent, updateAgent, useLoadedAgent } from './use-agent.ts'

interface Values {
  system_prompt: string | null
  welcome_message: string | null
}

const valuesOf = ({ system_prompt = null, welcome_message }: Agent): Values => ({
  system_prompt,
  welcome_message,
})

/** The instructions of an agent, and what it says first. */
export default function InstructionsTab() {
  const loaded = useLoadedAgent()
  const { id } = loaded.agent
  const [tag, setTag] = useState(loaded.tag)
  const draft = useDraft(valuesOf(loaded.agent))
  const save = async () => {
    const stored = await updateAgent(id, listChanges(draft.base, draft.value), tag)
    setTag(stored.tag)
    draft.accept(valuesOf(stored.data))
  }
  return (
    <SettingsForm
      label={t('agents.instructions')}
      isDirty={draft.isDirty}
      onSave={save}
      onReset={draft.reset}
    >
      <InstructionsFields values={draft.value} onChange={draft.change} />
      <Text size="sm" c="var(--meta)">
        {t('agents.instructions_files')}{' '}
        <Anchor
          size="sm"
          underline="always"
          renderRoot={(props) => <Link {...props} to="/agents/$id/files" params={{ id }} />}
        >
          {t('agents.instructions_open_files')}
        </Anchor>
      </Text>
    </SettingsForm>
  )
}

function InstructionsFields({
  values,
  onChange,
}: {
  values: Values
  onChange(changes: Partial<Values>): void
}) {
  return (
    <>
      <Textarea
        label={t('agents.system_prompt')}
        description={t('agents.system_prompt_help')}
        autosize
        minRows={10}
        maxRows={28}
        error={useIssue('/system_prompt')}
        value={values.system_prompt ?? ''}
        onChange={(event) => onChange({ system_prompt: event.currentTarget.value || null })}
      />
      <Textarea
        label={t('agents.welcome')}
        description={t('agents.welcome_help')}
        autosize
        minRows={3}
        maxRows={10}
        error={useIssue('/welcome_message')}
        value={values.welcome_message ?? ''}
        onChange={(event) => onChange({ welcome_message: event.currentTarget.value || null })}
      />
    </>
  )
}
