import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { decodeText, isText, readFile } from '../../agents/files.ts'
import { Loading } from '../../ui/pending.tsx'
import { CodeBlock } from '../markdown/code-block.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { CsvTable } from './csv-table.tsx'
import { DocumentPages } from './document-pages.tsx'
import { FileFailure } from './file-failure.tsx'
import classes from './file-view.module.css'
import type { ChatFile } from './open-file.ts'

/** Longer texts are cut. */
const MAX_CHARS = 200_000

interface Props {
  agent_id: string
  file: ChatFile
}

/** A file of the workspace as a person reads it: a text, a table, a picture, a PDF, sound, or the text of a document. */
export function FileView({ agent_id, file }: Props) {
  const { path, media_type } = file
  const asText = isText({ path, media_type, size: file.size ?? 0, kind: 'file', updated_at: 0 })
  const asMedia = isMedia(media_type)
  const content = useQuery({
    queryKey: ['file', agent_id, path],
    queryFn: async () => {
      const { blob } = await readFile(agent_id, path)
      return { blob, text: asText ? (await decodeText(blob))?.slice(0, MAX_CHARS) : undefined }
    },
    enabled: asText || asMedia,
    staleTime: 0,
    gcTime: 0,
  })
  const pages = <DocumentPages agent_id={agent_id} path={path} page={file.page} />
  if (content.error) return <FileFailure path={path} error={content.error} onRetry={content.refetch} />
  if (!asText && !asMedia) return pages
  if (!content.data) return <Loading height={240} />
  const { blob, text } = content.data
  if (asMedia) return <Media blob={blob} file={file} />
  // The server knows the other charsets.
  if (text === undefined) return pages
  if (/\.csv$/i.test(path)) return <CsvTable text={text} />
  if (/\.md$/i.test(path)) return <Markdown text={text} />
  return <CodeBlock code={text} language={/\.(\w{1,12})$/.exec(path)?.[1] ?? ''} />
}

/** Browsers of phones do not show a PDF in a frame; its text is shown instead. */
const isMedia = (type: string) =>
  type === 'application/pdf' ? navigator.pdfViewerEnabled : /^(image\/(?!svg)|audio\/)/.test(type)

/** A picture, a PDF or sound. It is loaded with the token, so its address is one of this page. */
function Media({ blob, file: { filename, media_type, page = 1 } }: { blob: Blob; file: ChatFile }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([blob], { type: media_type }))
    setUrl(url)
    return () => URL.revokeObjectURL(url)
  }, [blob, media_type])
  if (!url) return null
  if (media_type.startsWith('image/')) return <img className={classes.picture} src={url} alt={filename} />
  // biome-ignore lint/a11y/useMediaCaption: a file of the workspace has no captions
  if (media_type.startsWith('audio/')) return <audio controls src={url} aria-label={filename} />
  return <iframe className={classes.pdf} src={`${url}#navpanes=0&page=${page}`} title={filename} />
}
