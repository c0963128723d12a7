import type { Archive } from '../archive.ts'
import { visitElements, type XmlElement } from '../xml-tree.ts'

/** The notes of a document of one kind, by their ids, until each has been taken once. */
export type Notes = ReturnType<typeof readNotes>

/** Reads footnotes, endnotes or comments; `read` returns the text of one. */
export function readNotes(
  archive: Archive,
  file: string | undefined,
  parentName: string,
  read: (element: XmlElement) => string,
) {
  const texts = new Map<string, string>()
  if (file !== undefined)
    visitElements(archive, file, parentName, (element) => {
      const { id, type = 'normal' } = element.attributes
      // Others are the lines between the text and the notes.
      if (id !== undefined && type === 'normal') texts.set(id, read(element))
    })

  return {
    /** Returns the text of a note the first time that it is asked for. */
    take(id: string | undefined): string | undefined {
      if (id === undefined) return undefined
      const text = texts.get(id)
      texts.delete(id)
      return text
    },
  }
}
