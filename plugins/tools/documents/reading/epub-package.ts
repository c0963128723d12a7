import type { Archive } from './archive.ts'
import { resolvePath } from './archive-path.ts'
import { ReadingFailure } from './reading-failure.ts'
import { readXml, requirePart } from './xml.ts'

const CONTAINER = 'META-INF/container.xml'
const ENCRYPTION = 'META-INF/encryption.xml'
/** The methods that only make fonts unusable outside of the book. */
const FONT_METHODS = new Set(['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC'])
/** Chapters that are not texts. */
const OTHER_MEDIA = /^(?:image|audio|video|font)\//

/** A file of a book, by its path in the archive. */
interface BookFile {
  path: string
  media_type: string
  properties: string[]
}

/** The files of a book. */
export interface BookPackage {
  /** The paths of the chapters in their order, without the list of contents. */
  chapters: string[]
  /** The path of the list of contents. */
  contents: string | undefined
  /** The paths of the cover and of a page with a list of contents, as older books name them. */
  fronts: Set<string>
}

/** Reads the list of a book's files. Throws DOCUMENT_ENCRYPTED if its chapters are, and DOCUMENT_DAMAGED. */
export function readPackage(archive: Archive): BookPackage {
  const name = findPackage(archive)
  const files = new Map<string, BookFile>()
  const chapters = new Set<string>()
  const fronts = new Set<string>()
  let contentsId: string | undefined
  readXml(archive, name, {
    open(
      tag,
      { id = '', href = '', idref = '', toc, type = '', properties = '', 'media-type': media_type = '' },
    ) {
      if (tag === 'item')
        files.set(id, {
          path: resolvePath(archive, name, href),
          media_type,
          properties: properties.split(/\s+/),
        })
      else if (tag === 'spine') contentsId = toc
      else if (tag === 'itemref') {
        const file = files.get(idref)
        if (file && !OTHER_MEDIA.test(file.media_type)) chapters.add(file.path)
      } else if (tag === 'reference' && /^(?:cover|toc)$/i.test(type))
        fronts.add(resolvePath(archive, name, href))
    },
  })
  const navigation = [...files.values()].find(({ properties }) => properties.includes('nav'))
  const index =
    files.get(contentsId ?? '') ??
    [...files.values()].find(({ media_type }) => media_type === 'application/x-dtbncx+xml')
  const protectedFiles = listEncrypted(archive)
  if (protectedFiles.has(name) || [...chapters].some((path) => protectedFiles.has(path)))
    throw new ReadingFailure('DOCUMENT_ENCRYPTED')
  const existing = [...chapters].filter((path) => archive.has(path))
  if (existing.length === 0) throw new ReadingFailure('DOCUMENT_DAMAGED')
  return {
    chapters: existing.filter((path) => path !== navigation?.path),
    contents: (navigation ?? index)?.path,
    fronts,
  }
}

/** Returns the path of the list of a book's files. */
function findPackage(archive: Archive): string {
  let path: string | undefined
  readXml(archive, CONTAINER, {
    open(tag, { 'full-path': fullPath }) {
      if (tag === 'rootfile' && fullPath !== undefined) path ??= resolvePath(archive, '', fullPath)
    },
  })
  path ??= [...archive.keys()].find((name) => /\.opf$/i.test(name))
  if (path === undefined) throw new ReadingFailure('DOCUMENT_DAMAGED')
  requirePart(archive, path)
  return path
}

/** Returns the paths of the files that are encrypted. */
function listEncrypted(archive: Archive): Set<string> {
  const paths = new Set<string>()
  let method = ''
  readXml(archive, ENCRYPTION, {
    open(tag, { Algorithm: algorithm = '', URI: uri }) {
      if (tag === 'EncryptedData') method = ''
      // The key has a method of its own, within the data or beside it.
      else if (tag === 'EncryptionMethod') method ||= algorithm
      else if (tag === 'CipherReference' && uri !== undefined && !FONT_METHODS.has(method))
        paths.add(resolvePath(archive, '', uri))
    },
  })
  return paths
}
