import { Button, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { DocumentPages } from '../chat/files/document-pages.tsx'
import { t } from '../i18n/words.ts'
import { useDraft } from '../ui/draft.ts'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/pending.tsx'
import { Sheet } from '../ui/sheet.tsx'
import classes from './file-preview.module.css'
import {
  baseName,
  decodeText,
  downloadFile,
  isText,
  readFile,
  type WorkspaceFile,
  writeFile,
} from './files.ts'

interface Props {
  id: string
  file: WorkspaceFile
  canEdit: boolean
  onClose(): void
}

const SHOWN = /^(image\/(?!svg)|audio\/)/

/** Shows a file of the workspace; managers of the agent can edit texts. */
export function FilePreview(props: Props) {
  const { id, file, onClose } = props
  const text = isText(file)
  const isShown = text || SHOWN.test(file.media_type ?? '')
  const [error, setError] = useState<unknown>()
  const content = useQuery({
    queryKey: ['file', id, file.path, file.updated_at],
    queryFn: async () => {
      const { blob, tag } = await readFile(id, file.path)
      return { blob, tag, text: text ? await decodeText(blob) : undefined }
    },
    enabled: isShown,
    gcTime: 0,
  })
  if (content.data?.text !== undefined)
    return <TextEditor {...props} text={content.data.text} tag={content.data.tag} />
  return (
    <Sheet
      title={baseName(file.path)}
      width={760}
      onClose={onClose}
      aside={
        <Button variant="default" onClick={() => downloadFile(id, file.path).catch(setError)}>
          {t('agents.download')}
        </Button>
      }
    >
      {error !== undefined && <Failure error={error} />}
      {content.error ? (
        <Failure error={content.error} onRetry={content.refetch} />
      ) : content.data && !text ? (
        <Media blob={content.data.blob} file={file} />
      ) : isShown && !content.data ? (
        <Loading height={320} />
      ) : (
        <DocumentPages agent_id={id} path={file.path} />
      )}
    </Sheet>
  )
}

function TextEditor({ id, file, canEdit, onClose, text, tag }: Props & { text: string; tag: string | null }) {
  const draft = useDraft({ text })
  const save = () => writeFile(id, file.path, new Blob([draft.value.text]), tag ? { 'If-Match': tag } : {})
  return (
    <Sheet
      title={baseName(file.path)}
      width={760}
      isDirty={draft.isDirty}
      canSave={draft.isDirty}
      onSave={canEdit ? save : undefined}
      onClose={onClose}
      aside={
        <Button variant="default" onClick={() => downloadFile(id, file.path)}>
          {t('agents.download')}
        </Button>
      }
    >
      <Textarea
        aria-label={file.path}
        autosize
        minRows={16}
        maxRows={32}
        readOnly={!canEdit}
        spellCheck={false}
        classNames={{ input: classes.code }}
        value={draft.value.text}
        onChange={(event) => draft.change({ text: event.currentTarget.value })}
      />
    </Sheet>
  )
}

function Media({ blob, file }: { blob: Blob; file: WorkspaceFile }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const url = URL.createObjectURL(blob)
    setUrl(url)
    return () => URL.revokeObjectURL(url)
  }, [blob])
  if (!url) return null
  if (file.media_type?.startsWith('audio/'))
    // biome-ignore lint/a11y/useMediaCaption: a file of the workspace has no captions
    return <audio controls src={url} aria-label={baseName(file.path)} />
  return <img className={classes.picture} src={url} alt={baseName(file.path)} />
}
