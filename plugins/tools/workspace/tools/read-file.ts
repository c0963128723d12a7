import type { FileHandle } from 'node:fs/promises'
import { objectOf, type Tool, type TypeOf } from '#plugin-api'
import { PAGES_PATTERN } from '../document-pages.ts'
import { decodeText } from '../files/file-facts.ts'
import { explainErrors } from '../files/file-failure.ts'
import { withFile } from '../files/workspace-path.ts'
import { MAX_TEXT_BYTES } from '../output.ts'
import type { WorkspaceDocuments } from '../workspace-documents.ts'
import { describeDocument } from './document-text.ts'

const DEFAULT_LINES = 2000
const NEWLINE = 10

const input = objectOf(
  {
    path: {
      type: 'string',
      minLength: 1,
      maxLength: 4096,
      description: 'A file, relative to the workspace.',
    },
    offset: {
      type: 'integer',
      minimum: 0,
      description: 'The number of lines to skip at the start. Default: 0.',
    },
    limit: {
      type: 'integer',
      minimum: 1,
      description: `The most lines to read. Default: ${DEFAULT_LINES}.`,
    },
    pages: {
      type: 'string',
      pattern: PAGES_PATTERN,
      description: 'The pages of a document, such as "3" or "3-7" or "3-". Default: all.',
    },
  },
  ['path'],
)

/** Creates the tool that reads a file: lines of a text, or pages of a document. */
export function createReadFile(documents: () => WorkspaceDocuments): Tool {
  return {
    name: 'read_file',
    label: { en: 'Read a file', zh: '读取文件' },
    description: `Reads a file of the workspace, at most ${MAX_TEXT_BYTES} bytes at once: a text, or the text of a document (PDF, Word, Excel, PowerPoint, OpenDocument, EPUB, RTF, mail). Use offset and limit to read on in a longer one, and pages for pages of a document.`,
    input_schema: input,
    disableable: false,
    async execute({ path, pages, offset = 0, limit = DEFAULT_LINES }: TypeOf<typeof input>, context) {
      const { workspace, signal } = context
      return explainErrors(path, async () => {
        const { isSource, read } = documents()
        const range = { offset, limit, signal }
        const lines = pages === undefined && (await readText(workspace, path, range, isSource))
        if (lines) return lines
        const document = await read({ ...context, path }, 'en', signal)
        return describeDocument(document, { path, pages, offset, limit })
      })
    },
  }
}

/** Returns lines of a file that is UTF-8 text; undefined if it is not, or is a document whose source nobody reads. */
function readText(
  workspace: string,
  path: string,
  { offset, limit, signal }: { offset: number; limit: number; signal: AbortSignal },
  isSource: WorkspaceDocuments['isSource'],
): Promise<string | undefined> {
  return withFile(workspace, path, async (file) => {
    if (!(await isSource(file, path))) return undefined
    const { size } = await file.stat()
    const excerpt = await readLines(file, { offset, limit, signal })
    const text = decodeText(excerpt.bytes, { stream: excerpt.cut })
    return text === undefined ? undefined : describe(text, excerpt, { offset, size })
  })
}

/** Lines of a file, each with its newline. */
interface Excerpt {
  bytes: Buffer
  /** The number of complete lines in the bytes. */
  lines: number
  /** True if the output limit cut it, perhaps within a line. */
  cut: boolean
  /** True if the file continues after it. */
  more: boolean
}

/** Reads lines as a stream, so that a large file is never in memory as a whole. */
async function readLines(
  file: FileHandle,
  { offset, limit, signal }: { offset: number; limit: number; signal: AbortSignal },
): Promise<Excerpt> {
  const pieces: Buffer[] = []
  let room = MAX_TEXT_BYTES
  let line = 0
  const excerpt = (cut: boolean, more: boolean): Excerpt => {
    return { bytes: Buffer.concat(pieces), lines: Math.max(0, line - offset), cut, more }
  }
  // A stream created with an aborted signal emits an error that nobody can catch.
  signal.throwIfAborted()
  for await (const chunk of file.createReadStream({
    start: 0,
    autoClose: false,
    signal,
  }) as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length; ) {
      if (line >= offset + limit) return excerpt(false, true)
      const newline = chunk.indexOf(NEWLINE, at)
      const end = newline < 0 ? chunk.length : newline + 1
      if (line >= offset) {
        pieces.push(chunk.subarray(at, Math.min(end, at + room)))
        if (end - at > room) return excerpt(true, true)
        room -= end - at
      }
      if (newline >= 0) line++
      at = end
    }
  }
  return excerpt(false, false)
}

function describe(
  text: string,
  { lines, cut, more }: Excerpt,
  { offset, size }: { offset: number; size: number },
): string {
  if (size === 0) return '(an empty file)'
  if (text === '') return `(the file has no line after line ${offset})`
  if (!more) return text
  const next = offset + lines
  const why = cut ? `cut at ${MAX_TEXT_BYTES} bytes` : 'cut at the limit'
  const how = lines > 0 ? `continue with offset ${next}` : `line ${next + 1} alone is longer than that`
  return `${text}${text.endsWith('\n') ? '' : '\n'}[${why}; the file has ${size} bytes; ${how}]`
}
