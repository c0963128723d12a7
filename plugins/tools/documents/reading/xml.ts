import { posix } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { Parser } from 'htmlparser2'
import type { Archive } from './archive.ts'
import { ReadingFailure } from './reading-failure.ts'

/** The functions that are called while an XML file is read; names are without their prefix. */
export interface XmlHandler {
  open?(name: string, attributes: Readonly<Record<string, string>>): void
  text?(text: string): void
  close?(name: string): void
}

/**
 * The most elements within each other, and attributes of one element: more than programs write, and few for any reader.
 */
const MAX_DEPTH = 500
const MAX_ATTRIBUTES = 1000
/** The bytes that are parsed at a time: a large file is never one string. */
const SLICE_BYTES = 1024 * 1024

const withoutPrefix = (name: string) => name.slice(name.indexOf(':') + 1)

/**
 * Reads an XML file of an archive; a file that does not exist is empty. Throws DOCUMENT_DAMAGED if its end is
 * missing, and DOCUMENT_TOO_LARGE if it is nested too deeply or has too many attributes.
 */
export function readXml(archive: Archive, name: string, handler: XmlHandler): void {
  const bytes = archive.get(name)
  if (!bytes) return
  let depth = 0
  let attributeCount = 0
  const parser = new Parser(
    {
      onopentagname() {
        depth += 1
        attributeCount = 0
        if (depth > MAX_DEPTH) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
      },
      onattribute() {
        attributeCount += 1
        if (attributeCount > MAX_ATTRIBUTES) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
      },
      onopentag: (tag, attributes) => handler.open?.(withoutPrefix(tag), attributes),
      ontext: (text) => handler.text?.(text),
      onclosetag(tag) {
        depth -= 1
        handler.close?.(withoutPrefix(tag))
      },
    },
    { xmlMode: true },
  )
  const { encoding, content } = findEncoding(bytes)
  const decoder = new StringDecoder(encoding)
  for (let start = 0; start < content.length; start += SLICE_BYTES)
    parser.write(decoder.write(content.subarray(start, start + SLICE_BYTES)))
  // The parser would close what is open: half a text would be taken for the whole.
  if (depth > 0) throw new ReadingFailure('DOCUMENT_DAMAGED')
  parser.end(decoder.end())
}

/** Returns the encoding of an XML file of an Office document, which is UTF-8 or UTF-16. */
function findEncoding(bytes: Buffer): { encoding: 'utf8' | 'utf16le'; content: Buffer } {
  const mark = bytes.toString('latin1', 0, 2)
  if (mark === '\xff\xfe') return { encoding: 'utf16le', content: bytes }
  if (mark !== '\xfe\xff') return { encoding: 'utf8', content: bytes }
  return { encoding: 'utf16le', content: Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16() }
}

/** A relation of a file in an Office document to another one. */
export interface Relation {
  id: string
  type: string
  /** The name of the other file in the archive. */
  target: string
}

/** Returns the relations of a file. */
export function readRelations(archive: Archive, name: string): Relation[] {
  const relations: Relation[] = []
  const folder = posix.dirname(name)
  readXml(archive, posix.join(folder, '_rels', `${posix.basename(name)}.rels`), {
    open(tag, { Id: id = '', Type: type = '', Target: target = '' }) {
      if (tag !== 'Relationship') return
      const path = target.startsWith('/') ? target.slice(1) : posix.join(folder, target)
      relations.push({ id, type: type.slice(type.lastIndexOf('/') + 1), target: path })
    },
  })
  return relations
}

/** Throws DOCUMENT_DAMAGED if an archive lacks the file that every document of its format has. */
export function requirePart(archive: Archive, name: string): void {
  if (!archive.has(name)) throw new ReadingFailure('DOCUMENT_DAMAGED')
}

/** Returns the value of an attribute of any namespace, such as that of a relation. */
export const attributeOf = (attributes: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.entries(attributes).find(([key]) => key.includes(':') && withoutPrefix(key) === name)?.[1]

/** Returns the name of the main file of an Office document, `usual` unless its relations name another one. */
export function findMainPart(archive: Archive, usual: string): string {
  const main = readRelations(archive, '').find(
    ({ type, target }) => type === 'officeDocument' && archive.has(target),
  )
  return main?.target ?? usual
}
