import { extname } from 'node:path'
import { createFormCheck, type DocumentReaderKind } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import { findKind } from './reading/document-kind.ts'

const word = '^[a-z0-9][a-z0-9-]{0,31}$'

const assertForm = createFormCheck<DocumentReaderKind>(
  {
    type: 'object',
    properties: {
      name: { type: 'string', pattern: word },
      media_types: { type: 'array', items: { type: 'string', pattern: '^[\\w.+-]+/[\\w.+-]+$' } },
      extensions: { type: 'array', items: { type: 'string', pattern: word }, minItems: 1 },
      read: true,
      module: { type: 'string', pattern: '^file:' },
    },
    required: ['name', 'media_types', 'extensions', 'read'],
    additionalProperties: false,
  },
  ['read'],
)

/** Checks the form of a reader that a plugin registers. */
export const assertReaderKind = (candidate: unknown): DocumentReaderKind =>
  assertForm(candidate, `reader of documents "${(candidate as { name?: unknown } | null)?.name}"`)

/** Creates the search for readers; those that plugins have added take the place of built-in ones. */
export function createReaderKinds({ extensions }: Pick<Cradle, 'extensions'>) {
  const findAdded = (filename: string, media_type: string) => {
    const extension = extname(filename).slice(1).toLowerCase()
    const added = extensions['documents.readers'].list()
    return (
      added.find(({ extensions }) => extensions.includes(extension)) ??
      added.find(({ media_types }) => media_types.includes(media_type))
    )
  }

  const moduleOf = ({ name, module = extensions['documents.readers'].module(name) }: DocumentReaderKind) => {
    if (module === undefined)
      throw new Error(`the plugin of the reader "${name}" has no file that a process can load`)
    return module
  }

  return {
    /** Returns the kind of a file by its name, its media type and a sample of its bytes; undefined if it cannot be read. */
    find(
      filename: string,
      media_type: string,
      sample: Buffer,
    ): { kind: string; module?: string } | undefined {
      const added = findAdded(filename, media_type.split(';')[0]!.trim().toLowerCase())
      if (added) return { kind: added.name, module: moduleOf(added) }
      const kind = findKind(filename, media_type, sample)
      return kind && { kind }
    },
  }
}
