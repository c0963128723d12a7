import type { InboundFile, QuotedMessage } from '#plugin-api'

/** The reference of a file for `download`. */
export type FileReference = { code: string; robot: string }

/** The readable parts of a message. */
export interface Content {
  text: string
  files: InboundFile[]
  /** Messages that this one passes on. */
  forwarded?: QuotedMessage
  /** Names content without any other readable part. */
  unreadable?: string
}

/** Returns the text of a content, with a mark for each file and for what cannot be read. */
export function describeContent({ text, files, forwarded, unreadable }: Content): string {
  const marks = files.map(({ filename }) => (filename ? `[file: ${filename}]` : '[picture]'))
  const others = [forwarded?.text, unreadable && `[${unreadable}]`]
  return [text, ...marks, ...others].filter(Boolean).join('\n')
}
