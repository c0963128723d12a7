import { Switch, Textarea, TextInput } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { refresh } from '../server/send.ts'
import { listChanges, useDraft } from '../ui/draft.ts'
import { useIssue } from '../ui/issues.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { type BaseValues, changeBase, createBase, type KnowledgeBase } from './knowledge.ts'

interface Props {
  /** The knowledge base to change, with the tag of its version; undefined for a new one. */
  stored?: { base: KnowledgeBase; tag: string | null }
  onSaved?(base: KnowledgeBase): void
  onClose(): void
}

const EMPTY: BaseValues = { name: '', description: null, is_default: false }

/** Creates a knowledge base, or changes its settings. */
export function BaseSheet({ stored, onSaved, onClose }: Props) {
  const { name, description, is_default } = stored?.base ?? EMPTY
  const draft = useDraft<BaseValues>({ name, description, is_default })
  const save = async () => {
    const base = await (stored
      ? changeBase(stored.base.id, listChanges(draft.base, draft.value), stored.tag)
      : createBase(draft.value))
    onSaved?.(base)
    await refresh('/knowledge-bases')
  }
  return (
    <Sheet
      title={t(stored ? 'knowledge.edit' : 'knowledge.create')}
      isDirty={draft.isDirty}
      canSave={draft.isDirty && draft.value.name.trim() !== ''}
      onSave={save}
      onClose={onClose}
    >
      <Fields values={draft.value} onChange={draft.change} isOwner={stored?.base.is_owner ?? true} />
    </Sheet>
  )
}

interface FieldsProps {
  values: BaseValues
  onChange(changes: Partial<BaseValues>): void
  /** True if new conversations of the account can use it by default. */
  isOwner: boolean
}

function Fields({ values, onChange, isOwner }: FieldsProps) {
  return (
    <>
      <TextInput
        label={t('knowledge.name')}
        required
        withAsterisk={false}
        maxLength={100}
        error={useIssue('/name')}
        value={values.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        autoComplete="off"
        data-autofocus
      />
      <Textarea
        label={t('knowledge.description')}
        description={t('knowledge.description_help')}
        maxLength={2000}
        autosize
        minRows={3}
        maxRows={8}
        error={useIssue('/description')}
        value={values.description ?? ''}
        onChange={(event) => onChange({ description: event.currentTarget.value || null })}
      />
      {isOwner && (
        <Switch
          label={t('knowledge.default')}
          description={t('knowledge.default_help')}
          checked={values.is_default}
          onChange={(event) => onChange({ is_default: event.currentTarget.checked })}
        />
      )}
    </>
  )
}
