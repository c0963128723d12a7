import { FileCard } from './file-card.tsx'
import classes from './message-files.module.css'
import type { ChatFile } from './open-file.ts'
import { isPicture, Picture } from './picture.tsx'

interface Props {
  agent_id: string
  files: readonly ChatFile[]
  /** The size of its pictures. */
  size: 'small' | 'large'
  /** The side on which they are. */
  align: 'start' | 'end'
}

/** The files of a message or an answer: pictures as they are, others as cards. */
export function MessageFiles({ agent_id, files, size, align }: Props) {
  if (files.length === 0) return null
  return (
    <div className={classes.files} data-align={align}>
      {files.map((file) =>
        isPicture(file) ? (
          <Picture key={file.path} agent_id={agent_id} file={file} size={size} />
        ) : (
          <FileCard key={file.path} agent_id={agent_id} file={file} />
        ),
      )}
    </div>
  )
}
