import type { Source } from '../documents.ts'

const MAX_ADDRESS_CHARS = 2048
const MAX_TITLE_CHARS = 256

/** Bounds what a tool names as a source: a long title is cut, a long address left out. */
export const citedSource = ({ id, title, url }: Source): Source => ({
  id: id.slice(0, MAX_ADDRESS_CHARS),
  title: title.length > MAX_TITLE_CHARS ? `${title.slice(0, MAX_TITLE_CHARS - 1)}…` : title,
  ...(url !== undefined && url.length <= MAX_ADDRESS_CHARS && { url }),
})
