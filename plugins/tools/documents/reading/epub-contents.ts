import type { Archive } from './archive.ts'
import { resolvePath } from './archive-path.ts'
import { ReadingFailure } from './reading-failure.ts'
import { readXml, type XmlHandler } from './xml.ts'

const MAX_TITLE_CHARS = 300
const MAX_LEVEL = 6

/** A title in a book's list of contents, with its level. */
export interface ContentsEntry {
  title: string
  level: number
}

/**
 * Returns the first entry of the list of contents for each file, by its path; the list is one of EPUB 2 or 3. Throws
 * DOCUMENT_TOO_LARGE.
 */
export function readContents(archive: Archive, name: string): Map<string, ContentsEntry> {
  const entries = new Map<string, ContentsEntry>()
  let level = 0
  let title = ''
  let href: string | undefined
  let isList = false
  let isTitle = false
  const add = () => {
    const path = resolvePath(archive, name, href ?? '')
    const clean = title.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE_CHARS)
    if (href && clean && !entries.has(path))
      entries.set(path, { title: clean, level: Math.min(MAX_LEVEL, Math.max(1, level)) })
  }
  const handler: XmlHandler = {
    open(tag, attributes) {
      if (tag === 'nav') isList = /(^|\s)toc(\s|$)/.test(attributes['epub:type'] ?? 'toc')
      else if (tag === 'navMap') isList = true
      if (!isList) return
      if (tag === 'ol' || tag === 'navPoint') level += 1
      else if (tag === 'a') {
        href = attributes.href
        title = ''
        isTitle = true
      } else if (tag === 'text') {
        title = ''
        isTitle = true
      } else if (tag === 'content') {
        href = attributes.src
        add()
      }
    },
    text(text) {
      if (isTitle) title += text
    },
    close(tag) {
      if (tag === 'nav' || tag === 'navMap') isList = false
      else if (tag === 'text') isTitle = false
      else if (tag === 'a' && isTitle) {
        isTitle = false
        add()
      } else if (isList && (tag === 'ol' || tag === 'navPoint')) level -= 1
    },
  }
  try {
    readXml(archive, name, handler)
  } catch (error) {
    // A book whose list is damaged can be read: the entries before the damage are right.
    if (!(error instanceof ReadingFailure) || error.problem !== 'DOCUMENT_DAMAGED') throw error
  }
  return entries
}
