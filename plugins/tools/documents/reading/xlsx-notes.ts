import type { Archive } from './archive.ts'
import { type Relation, readXml } from './xml.ts'

/** Returns the remarks on the cells of a sheet, by the names of the cells; `people` are the authors of newer ones. */
export function readNotes(
  archive: Archive,
  relations: readonly Relation[],
  people: ReadonlyMap<string, string>,
): Map<string, string> {
  const notes = new Map<string, string>()
  for (const { type, target } of relations) {
    const isNewer = type === 'threadedComment'
    if (!isNewer && type !== 'comments') continue
    const authors: string[] = []
    let cell = ''
    let author = ''
    let text = ''
    let isText = false
    let phonetic = 0
    const ownNotes = new Map<string, string>()
    readXml(archive, target, {
      open(tag, attributes) {
        if (tag === 'author') {
          authors.push('')
          isText = true
          text = ''
        } else if (tag === 'comment' || tag === 'threadedComment') {
          cell = attributes.ref ?? ''
          author = authors[Number(attributes.authorId)] ?? people.get(attributes.personId ?? '') ?? ''
          text = ''
        } else if (tag === 't' || (isNewer && tag === 'text')) isText = true
        else if (tag === 'rPh') phonetic += 1
      },
      text(part) {
        if (isText && phonetic === 0) text += part
      },
      close(tag) {
        if (tag === 'author') authors[authors.length - 1] = text
        else if (tag === 'rPh') phonetic -= 1
        else if (tag === 'comment' || tag === 'threadedComment') {
          const note = toNote(author, text)
          const earlier = ownNotes.get(cell)
          if (note) ownNotes.set(cell, earlier ? `${earlier}; ${note}` : note)
        }
        if (tag === 'author' || tag === 't' || tag === 'text') isText = false
      },
    })
    // A newer remark is also in the file of the older ones, with a text about that.
    for (const [name, note] of ownNotes) if (isNewer || !notes.has(name)) notes.set(name, note)
  }
  return notes
}

/** Returns a remark with its author, whose name many programs also write before the text. */
function toNote(author: string, text: string): string {
  const trimmed = text.trim()
  if (trimmed === '') return ''
  const name = author.trim()
  if (name === '' || /^tc=/.test(name)) return `Note: ${trimmed}`
  const own = trimmed.startsWith(`${name}:`) ? trimmed.slice(name.length + 1).trim() : trimmed
  return `Note (${name}): ${own}`
}

/** Returns the names of the people who wrote newer remarks, by their keys. */
export function readPeople(archive: Archive, files: readonly string[]): Map<string, string> {
  const people = new Map<string, string>()
  for (const file of files)
    readXml(archive, file, {
      open(tag, { id = '', displayName = '' }) {
        if (tag === 'person') people.set(id, displayName)
      },
    })
  return people
}
