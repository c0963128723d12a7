import { Menu } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { RowMenu } from '../ui/row-menu.tsx'
import { FilePath } from './file-path.tsx'
import { baseName, downloadFile, downloadFolder, type WorkspaceFile } from './files.ts'

interface Props {
  id: string
  file: WorkspaceFile
  canEdit: boolean
  onFailure(error: unknown): void
}

/** Downloads, renames and deletes a file or folder. */
export function FileActions({ id, file, canEdit, onFailure }: Props) {
  const [isRenaming, setRenaming] = useState(false)
  const { path, kind } = file
  const name = baseName(path)
  const isFolder = kind === 'directory'

  const download = () => (isFolder ? downloadFolder(id, path) : downloadFile(id, path)).catch(onFailure)
  const remove = async () => {
    const query = { path, ...(isFolder && { recursive: true }) }
    await send<unknown>(client.DELETE('/agents/{id}/files', { params: { path: { id }, query } }))
    await refresh('/agents/{id}/files', '/agents/{id}/skills', '/workspaces', '/auth/me')
  }

  return (
    <>
      <RowMenu
        name={name}
        deletion={
          canEdit && {
            about: t(isFolder ? 'agents.delete_folder' : 'agents.delete_file'),
            isTyped: isFolder,
            run: remove,
          }
        }
      >
        <Menu.Item onClick={download}>{t(isFolder ? 'agents.download_zip' : 'agents.download')}</Menu.Item>
        {canEdit && <Menu.Item onClick={() => setRenaming(true)}>{t('agents.rename')}</Menu.Item>}
      </RowMenu>
      {isRenaming && <FilePath id={id} from={path} onClose={() => setRenaming(false)} />}
    </>
  )
}
