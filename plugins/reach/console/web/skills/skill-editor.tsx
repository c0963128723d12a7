import { Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { api, client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { useDraft } from '../ui/draft.ts'
import { useIssue } from '../ui/issues.tsx'
import { Pending } from '../ui/pending.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { SkillFileEditor } from './skill-file-editor.tsx'
import { MAIN_FILE, newSkill, type SkillFile, toSlug } from './skill-files.ts'

interface Props {
  /** The list that the skill belongs to: that of an agent or of a package. */
  list: '/agents/{id}/skills' | '/skill-packages/{id}/skills'
  id: string
  /** The skill that is edited; a new one has none yet. */
  slug?: string
  canChange?: boolean
  onClose(): void
}

/** Writes a skill of an agent or a package: a new one by its name, an existing one file by file. */
export function SkillEditor({ slug, ...props }: Props) {
  return slug === undefined ? <NewSkill {...props} /> : <LoadedSkill {...props} slug={slug} />
}

const refreshSkills = () => refresh('/agents/{id}/skills', '/skill-packages')

function NewSkill({ list, id, onClose }: Omit<Props, 'slug'>) {
  const draft = useDraft({ name: '', description: '' })
  const [created, setCreated] = useState<string>()
  const { name, description } = draft.value
  const slug = toSlug(name)
  const create = async () => {
    const files = [{ path: MAIN_FILE, content: newSkill(slug, description) }]
    await send<unknown>(client.POST(list, { params: { path: { id } }, body: { slug, files } }))
    await refreshSkills()
    setCreated(slug)
  }
  if (created) return <LoadedSkill list={list} id={id} slug={created} onClose={onClose} />
  return (
    <Sheet
      title={t('agents.skill_new')}
      isDirty={draft.isDirty}
      canSave={slug !== '' && description.trim() !== ''}
      onSave={create}
      saveLabel={t('agents.skill_create')}
      closesOnSave={false}
      onClose={onClose}
    >
      <NewSkillFields values={draft.value} slug={slug} onChange={draft.change} />
    </Sheet>
  )
}

interface FieldsProps {
  values: { name: string; description: string }
  slug: string
  onChange(changes: Partial<FieldsProps['values']>): void
}

function NewSkillFields({ values, slug, onChange }: FieldsProps) {
  return (
    <>
      <TextInput
        label={t('agents.skill_name')}
        description={
          slug && slug !== values.name ? t('agents.skill_slug', { slug }) : t('agents.skill_name_help')
        }
        required
        error={useIssue('/slug')}
        value={values.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        autoComplete="off"
      />
      <Textarea
        label={t('agents.skill_description')}
        description={t('agents.skill_description_help')}
        required
        autosize
        minRows={3}
        error={useIssue('/files')}
        value={values.description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
    </>
  )
}

function LoadedSkill(props: Props & { slug: string }) {
  const { list, id, slug, onClose } = props
  const params = { path: { id, slug }, query: { contents: true } }
  const { data, error, refetch } = api.useQuery('get', `${list}/{slug}`, { params }, { gcTime: 0 })
  if (data?.contents) return <FilesEditor {...props} name={data.name} files={data.contents} />
  return (
    <Sheet title={slug} onClose={onClose} width={760}>
      <Pending error={error} refetch={refetch} height={320} />
    </Sheet>
  )
}

function FilesEditor(props: Props & { slug: string; name: string; files: SkillFile[] }) {
  const { list, id, slug, name, canChange = true, onClose } = props
  const draft = useDraft({ files: props.files })
  const { files } = draft.value
  const save = async () => {
    await send<unknown>(client.PUT(`${list}/{slug}`, { params: { path: { id, slug } }, body: { files } }))
    await refreshSkills()
  }
  return (
    <Sheet
      title={name}
      width={760}
      isDirty={draft.isDirty}
      canSave={draft.isDirty}
      onSave={canChange ? save : undefined}
      onClose={onClose}
    >
      <SkillFileEditor files={files} canChange={canChange} onChange={(files) => draft.change({ files })} />
    </Sheet>
  )
}
