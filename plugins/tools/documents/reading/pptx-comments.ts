import type { Archive } from './archive.ts'
import type { Block } from './blocks.ts'
import { type Relation, readXml } from './xml.ts'

/** Returns the authors of comments by their keys, from the relations of a presentation. */
export function readAuthors(archive: Archive, relations: readonly Relation[]): Map<string, string> {
  const authors = new Map<string, string>()
  for (const { type, target } of relations)
    if (type === 'commentAuthors' || type === 'authors')
      readXml(archive, target, {
        open(tag, { id = '', name = '' }) {
          if (tag === 'cmAuthor' || tag === 'author') authors.set(id, name.trim())
        },
      })
  return authors
}

/** Returns the comments on a slide, each before its replies. */
export function readComments(
  archive: Archive,
  name: string,
  authors: ReadonlyMap<string, string>,
  page: number,
): Block[] {
  const blocks: Block[] = []
  let thread: { author: string; text: string }[] = []
  let replies: typeof thread = []
  let isText = false
  readXml(archive, name, {
    open(tag, { authorId = '' }) {
      if (tag === 'cm' || tag === 'reply') thread.push({ author: authors.get(authorId) ?? '', text: '' })
      else if (tag === 't' || tag === 'text') isText = true
    },
    text(text) {
      if (isText && thread.length > 0) thread.at(-1)!.text += text
    },
    close(tag) {
      if (tag === 't' || tag === 'text') isText = false
      else if (tag === 'p' && thread.length > 0) thread.at(-1)!.text += '\n'
      else if (tag === 'reply') replies.push(...thread.splice(-1))
      else if (tag === 'cm') {
        for (const { author, text } of [...thread, ...replies])
          if (text.trim() !== '')
            blocks.push({ kind: 'text', text: `Comment${author && ` (${author})`}: ${text.trim()}`, page })
        thread = []
        replies = []
      }
    },
  })
  return blocks
}
