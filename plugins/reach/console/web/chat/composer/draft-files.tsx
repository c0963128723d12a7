import { ActionIcon } from '@mantine/core'
import { formatBytes } from '../../i18n/format.ts'
import { t } from '../../i18n/words.ts'
import { ArrowLeft, ImageOff, X } from '../../ui/icons.ts'
import { isPicture, Picture } from '../files/picture.tsx'
import classes from './composer.module.css'
import type { DocumentFacts, Draft, DraftFile } from './draft.ts'
import type { UploadProgress } from './upload.ts'

interface Props {
  agent_id: string
  draft: Draft
  files: readonly DraftFile[]
  /** The upload that runs, if any. */
  progress: UploadProgress | undefined
}

/** The files of the message that is being written, and why the agent cannot read some of them. */
export function DraftFiles({ agent_id, draft, files, progress }: Props) {
  if (files.length === 0 && !progress) return null
  const unread = files.flatMap(({ path, filename, document }) => {
    const reason = explain(document)
    return reason === undefined ? [] : [{ path, filename, reason }]
  })
  const remove = (path: string) => draft.set({ files: files.filter((file) => file.path !== path) })
  const moveForward = (index: number) =>
    draft.set({ files: files.with(index - 1, files[index]!).with(index, files[index - 1]!) })
  return (
    <>
      <ul className={classes.files}>
        {files.map(({ size, document, ...file }, index) => (
          <li key={file.path} data-picture={isPicture(file)}>
            {isPicture(file) ? (
              <Picture agent_id={agent_id} file={file} size="tile" fallback={<Unreadable file={file} />} />
            ) : (
              <>
                <span className={classes.filename}>{file.filename}</span>
                <span className={classes.size} data-state={document?.state}>
                  {describeSize(size, document)}
                </span>
              </>
            )}
            {index > 0 && (
              <ActionIcon
                variant="default"
                size="xs"
                className={classes.move}
                aria-label={t('chat.move_file', { name: file.filename })}
                title={t('chat.move_file', { name: file.filename })}
                onClick={() => moveForward(index)}
              >
                <ArrowLeft size={12} aria-hidden />
              </ActionIcon>
            )}
            <ActionIcon
              variant={isPicture(file) ? 'default' : 'subtle'}
              color="gray"
              size="xs"
              className={classes.remove}
              aria-label={t('chat.remove_file', { name: file.filename })}
              onClick={() => remove(file.path)}
            >
              <X size={12} aria-hidden />
            </ActionIcon>
          </li>
        ))}
        {progress && <li role="status">{t('chat.uploading', { ...progress })}</li>}
      </ul>
      {unread.length > 0 && (
        <ul className={classes.unread} aria-live="polite">
          {unread.map(({ path, filename, reason }) => (
            <li key={path}>
              <b>{filename}:</b> {reason}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** The place of a picture that browsers and models cannot read. */
const Unreadable = ({ file: { filename } }: { file: DraftFile }) => (
  <span className={classes.broken}>
    <ImageOff size={15} aria-hidden />
    <span className={classes.filename}>{filename}</span>
    <span className={classes.size} data-state="failed">
      {t('chat.picture_unreadable')}
    </span>
  </span>
)

/** The pages of a document that was read, or why it was not; the size of other files. */
function describeSize(size: number | undefined, document: DocumentFacts | undefined): string {
  if (document?.state === 'reading') return t('chat.document_reading')
  if (document?.state === 'no_text') return t('chat.document_scan')
  if (document?.state === 'failed') return t('chat.document_unread')
  if (document?.pages !== undefined) return t('chat.document_pages', { count: document.pages })
  return size === undefined ? '' : formatBytes(size)
}

/** Why the agent cannot read a document, and what to do about it. */
function explain(document: DocumentFacts | undefined): string | undefined {
  if (document?.state === 'no_text') return t('chat.document_no_text')
  return document?.state === 'failed' ? document.reason?.message : undefined
}
