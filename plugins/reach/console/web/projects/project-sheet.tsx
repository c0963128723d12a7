import { Checkbox, Stack, Textarea, TextInput } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { useFacts } from '../server/facts.ts'
import { useRows } from '../server/pages.ts'
import { listChanges, useDraft } from '../ui/draft.ts'
import { useIssue } from '../ui/issues.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { changeProject, createProject, type Project, type ProjectValues } from './projects.ts'

interface Props {
  /** The project to change; undefined for a new one. */
  stored?: Project
  onSaved?(project: Project): void
  onClose(): void
}

const EMPTY: ProjectValues = { name: '', description: null, instructions: null, knowledge_base_ids: [] }

/** Creates a project, or changes its name, instructions and knowledge bases. */
export default function ProjectSheet({ stored, onSaved, onClose }: Props) {
  const { name, description, instructions, knowledge_base_ids } = stored ?? EMPTY
  const draft = useDraft<ProjectValues>({ name, description, instructions, knowledge_base_ids })
  const save = async () => {
    const project = stored
      ? await changeProject(stored.id, listChanges(draft.base, draft.value))
      : await createProject(draft.value)
    onSaved?.(project)
  }
  return (
    <Sheet
      title={t(stored ? 'projects.edit' : 'projects.create')}
      isDirty={draft.isDirty}
      canSave={draft.isDirty && draft.value.name.trim() !== ''}
      onSave={save}
      onClose={onClose}
    >
      <Fields values={draft.value} onChange={draft.change} />
    </Sheet>
  )
}

interface FieldsProps {
  values: ProjectValues
  onChange(changes: Partial<ProjectValues>): void
}

function Fields({ values, onChange }: FieldsProps) {
  const hasKnowledge = useFacts().features.knowledge === true
  return (
    <>
      <TextInput
        label={t('projects.name')}
        required
        withAsterisk={false}
        maxLength={100}
        error={useIssue('/name')}
        value={values.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        autoComplete="off"
        data-autofocus
      />
      <TextInput
        label={t('projects.description')}
        maxLength={2000}
        error={useIssue('/description')}
        value={values.description ?? ''}
        onChange={(event) => onChange({ description: event.currentTarget.value || null })}
      />
      <Textarea
        label={t('projects.instructions')}
        description={t('projects.instructions_help')}
        maxLength={16_000}
        autosize
        minRows={5}
        maxRows={16}
        error={useIssue('/instructions')}
        value={values.instructions ?? ''}
        onChange={(event) => onChange({ instructions: event.currentTarget.value || null })}
      />
      {hasKnowledge && <KnowledgeChoice values={values} onChange={onChange} />}
    </>
  )
}

function KnowledgeChoice({ values, onChange }: FieldsProps) {
  const { rows: bases = [] } = useRows('/knowledge-bases', { query: { limit: 200 } }, { staleTime: 0 })
  const error = useIssue('/knowledge_base_ids')
  if (bases.length === 0) return null
  return (
    <Checkbox.Group
      label={t('frame.knowledge')}
      description={t('projects.knowledge_help')}
      error={error}
      value={values.knowledge_base_ids}
      onChange={(knowledge_base_ids) => onChange({ knowledge_base_ids })}
    >
      <Stack gap={8} mt={8}>
        {bases.map(({ id, name }) => (
          <Checkbox key={id} size="sm" value={id} label={name} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
