import { ActionIcon } from '@mantine/core'
import { formatBytes } from '../../i18n/format.ts'
import { t } from '../../i18n/words.ts'
import { X } from '../../ui/icons.ts'
import classes from './composer.module.css'
import type { Draft, DraftFile } from './draft.ts'

interface Props {
  draft: Draft
  files: readonly DraftFile[]
  isUploading: boolean
}

/** The files of the message that is being written. */
export function DraftFiles({ draft, files, isUploading }: Props) {
  if (files.length === 0 && !isUploading) return null
  return (
    <ul className={classes.files}>
      {files.map(({ path, filename, size }) => (
        <li key={path}>
          <span className={classes.filename}>{filename}</span>
          {size !== undefined && <span className={classes.size}>{formatBytes(size)}</span>}
          <ActionIcon
            variant="subtle"
            color="gray"
            size="xs"
            aria-label={t('chat.remove_file', { name: filename })}
            onClick={() => draft.set({ files: files.filter((file) => file.path !== path) })}
          >
            <X size={12} aria-hidden />
          </ActionIcon>
        </li>
      ))}
      {isUploading && <li role="status">{t('chat.uploading')}</li>}
    </ul>
  )
}
