import { TextInput } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { useDraft } from '../ui/draft.ts'
import { useIssue } from '../ui/issues.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { joinPath } from './files.ts'

interface Props {
  id: string
  /** The path of what is renamed; a new folder has none. */
  from?: string
  /** The folder in which a new one is made. */
  folder?: string
  onClose(): void
}

/** Asks for the path of a new folder, or of a file or folder that is renamed. */
export function FilePath({ id, from, folder = '', onClose }: Props) {
  const draft = useDraft({ path: from ?? '' })
  const { path } = draft.value
  const save = async () => {
    const params = { path: { id } }
    if (from === undefined)
      await send(
        client.POST('/agents/{id}/files/directories', {
          params,
          body: { path: joinPath(folder, path.trim()) },
        }),
      )
    else await send(client.POST('/agents/{id}/files/move', { params, body: { from, to: path.trim() } }))
    await refresh('/agents/{id}/files')
  }
  return (
    <Sheet
      title={t(from === undefined ? 'agents.folder_new' : 'agents.rename')}
      isDirty={draft.isDirty}
      canSave={draft.isDirty && path.trim() !== ''}
      onSave={save}
      onClose={onClose}
    >
      <PathField path={path} isRename={from !== undefined} onChange={(path) => draft.change({ path })} />
    </Sheet>
  )
}

interface FieldProps {
  path: string
  isRename: boolean
  onChange(path: string): void
}

function PathField({ path, isRename, onChange }: FieldProps) {
  const to = useIssue('/to')
  const created = useIssue('/path')
  return (
    <TextInput
      label={t(isRename ? 'agents.path' : 'agents.folder_name')}
      description={isRename ? t('agents.path_help') : undefined}
      required
      error={isRename ? to : created}
      value={path}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
      data-autofocus
    />
  )
}
