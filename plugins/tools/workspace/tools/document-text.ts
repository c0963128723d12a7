import { encodeLinkPath } from '#plugin-api'
import type { ReadDocument } from '../../../agents/agents/types.ts'
import { readRange } from '../document-pages.ts'
import { FileFailure, quote } from '../files/file-failure.ts'
import { formatCount, MAX_TEXT_BYTES } from '../output.ts'

/** Describes some lines of some pages of a document to a model. Throws a FileFailure if it cannot be read. */
export async function describeDocument(
  document: ReadDocument,
  { path, pages, offset, limit }: { path: string; pages?: string; offset: number; limit: number },
): Promise<string> {
  const { facts, failure } = document
  if (failure) throw new FileFailure(`${quote(path)} cannot be read: ${facts.reason!.message}`)
  if (facts.state === 'no_text') return `[${quote(path)} has no text: scanned pages or pictures]`
  const { first, last } = readRange(pages)
  const shown =
    facts.pages === undefined ? [] : [`[to cite a page of it: [p. 2](${encodeLinkPath(path)}#page=2)]`]
  const notes = shown.length
  const cut = (how: string) =>
    [...shown, `[cut; the document has ${describeSize(document)}; ${how}]`].join('\n')
  let room = MAX_TEXT_BYTES
  let count = 0
  for await (const { page, text } of document.pages()) {
    if (page < first) continue
    if (page > last) break
    for (const [index, line] of toLines(page, text, document).entries()) {
      count += 1
      if (count <= offset) continue
      room -= Buffer.byteLength(line) + 1
      if (room >= 0 && shown.length - notes < limit) shown.push(line)
      else if (shown.length === notes) return cut(`line ${count} alone is too long to be shown`)
      else if (index === 0 && facts.pages !== undefined)
        return cut(`continue with pages "${page}-${last === Infinity ? '' : last}"`)
      else return cut(`continue with offset ${count - 1}`)
    }
  }
  if (count === 0) return `[the document has no such pages: ${describeSize(document)}]`
  return shown.length > notes ? shown.join('\n') : `[there is no line after line ${count}]`
}

function toLines(page: number, text: string, { facts }: ReadDocument): string[] {
  if (facts.pages === undefined) return text.split('\n')
  const mark = `page ${page} of ${facts.pages}`
  return text === '' ? [`[${mark}: no text, perhaps a scan]`] : [`[${mark}]`, ...text.split('\n')]
}

const describeSize = ({ facts: { pages, characters } }: ReadDocument): string =>
  [...(pages === undefined ? [] : [formatCount(pages, 'page')]), formatCount(characters, 'character')].join(
    ', ',
  )
