import { Anchor, Breadcrumbs, Button, FileButton, Group, Stack } from '@mantine/core'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { formatBytes } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { useRows } from '../server/pages.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { File, Folder, FolderPlus, Upload } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Time } from '../ui/time.tsx'
import { FileActions } from './file-actions.tsx'
import { FilePath } from './file-path.tsx'
import { FilePreview } from './file-preview.tsx'
import { baseName, joinPath, type WorkspaceFile, writeFile } from './files.ts'
import { useLoadedAgent } from './use-agent.ts'

/** The workspace of an agent, folder by folder; guests see the files of their own threads. */
export default function FilesTab() {
  const { agent } = useLoadedAgent()
  const canEdit = agent.can_edit
  const { id } = agent
  const { path = '' } = useSearch({ from: '/agents/$id/files' })
  const files = useRows('/agents/{id}/files', { path: { id }, query: path ? { path } : {} })
  const [shown, setShown] = useState<WorkspaceFile>()
  const [isNaming, setNaming] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [existingFiles, setExistingFiles] = useState<File[]>([])
  const [error, setError] = useState<unknown>()

  const upload = async (chosen: File[]) => {
    setBusy(true)
    setError(undefined)
    const existing: File[] = []
    for (const file of chosen)
      try {
        await writeFile(id, joinPath(path, file.name), file, { 'If-None-Match': '*' })
      } catch (reason) {
        if (readFailure(reason).code === 'PRECONDITION_FAILED') existing.push(file)
        else setError(reason)
      }
    setExistingFiles(existing)
    setBusy(false)
  }
  const replace = async () => {
    for (const file of existingFiles) await writeFile(id, joinPath(path, file.name), file)
    setExistingFiles([])
  }

  const controls = canEdit && (
    <>
      <Button variant="default" leftSection={<FolderPlus size={16} />} onClick={() => setNaming(true)}>
        {t('agents.folder_new')}
      </Button>
      <FileButton onChange={upload} multiple>
        {(props) => (
          <Button {...props} variant="default" leftSection={<Upload size={16} />} loading={isBusy}>
            {t('agents.upload')}
          </Button>
        )}
      </FileButton>
    </>
  )

  return (
    <Stack
      gap="md"
      {...(canEdit && {
        onDragOver: (event) => event.preventDefault(),
        onDrop: (event) => {
          event.preventDefault()
          upload([...event.dataTransfer.files])
        },
      })}
    >
      <Group justify="space-between" gap="sm">
        <Folders id={id} path={path} />
        {canEdit && (
          <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/storage" search={{ agent: id }} />}>
            {t('storage.title')}
          </Anchor>
        )}
      </Group>
      {error !== undefined && <Failure error={error} />}
      <List
        key={path}
        {...files}
        label={t('agents.files')}
        keyOf={({ path }) => path}
        textOf={({ path }) => baseName(path)}
        controls={controls}
        empty={
          <Empty title={t('agents.no_files')} action={controls}>
            {t(canEdit ? 'agents.no_files_about' : 'agents.no_files_guest')}
          </Empty>
        }
      >
        {(file) => (
          <ListRow
            icon={
              file.kind === 'directory' ? <Folder size={18} aria-hidden /> : <File size={18} aria-hidden />
            }
            title={baseName(file.path)}
            meta={
              <>
                {file.document?.pages !== undefined &&
                  `${t('chat.document_pages', { count: file.document.pages })} · `}
                {file.size !== null && `${formatBytes(file.size)} · `}
                <Time at={file.updated_at} />
              </>
            }
            {...(file.kind === 'directory'
              ? { link: { to: '/agents/$id/files', params: { id }, search: { path: file.path } } }
              : { onOpen: () => setShown(file) })}
          >
            <FileActions id={id} file={file} canEdit={canEdit} onFailure={setError} />
          </ListRow>
        )}
      </List>
      {shown && <FilePreview id={id} file={shown} canEdit={canEdit} onClose={() => setShown(undefined)} />}
      {isNaming && <FilePath id={id} folder={path} onClose={() => setNaming(false)} />}
      {existingFiles.length > 0 && (
        <Confirm
          title={t('agents.replace_title', { count: existingFiles.length })}
          action={t('forms.replace')}
          onConfirm={replace}
          onClose={() => setExistingFiles([])}
        >
          {existingFiles.map(({ name }) => name).join(', ')}
        </Confirm>
      )}
    </Stack>
  )
}

/** The folders from the workspace to the one in view. */
function Folders({ id, path }: { id: string; path: string }) {
  const parts = path.split('/').filter(Boolean)
  return (
    <Breadcrumbs component="nav" aria-label={t('agents.folder')} separatorMargin={6}>
      {['', ...parts].map((name, index) => (
        <Anchor
          key={parts.slice(0, index).join('/')}
          size="sm"
          renderRoot={(props) => (
            <Link
              {...props}
              to="/agents/$id/files"
              params={{ id }}
              search={index === 0 ? {} : { path: parts.slice(0, index).join('/') }}
            />
          )}
        >
          {name || t('agents.workspace')}
        </Anchor>
      ))}
    </Breadcrumbs>
  )
}
