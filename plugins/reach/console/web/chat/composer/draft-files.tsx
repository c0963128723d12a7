import { ActionIcon } from '@mantine/core'
import { formatBytes } from '../../i18n/format.ts'
import { t } from '../../i18n/words.ts'
import { X } from '../../ui/icons.ts'
import { isPicture, useAddress } from '../files/picture.tsx'
import classes from './composer.module.css'
import type { Draft, DraftFile } from './draft.ts'

interface Props {
  agent_id: string
  draft: Draft
  files: readonly DraftFile[]
  isUploading: boolean
}

/** The files of the message that is being written. */
export function DraftFiles({ agent_id, draft, files, isUploading }: Props) {
  if (files.length === 0 && !isUploading) return null
  return (
    <ul className={classes.files}>
      {files.map(({ size, ...file }) => (
        <li key={file.path}>
          {isPicture(file) && <Thumbnail agent_id={agent_id} file={file} />}
          <span className={classes.filename}>{file.filename}</span>
          {size !== undefined && <span className={classes.size}>{formatBytes(size)}</span>}
          <ActionIcon
            variant="subtle"
            color="gray"
            size="xs"
            aria-label={t('chat.remove_file', { name: file.filename })}
            onClick={() => draft.set({ files: files.filter(({ path }) => path !== file.path) })}
          >
            <X size={12} aria-hidden />
          </ActionIcon>
        </li>
      ))}
      {isUploading && <li role="status">{t('chat.uploading')}</li>}
    </ul>
  )
}

/** A decorative picture beside its name. */
function Thumbnail({ agent_id, file }: { agent_id: string; file: DraftFile }) {
  const { address, isBroken, setBroken } = useAddress(agent_id, file)
  if (isBroken) return null
  return (
    <span className={classes.thumbnail}>{address && <img src={address} alt="" onError={setBroken} />}</span>
  )
}
