import { Menu } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { Confirm } from '../ui/confirm.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { FilePath } from './file-path.tsx'
import { baseName, downloadFile, downloadFolder, type WorkspaceFile } from './files.ts'

interface Props {
  id: string
  file: WorkspaceFile
  canManage: boolean
  onFailure(error: unknown): void
}

/** Downloads, renames and deletes a file or folder. */
export function FileActions({ id, file, canManage, onFailure }: Props) {
  const [open, setOpen] = useState<'rename' | 'delete'>()
  const { path, kind } = file
  const name = baseName(path)
  const isFolder = kind === 'directory'

  const download = () => (isFolder ? downloadFolder(id, path) : downloadFile(id, path)).catch(onFailure)
  const remove = async () => {
    const query = { path, ...(isFolder && { recursive: true }) }
    await send<unknown>(client.DELETE('/agents/{id}/files', { params: { path: { id }, query } }))
    await refresh('/agents/{id}/files', '/agents/{id}/skills')
  }

  return (
    <>
      <RowMenu name={name} onDelete={canManage ? () => setOpen('delete') : undefined}>
        <Menu.Item onClick={download}>{t(isFolder ? 'agents.download_zip' : 'agents.download')}</Menu.Item>
        {canManage && <Menu.Item onClick={() => setOpen('rename')}>{t('agents.rename')}</Menu.Item>}
      </RowMenu>
      {open === 'rename' && <FilePath id={id} from={path} onClose={() => setOpen(undefined)} />}
      {open === 'delete' && (
        <Confirm
          title={t('models.delete_title', { name })}
          action={t('common.delete')}
          name={isFolder ? name : undefined}
          onConfirm={remove}
          onClose={() => setOpen(undefined)}
        >
          {t(isFolder ? 'agents.delete_folder' : 'agents.delete_file')}
        </Confirm>
      )}
    </>
  )
}
