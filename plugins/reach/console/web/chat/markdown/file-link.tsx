import { Anchor } from '@mantine/core'
import { type ReactNode, use } from 'react'
import { FileSourceContext } from '../files/file-source.ts'
import { openFile } from '../files/open-file.ts'
import { AgentContext } from '../messages/sources.ts'

/** An address of the web that lacks its protocol. */
const DOMAIN = /^(www\.|[^/#]+\.(com|org|net|edu|gov|info|io|ai|app|dev|cn|de|fr|jp|uk|eu)([/#]|$))/i

/** Media types of files that are shown as they are, by their extensions. */
const MEDIA: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  m4a: 'audio/mp4',
}

/** The media type of a file by its extension. */
export const mediaTypeOf = (filename: string): string =>
  MEDIA[filename.split('.').at(-1)!.toLowerCase()] ?? 'application/octet-stream'

/** The path and the page in a link to a file of the workspace; undefined for other links. */
export function readFileLink(href: string | undefined): { path: string; page?: number } | undefined {
  if (DOMAIN.test(href ?? '')) return undefined
  const [, encoded, page] = /^(?:\.?\/)?([^\s#?:]+\.\w{1,8})(?:#page=(\d{1,6}))?$/.exec(href ?? '') ?? []
  if (encoded === undefined) return undefined
  try {
    return { path: decodeURIComponent(encoded), ...(page && { page: Number(page) }) }
  } catch {
    // Not a path that was encoded.
    return undefined
  }
}

/** A link of a model to a file in the workspace of its agent, which opens in the panel at the page. */
export function FileLink({ path, page, children }: { path: string; page?: number; children?: ReactNode }) {
  const agent_id = use(AgentContext)
  const source = use(FileSourceContext)
  if (source?.has(path))
    return (
      <Anchor component="button" type="button" inherit underline="always" onClick={() => source.open(path)}>
        {children}
      </Anchor>
    )
  if (agent_id === undefined) return <span>{children}</span>
  const filename = path.split('/').at(-1)!
  const media_type = mediaTypeOf(filename)
  return (
    <Anchor
      component="button"
      type="button"
      inherit
      underline="always"
      title={filename}
      onClick={() => openFile({ agent_id, path, filename, media_type, ...(page !== undefined && { page }) })}
    >
      {children}
    </Anchor>
  )
}
