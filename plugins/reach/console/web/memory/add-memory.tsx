import { NativeSelect, Textarea } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { useDraft } from '../ui/draft.ts'
import { useIssue } from '../ui/issues.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { addMemory, MAX_CHARS } from './memories.ts'
import type { AgentNames } from './use-agent-names.ts'

interface Props {
  names: AgentNames
  onClose(): void
}

/** Adds a memory by hand. */
export function AddMemory({ names, onClose }: Props) {
  const { value, isDirty, change } = useDraft({ text: '', agent_id: '' })
  return (
    <Sheet
      title={t('memory.add')}
      isDirty={isDirty}
      canSave={value.text.trim() !== ''}
      onSave={() => addMemory(value.text.trim(), value.agent_id)}
      onClose={onClose}
    >
      <Text value={value.text} onChange={(text) => change({ text })} />
      <NativeSelect
        label={t('memory.read_by')}
        description={t('memory.read_by_about')}
        value={value.agent_id}
        onChange={(event) => change({ agent_id: event.currentTarget.value })}
        data={[
          { value: '', label: t('memory.all_agents') },
          ...[...names].map(([id, name]) => ({ value: id, label: name })),
        ]}
      />
    </Sheet>
  )
}

const Text = ({ value, onChange }: { value: string; onChange(text: string): void }) => (
  <Textarea
    label={t('memory.text')}
    description={t('memory.text_about')}
    placeholder={t('memory.text_example')}
    value={value}
    maxLength={MAX_CHARS}
    error={useIssue('/text')}
    onChange={(event) => onChange(event.currentTarget.value)}
    autosize
    minRows={3}
    data-autofocus
  />
)
