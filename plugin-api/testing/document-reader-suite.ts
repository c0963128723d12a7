import assert from 'node:assert/strict'
import { extname } from 'node:path'
import { test as nodeTest } from 'node:test'
import type { Plugin } from '#kernel'
import type { DocumentReaderKind } from '../document.ts'
import { type BenchSettings, startBench } from './agent-bench.ts'
import { assertPart, assertSame } from './assert-part.ts'
import { listEntries, mapEntries } from './declared-entries.ts'
import type { RunningServer } from './server.ts'
import { declareTests, type TestFunction } from './test-function.ts'

/** A document of the format that is tested. */
export interface TestDocument {
  /** The file name; its extension selects the reader. */
  name: string
  content: string | Uint8Array
}

/** A plugin that reads documents, with documents to read. */
export interface DocumentReaderSubject extends BenchSettings {
  /** The address of the plugin's compiled module, which the process that reads loads: `import.meta.resolve('./index.js')`. */
  module: string
  /** Documents that can be read, each with words of its text, and its number of pages if the format has them. */
  documents: readonly (TestDocument & { words: string | RegExp; pages?: number })[]
  /** Documents that cannot: damaged ones, and ones with a password if the format has them. */
  unreadable: readonly TestDocument[]
  /** Declares the tests: `test` of `node:test` unless another is given, e.g. `(name, run) => t.test(name, run)` of tap. */
  test?: TestFunction
}

/** The size of the largest document that is tried, in bytes. */
const LARGE_BYTES = 8 * 1024 * 1024

const READER_ADVICE =
  'Let read(file) read file.path and return { pages: [{ text }] }; what it throws is in the log of the server and counts as damage.'

/**
 * Tests readers of documents on a real server, in the confined process that reads there: that the text of documents is
 * found, and that documents which are damaged, empty, cut, random or large neither hang it nor end the server.
 */
export function testDocumentReader({
  module,
  documents,
  unreadable,
  test = nodeTest,
  plugins = [],
  config,
  databaseUrl,
}: DocumentReaderSubject): unknown {
  return declareTests(test, 'reader of documents', async (t, add) => {
    const { default: plugin } = (await import(module)) as { default: Plugin }
    const readers = listEntries(plugin, 'documents.readers') as DocumentReaderKind[]
    let server: RunningServer | undefined
    t.after(() => server?.close())

    /** Returns the answer to a request for the text of a document. */
    const read = ({ name, content }: TestDocument) => server!.requestDocument(name, content)

    await add(
      'its readers have the form that the server needs',
      async () => {
        assert.ok(readers.length > 0, 'the plugin must extend documents.readers, but it does not')
        const added = mapEntries(plugin, 'documents.readers', (entry) => ({ ...(entry as object), module }))
        server = await startBench({ plugins: [...plugins, added], config, databaseUrl })
        for (const { name } of [...documents, ...unreadable])
          assert.ok(
            readers.some(({ extensions }) => extensions.includes(extname(name).slice(1).toLowerCase())),
            `${name} must have an extension of a reader (${readers.flatMap(({ extensions }) => extensions).join(', ')})`,
          )
      },
      'Let the entry have name, media_types, extensions in lower case without a dot, and read.',
    )

    for (const document of documents)
      await add(
        `the text of ${document.name} is read, each time the same`,
        async () => {
          const answer = await read(document)
          assertSame(answer.status, 200, `the status of ${document.name}, ${JSON.stringify(answer.body)}`)
          const { pages } = answer.body as { pages: { page: number; text: string }[] }
          const { words } = document
          const text = pages.map(({ text }) => text).join('\n\n')
          assert.ok(
            typeof words === 'string' ? text.includes(words) : words.test(text),
            `the text must have ${words}, but it is ${JSON.stringify(text.slice(0, 500))}`,
          )
          if (document.pages !== undefined) assertSame(pages.length, document.pages, 'the number of pages')
          assertSame((await read(document)).body.pages, pages, 'the pages of a second reading')
        },
        READER_ADVICE,
      )

    const [first] = documents
    const stem = `odd${extname(first!.name)}`
    const bytes = Buffer.from(first!.content as string)
    const odd: Record<string, { document: TestDocument; mustFail?: boolean }> = {
      ...Object.fromEntries(
        unreadable.map((document) => [
          `${document.name}, which cannot be read,`,
          { document, mustFail: true },
        ]),
      ),
      'an empty document': { document: { name: stem, content: '' } },
      'half a document': {
        document: { name: stem, content: bytes.subarray(0, Math.floor(bytes.length / 2)) },
      },
      'a document of random bytes': { document: { name: stem, content: pseudoRandom(65_536) } },
      'a large document': {
        document: {
          name: stem,
          content: Buffer.concat(
            Array.from({ length: Math.ceil(LARGE_BYTES / Math.max(1, bytes.length)) }, () => bytes),
          ).subarray(0, LARGE_BYTES),
        },
      },
    }
    for (const [title, { document, mustFail = false }] of Object.entries(odd))
      await add(
        `${title} is read or refused in time, and the next one is read`,
        async () => {
          const { status, body } = await read(document)
          const outcome = status === 200 ? 'its text' : (body.error?.code ?? `the status ${status}`)
          if (mustFail || status !== 200)
            assertPart(outcome, /^DOCUMENT_(DAMAGED|EMPTY|ENCRYPTED|TOO_LARGE)$/, 'the outcome')
          assertSame((await read(first!)).status, 200, `the status of ${first!.name} afterwards`)
        },
        'Let read throw for a document that it cannot read, bound every loop by the length of the document, and hold no more than 512 MiB.',
      )
  })
}

/** Bytes without an order, the same in each run. */
function pseudoRandom(length: number): Uint8Array {
  let state = 1
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state >> 16
  })
}
