import { Button, FileButton, Group, Progress, Select, Stack, Text } from '@mantine/core'
import { type DragEvent, useRef, useState } from 'react'
import { formatBytes } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { Failure } from '../ui/failure.tsx'
import { Upload } from '../ui/icons.ts'
import { useAction } from '../ui/use-action.ts'
import classes from './imports.module.css'
import { uploadArchive } from './imports.ts'

/** The name of the agent that every account begins with. */
const DEFAULT_AGENT = 'assistant'

/** Chooses the agent and the archive, by a click or a drop, and shows how far it is uploaded. */
export function ArchiveDrop({ isDisabled, onUploaded }: { isDisabled: boolean; onUploaded(): void }) {
  const agents = useRows('/agents', { query: { limit: 200 } })
  const [chosen, setChosen] = useState<string | null>(null)
  const [isOver, setOver] = useState(false)
  const [sent, setSent] = useState<{ file: File; part: number }>()
  const leaving = useRef(new AbortController())
  const { isBusy, error, run } = useAction()
  const fallback = agents.rows?.find(({ name }) => name === DEFAULT_AGENT) ?? agents.rows?.[0]
  const agent = chosen ?? fallback?.id ?? null

  const upload = (file: File | null | undefined) => {
    if (!file || !agent || isDisabled || isBusy) return
    leaving.current = new AbortController()
    const { signal } = leaving.current
    setSent({ file, part: 0 })
    void run(async () => {
      try {
        await uploadArchive(file, { agent, signal, onProgress: (part) => setSent({ file, part }) })
        onUploaded()
      } finally {
        setSent(undefined)
      }
    })
  }
  const drop = {
    onDragOver: (event: DragEvent) => {
      event.preventDefault()
      setOver(event.dataTransfer.types.includes('Files'))
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setOver(false)
      upload(event.dataTransfer.files[0])
    },
  }
  return (
    <Stack gap="md">
      <Select
        label={t('imports.agent')}
        description={t('imports.agent_about')}
        maw={360}
        searchable
        allowDeselect={false}
        disabled={isBusy}
        data={(agents.rows ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={agent}
        onChange={setChosen}
      />
      {error !== undefined && <Failure error={error} about={t('imports.refused')} />}
      <div className={classes.drop} data-over={isOver || undefined} {...drop}>
        {sent ? (
          <Stack gap="xs" w="100%" maw={420}>
            <Text size="sm" role="status">
              {t('imports.uploading', { name: sent.file.name, size: formatBytes(sent.file.size) })}
            </Text>
            <Progress value={sent.part * 100} aria-label={t('imports.upload_progress')} />
            <Group justify="center">
              <Button variant="default" size="xs" onClick={() => leaving.current.abort()}>
                {t('common.cancel')}
              </Button>
            </Group>
          </Stack>
        ) : (
          <>
            <FileButton accept=".zip,.json,application/zip,application/json" onChange={upload}>
              {(props) => (
                <Button
                  {...props}
                  disabled={isDisabled || !agent}
                  leftSection={<Upload size={16} aria-hidden />}
                >
                  {t('imports.choose')}
                </Button>
              )}
            </FileButton>
            <Text size="sm" c="var(--meta)">
              {t(isDisabled ? 'imports.wait' : 'imports.drop')}
            </Text>
          </>
        )}
      </div>
    </Stack>
  )
}
