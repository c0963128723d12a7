import { UnstyledButton } from '@mantine/core'
import { formatBytes } from '../../i18n/format.ts'
import type { IconComponent } from '../../ui/icon.tsx'
import { File, FileAudio, FileImage, FileSpreadsheet, FileText } from '../../ui/icons.ts'
import classes from './file-card.module.css'
import { type ChatFile, openFile } from './open-file.ts'

/** The icon of a file by its kind. */
function iconOf(media_type: string): IconComponent {
  if (media_type.startsWith('image/')) return FileImage
  if (media_type.startsWith('audio/')) return FileAudio
  if (/csv|excel|sheet/.test(media_type)) return FileSpreadsheet
  return /^text\/|json|pdf|word|\.text|rtf|epub|rfc822/.test(media_type) ? FileText : File
}

/** A file of a conversation; a click shows it in the panel. */
export function FileCard({ agent_id, file }: { agent_id: string; file: ChatFile }) {
  const { filename, media_type, size } = file
  const Icon = iconOf(media_type)
  return (
    <UnstyledButton className={classes.card} onClick={() => openFile({ ...file, agent_id })}>
      <Icon size={18} aria-hidden className={classes.icon} />
      <span className={classes.name}>{filename}</span>
      {size !== undefined && <span className={classes.size}>{formatBytes(size)}</span>}
    </UnstyledButton>
  )
}
