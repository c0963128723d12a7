import { Button, Checkbox, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { FilePreview } from '../agents/file-preview.tsx'
import { baseName, type WorkspaceFile } from '../agents/files.ts'
import { formatBytes } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Empty } from '../ui/empty.tsx'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Time } from '../ui/time.tsx'
import { deleteFiles } from './delete-files.ts'
import classes from './largest-files.module.css'

interface Props {
  id: string
  mayDelete: boolean
}

/** The files of an agent, the largest first; several can be selected and deleted. */
export function LargestFiles({ id, mayDelete }: Props) {
  const params = { path: { id }, query: { recursive: true, sort: 'size', limit: 100 } }
  const files = useRows('/agents/{id}/files', params, { staleTime: 0 })
  const [paths, setPaths] = useState<ReadonlySet<string>>(new Set())
  const [shown, setShown] = useState<WorkspaceFile>()
  const [isAsking, setAsking] = useState(false)

  const rows = files.rows ?? []
  const selected = rows.filter(({ path }) => paths.has(path))
  const count = selected.length
  const size = formatBytes(selected.reduce((sum, { size }) => sum + (size ?? 0), 0))
  const toggle = (path: string) =>
    setPaths(new Set(paths.has(path) ? without(paths, path) : [...paths, path]))

  return (
    <>
      <List
        {...files}
        label={t('storage.largest')}
        keyOf={({ path }) => path}
        controls={
          mayDelete && (
            <Checkbox
              label={t('storage.select_all')}
              checked={count > 0 && count === rows.length}
              indeterminate={count > 0 && count < rows.length}
              onChange={(event) =>
                setPaths(new Set(event.currentTarget.checked ? rows.map(({ path }) => path) : []))
              }
            />
          )
        }
        empty={<Empty title={t('storage.no_files')}>{t('storage.no_files_about')}</Empty>}
      >
        {(file) => (
          <ListRow
            icon={
              mayDelete && (
                <Checkbox
                  className={classes.check}
                  aria-label={t('storage.select', { name: file.path })}
                  checked={paths.has(file.path)}
                  onChange={() => toggle(file.path)}
                />
              )
            }
            title={baseName(file.path)}
            meta={
              <>
                {file.path.includes('/') && `${file.path.slice(0, file.path.lastIndexOf('/'))} · `}
                <Time at={file.updated_at} />
              </>
            }
            onOpen={() => setShown(file)}
          >
            <Text size="sm" className={classes.size}>
              {formatBytes(file.size ?? 0)}
            </Text>
          </ListRow>
        )}
      </List>
      {count > 0 && (
        <Group className={classes.bar} gap="sm">
          <Text size="sm" fw={500} role="status" className={classes.count}>
            {t('storage.selected', { count, size })}
          </Text>
          <Button variant="default" onClick={() => setPaths(new Set())}>
            {t('storage.clear')}
          </Button>
          <Button color="red" onClick={() => setAsking(true)}>
            {t('common.delete')}
          </Button>
        </Group>
      )}
      {isAsking && (
        <Confirm
          title={t('storage.delete_title', { count, size })}
          action={t('common.delete')}
          onConfirm={() =>
            deleteFiles(
              id,
              selected.map(({ path }) => path),
            )
          }
          onClose={() => setAsking(false)}
        >
          {t('storage.delete_about')}
        </Confirm>
      )}
      {shown && <FilePreview id={id} file={shown} canEdit={mayDelete} onClose={() => setShown(undefined)} />}
    </>
  )
}

const without = (paths: ReadonlySet<string>, path: string) => [...paths].filter((other) => other !== path)
