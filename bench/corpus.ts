import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { PACKAGE_ROOT } from '../kernel/loading/package.ts'
import { findKind, HEAD_BYTES } from '../plugins/tools/documents/reading/document-kind.ts'
import { readDocument } from '../plugins/tools/documents/reading/reader.ts'
import { findProblem } from '../plugins/tools/documents/reading/reading-failure.ts'

/** The documents, each beside the text that a careful person reads from it. */
const CORPUS = join(PACKAGE_ROOT, 'bench/corpus')
const SUFFIX = '.json'

/** A table as it is read. A cell `^` continues the cell above it, and `<` the cell on its left. */
export interface ExpectedTable {
  /** The heads of the columns; a head of two rows is joined by ` › `, and a column without one has an empty text. */
  heads: string[]
  rows: string[][]
}

/** The text that a careful person reads from a document. */
export interface Expectation {
  language: string
  /** The feature of the document that is hard to read. */
  note: string
  /** The paragraphs and tables in reading order. */
  text?: (string | ExpectedTable)[]
  /** Texts whose place in the order is open, such as footnotes and the words of a chart. */
  anywhere?: string[]
  /** Texts that may be left out, such as page heads and the numbers of a list. */
  optional?: string[]
  /** Texts that say the same as an expected text, such as a date in the form of ISO 8601, with the expected one. */
  same?: Record<string, string>
  pages?: number
  /** The code that refuses the document. */
  refused?: string
}

/** A document of the corpus. */
export interface CorpusDocument {
  path: string
  /** The kind of the document: the folder that it is in. */
  kind: string
  expected: Expectation
}

/** The text of a document, or the code that refused it. */
export interface Reading {
  text?: string
  pages?: number
  refused?: string
}

/** Replaces the texts of a reading that say the same as expected ones. */
export const replaceSame = ({ same = {} }: Expectation, text: string): string =>
  Object.entries(same).reduce((result, [read, expected]) => result.replaceAll(read, expected), text)

/** Returns the documents of the corpus, or those among some files and folders. */
export function listDocuments(paths: readonly string[] = [CORPUS]): CorpusDocument[] {
  const files = paths.flatMap((path) => [path, ...listFiles(path)])
  return files
    .filter((path) => existsSync(`${path}${SUFFIX}`))
    .map((path) => ({
      path,
      kind: basename(dirname(path)),
      expected: JSON.parse(readFileSync(`${path}${SUFFIX}`, 'utf8')) as Expectation,
    }))
}

const listFiles = (path: string): string[] =>
  statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, encoding: 'utf8' })
        .map((name) => join(path, name))
        .sort()
    : []

/** Reads a document as the server does. */
export async function readAsServer(path: string): Promise<Reading> {
  const bytes = readFileSync(path)
  const kind = findKind(basename(path), '', bytes.subarray(0, HEAD_BYTES))
  if (!kind) return { refused: 'DOCUMENT_UNSUPPORTED' }
  try {
    const { text, pages } = await readDocument(bytes, kind)
    return { text, pages }
  } catch (error) {
    return { refused: findProblem(error) }
  }
}
