import { Textarea } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { useIssue } from '../ui/issues.tsx'
import { SettingsForm } from '../ui/settings-form.tsx'
import { AgentsFile } from './agents-file.tsx'
import { type Agent, useLoadedAgent } from './use-agent.ts'
import { useAgentDraft } from './use-agent-draft.ts'

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
  const { id } = useLoadedAgent().agent
  const draft = useAgentDraft(valuesOf)
  return (
    <>
      <SettingsForm
        label={t('agents.instructions')}
        isDirty={draft.isDirty}
        onSave={draft.save}
        onReset={draft.reset}
      >
        <InstructionsFields values={draft.value} onChange={draft.change} />
      </SettingsForm>
      <AgentsFile id={id} />
    </>
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
