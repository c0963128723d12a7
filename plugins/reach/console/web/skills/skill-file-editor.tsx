import { ActionIcon, Button, Group, Select, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { Plus, Trash2 } from '../ui/icons.ts'
import { useIssue } from '../ui/issues.tsx'
import { MAIN_FILE, type SkillFile } from './skill-files.ts'

interface Props {
  files: SkillFile[]
  canChange: boolean
  onChange(files: SkillFile[]): void
}

/** Shows and edits the files of a skill one at a time. */
export function SkillFileEditor({ files, canChange, onChange }: Props) {
  const [path, setPath] = useState(MAIN_FILE)
  const [added, setAdded] = useState('')
  const index = files.findIndex((file) => file.path === path)
  const file = files[index]
  const error = useIssue('/files')

  const add = () => {
    const path = added.trim().replace(/^\/+/, '')
    if (!path) return
    if (!files.some((file) => file.path === path)) onChange([...files, { path, content: '' }])
    setPath(path)
    setAdded('')
  }
  const remove = () => {
    onChange(files.filter((file) => file.path !== path))
    setPath(MAIN_FILE)
  }

  return (
    <>
      <Group gap="sm" align="flex-end" wrap="nowrap">
        <Select
          flex={1}
          label={t('agents.skill_file')}
          data={files.map(({ path }) => path)}
          value={path}
          allowDeselect={false}
          onChange={(path) => path && setPath(path)}
        />
        {canChange && path !== MAIN_FILE && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t('forms.remove', { name: path })}
            onClick={remove}
          >
            <Trash2 size={16} />
          </ActionIcon>
        )}
      </Group>
      {file && 'content' in file ? (
        <Textarea
          aria-label={path}
          error={error}
          autosize
          minRows={16}
          maxRows={28}
          spellCheck={false}
          readOnly={!canChange}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
          value={file.content}
          onChange={(event) => onChange(files.with(index, { ...file, content: event.currentTarget.value }))}
        />
      ) : (
        <Text size="sm" c="var(--meta)">
          {t('agents.skill_binary')}
        </Text>
      )}
      {canChange && (
        <Group gap="sm" align="flex-end" wrap="nowrap">
          <TextInput
            flex={1}
            label={t('agents.skill_add_file')}
            placeholder="references/notes.md"
            value={added}
            onChange={(event) => setAdded(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              add()
            }}
          />
          <Button variant="default" leftSection={<Plus size={14} />} onClick={add} disabled={!added.trim()}>
            {t('forms.add')}
          </Button>
        </Group>
      )}
    </>
  )
}
