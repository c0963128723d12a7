import { rowOf, type TypeOf } from '#kernel'

/** Facts about a document, as the API shows them. */
export const documentFacts = {
  title: 'DocumentFacts',
  ...rowOf(
    {
      kind: { type: 'string', description: 'The usual extension of its format', examples: ['pdf'] },
      pages: {
        type: 'integer',
        minimum: 0,
        description: 'Pages or slides, for formats that have them',
        examples: [12],
      },
      characters: { type: 'integer', minimum: 0, description: 'The length of its text', examples: [18_204] },
      state: {
        enum: ['ready', 'reading', 'no_text', 'failed'],
        description: '`reading` is not over yet; `no_text` is a scan; `failed` has a reason',
      },
      reason: rowOf({
        code: { type: 'string', examples: ['DOCUMENT_ENCRYPTED'] },
        message: { type: 'string', examples: ['The document is protected by a password.'] },
      }),
    },
    ['pages', 'reason'],
  ),
} as const

/** Facts about a document. */
export type DocumentFacts = TypeOf<typeof documentFacts>

/** A file to read; its name is that which people see, `size` is in bytes. */
export interface DocumentFile {
  path: string
  name: string
  size: number
  media_type: string
}

/** A part of a document's text in reading order; pages count from 1. */
export interface DocumentPart {
  page?: number
  text: string
}

/**
 * Reads a file; empty lines separate paragraphs. It runs in a process of its own, with bounded time and memory and without
 * the services of the server. An error counts as damage of the document.
 */
export type DocumentReading = (
  file: DocumentFile,
  context: { signal: AbortSignal },
) => Promise<{ pages: readonly DocumentPart[] }>

/**
 * The reader of one kind of documents. It takes the place of a built-in reader of the same extensions. The process that reads
 * loads the module of the plugin again and calls its `setup`, to find `read` there.
 */
export interface DocumentReaderKind {
  /** Unique, such as `eml`. */
  name: string
  media_types: readonly string[]
  /** Lower case, without the dot. */
  extensions: readonly string[]
  read: DocumentReading
  /** The address of the plugin's module, if the server has not loaded it from a folder: `import.meta.url` in tests. */
  module?: string
}
