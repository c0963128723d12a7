import { Alert, Checkbox, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { useDraft } from '../ui/draft.ts'
import { useIssue } from '../ui/issues.tsx'
import { Pending } from '../ui/pending.tsx'
import { Sheet } from '../ui/sheet.tsx'
import type { Agent } from './use-agent.ts'

interface Props {
  agent: Agent
  onClose(): void
}

interface Values {
  name: string
  description: string
  /** Files written by turns that are published nevertheless. */
  include_files: string[]
}

/** Publishes a copy of an agent, after it has shown which files are copied and which are left out. */
export function PublishSheet({ agent, onClose }: Props) {
  const { name, description } = agent
  const draft = useDraft<Values>({ name, description: description ?? '', include_files: [] })
  const [isDone, setDone] = useState(false)
  const params = { path: { id: agent.id } }
  const publish = async () => {
    const { name, description, include_files } = draft.value
    const body = { name, description: description || null, include_files }
    await send(client.POST('/agents/{id}/publish-expert', { params, body }))
    await refresh('/experts/published')
    setDone(true)
  }
  return (
    <Sheet
      title={t('agents.publish')}
      isDirty={draft.isDirty && !isDone}
      onSave={isDone ? undefined : publish}
      saveLabel={t('agents.publish_action')}
      closesOnSave={false}
      onClose={onClose}
    >
      {isDone ? (
        <Alert color="indigo" variant="light" role="status">
          {t('agents.publish_done', { name: draft.value.name })}
        </Alert>
      ) : (
        <>
          <PublishFields values={draft.value} onChange={draft.change} />
          <PublishPreview
            id={agent.id}
            chosen={draft.value.include_files}
            onChange={(include_files) => draft.change({ include_files })}
          />
        </>
      )}
    </Sheet>
  )
}

function PublishFields({ values, onChange }: { values: Values; onChange(changes: Partial<Values>): void }) {
  return (
    <>
      <TextInput
        label={t('agents.name')}
        required
        error={useIssue('/name')}
        value={values.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        autoComplete="off"
      />
      <Textarea
        label={t('agents.description')}
        autosize
        minRows={2}
        error={useIssue('/description')}
        value={values.description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
    </>
  )
}

interface PreviewProps {
  id: string
  chosen: string[]
  onChange(paths: string[]): void
}

function PublishPreview({ id, chosen, onChange }: PreviewProps) {
  const preview = useQuery({
    queryKey: ['publish', id, chosen],
    queryFn: () =>
      send(
        client.POST('/agents/{id}/publish-expert/preview', {
          params: { path: { id } },
          body: { include_files: chosen },
        }),
      ),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const [offered, setOffered] = useState<string[]>([])
  if (!preview.data || preview.error) return <Pending {...preview} height={160} />
  const { files, left_out } = preview.data
  const written = left_out.filter(({ reason }) => reason === 'written_by_turn').map(({ path }) => path)
  const choices = [...new Set([...offered, ...written])]
  const refused = left_out.filter(({ reason }) => reason !== 'written_by_turn')
  const choose = (paths: string[]) => {
    setOffered(choices)
    onChange(paths)
  }
  return (
    <Stack gap="md">
      <FileNames title={t('agents.publish_files', { count: files.length })} paths={files} />
      {refused.length > 0 && (
        <Stack gap={4}>
          <Text size="sm" fw={600}>
            {t('agents.publish_left_out')}
          </Text>
          <Text component="ul" size="sm" m={0}>
            {refused.map(({ path, reason }) => (
              <li key={path}>
                {path} · {t(`agents.left_out_${reason}`)}
              </li>
            ))}
          </Text>
        </Stack>
      )}
      {choices.length > 0 && (
        <Checkbox.Group label={t('agents.publish_written')} value={chosen} onChange={choose}>
          <Stack gap="xs" mt="sm">
            {choices.map((path) => (
              <Checkbox key={path} value={path} label={path} size="sm" />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      <Text size="xs" c="var(--meta)">
        {t('agents.publish_never')}
      </Text>
    </Stack>
  )
}

function FileNames({ title, paths }: { title: string; paths: string[] }) {
  return (
    <Text component="details" size="sm">
      <summary>{title}</summary>
      <ul>
        {paths.map((path) => (
          <li key={path}>{path}</li>
        ))}
      </ul>
    </Text>
  )
}
