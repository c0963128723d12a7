import type { InboundFile } from '#plugin-api'

/** A file of Slack; `file_access` tells if its address must be requested. */
export interface SlackFile {
  id?: string
  name?: string
  title?: string
  mimetype?: string
  filetype?: string
  size?: number
  mode?: string
  file_access?: string
  url_private?: string
  url_private_download?: string
  permalink?: string
}

/** The reference of a file for `download`. */
export type FileReference = { id: string; url?: string }

/** The files of a message, and a description of each one that cannot be downloaded. */
interface ListedFiles {
  files: InboundFile[]
  descriptions: string[]
}

/** Lists the files of a message. */
export function listFiles(all: readonly SlackFile[] = []): ListedFiles {
  const files: InboundFile[] = []
  const descriptions: string[] = []
  for (const file of all) {
    const description = describeUnreadable(file)
    if (description) descriptions.push(description)
    else files.push(toInboundFile(file))
  }
  return { files, descriptions }
}

function toInboundFile(file: SlackFile): InboundFile {
  const { id = '', name, mimetype, size } = file
  const url = addressOf(file)
  const reference: FileReference = { id, ...(url && { url }) }
  return {
    ...(name && { filename: name }),
    ...(mimetype && { media_type: mimetype }),
    ...(size !== undefined && { size }),
    reference,
  }
}

/** Returns the address of a file on Slack's servers. */
export const addressOf = ({ url_private_download, url_private }: SlackFile): string | undefined =>
  url_private_download || url_private

/** Describes a file that cannot be downloaded; undefined for all others. */
export function describeUnreadable(file: SlackFile): string | undefined {
  const { id, mode = '', filetype = '', file_access, permalink } = file
  const name = file.title || file.name
  const described = (kind: string, link?: string) =>
    `[${[kind, name].filter(Boolean).join(': ')}${link ? ` ${link}` : ''}]`
  if (mode === 'tombstone' || file_access === 'file_not_found') return described('deleted file')
  if (mode === 'hidden_by_limit') return described('file hidden by the limits of the Slack plan')
  if (file_access === 'access_denied') return described('file that the app may not read')
  if (mode === 'external') return described('file on another site', file.url_private ?? permalink)
  // The download of a canvas or list is a page of Slack.
  if (mode === 'list' || filetype === 'list') return described('list', permalink)
  if (['quip', 'canvas'].includes(mode) || ['quip', 'canvas'].includes(filetype))
    return described('canvas', permalink)
  if (!id || (!addressOf(file) && file_access !== 'check_file_info')) return described('file', permalink)
  return undefined
}
