import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { PACKAGE_ROOT } from '../kernel/loading/package.ts'
import { type CorpusDocument, readAsServer, replaceSame } from './corpus.ts'
import { type CellScore, scoreGridCells, scorePrintedCells } from './corpus-cells.ts'
import { scoreWords, type WordScore } from './corpus-words.ts'

/** The scores of a reader for one document. */
export interface DocumentScore {
  words: WordScore
  cells: CellScore
  /** The document was refused with the expected code, or read with the expected number of pages. */
  isRight: boolean
  refused?: string
  pages?: number
}

/** A reader of one kind of documents, other than the server's. */
export interface OtherReader {
  name: string
  kind: string
  /** Scores a document; missing if the reader is not installed. */
  score?: (document: CorpusDocument) => DocumentScore
}

/** Scores the server's reading of a document. */
export async function scoreServer({ path, expected }: CorpusDocument): Promise<DocumentScore> {
  const { text: readText = '', refused, pages } = await readAsServer(path)
  const text = replaceSame(expected, readText)
  return {
    words: scoreWords(expected, text),
    cells: scorePrintedCells(expected, text),
    isRight: refused === expected.refused && (expected.pages ?? pages) === pages,
    refused,
    pages,
  }
}

const PYTHON_READER = join(PACKAGE_ROOT, 'bench/corpus/read-with-python.py')
/** The libraries of Python that read a kind, by the names under which they are imported. */
const LIBRARIES = [
  { kind: 'docx', library: 'docx', name: 'python-docx' },
  { kind: 'xlsx', library: 'openpyxl', name: 'openpyxl' },
  { kind: 'pptx', library: 'pptx', name: 'python-pptx' },
]

/** Returns the other readers of the documents. */
export const listOtherReaders = (documents: readonly CorpusDocument[]): OtherReader[] => [
  { name: 'pdftotext', kind: 'pdf', score: hasProgram('pdftotext', '-v') ? scorePoppler : undefined },
  ...LIBRARIES.map(({ kind, library, name }) => {
    const isInstalled = hasProgram('python3', '-c', `import ${library}`)
    const paths = documents.filter((document) => document.kind === kind).map(({ path }) => path)
    return { name, kind, score: isInstalled ? createPythonScore(library, paths) : undefined }
  }),
]

const hasProgram = (program: string, ...args: string[]) => spawnSync(program, args).status === 0

/** Reads the documents at once, because a start of Python takes longer than most of them. */
function createPythonScore(library: string, paths: readonly string[]): OtherReader['score'] {
  const answer = execFileSync('python3', ['-W', 'ignore', PYTHON_READER, library, ...paths], {
    encoding: 'utf8',
  })
  const readings = JSON.parse(answer) as Record<string, { text: string; tables: string[][][] }>
  return ({ path, expected }) => {
    const { text, tables } = readings[path]!
    const words = scoreWords(expected, replaceSame(expected, text))
    return { words, cells: scoreGridCells(expected, tables), isRight: true }
  }
}

/** Scores the words of a PDF as `pdftotext` prints them in reading order; it has no cells. */
function scorePoppler({ path, expected }: CorpusDocument): DocumentScore {
  const { stdout } = spawnSync('pdftotext', ['-enc', 'UTF-8', path, '-'], { encoding: 'utf8' })
  const cells = { expected: 0, matched: 0, missing: [] }
  return { words: scoreWords(expected, stdout), cells, isRight: true }
}
