import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, ConfinementError, createKeyedSemaphore, startConfinedProgram } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import { createReaderKinds } from './reader-kinds.ts'
import { chooseMediaType, suggestFormats } from './reading/document-kind.ts'
import { readSample } from './reading/file-sample.ts'
import type { ReadingFile } from './reading/reader.ts'
import type { ReadingProblem } from './reading/reading-failure.ts'
import type { ReadingAnswer } from './reading/reading-worker.ts'
import { type DocumentSegment, readStoredPages, readStoredSegments } from './stored-text.ts'

// The name of the compiled file.
const WORKER = new URL('./reading/reading-worker.js', import.meta.url)

/** The most resident memory of a process. */
const MEMORY_MIB = 512
/** The documents that are read at a time, in all and of one account. */
const AT_ONCE = 2
const AT_ONCE_OF_ACCOUNT = 1
/** The attempts at a document whose process was killed. */
const MAX_ATTEMPTS = 2
/** The most bytes of a text as it is stored. */
const MAX_TEXT_BYTES = 192 * 1024 * 1024
const MIB = 1024 * 1024
/** The time for a file of any size, and more for each MiB, in milliseconds. */
const TIME_MS = 45_000
const TIME_PER_MIB_MS = 10_000
/** The time for a web page, for which a turn waits. */
const PAGE_MS = 10_000

const PROBLEMS = {
  memory: 'DOCUMENT_TOO_LARGE',
  time: 'DOCUMENT_TIMEOUT',
  crash: 'DOCUMENT_DAMAGED',
} satisfies Record<ConfinementError['reason'], ReadingProblem>

/** The size of a text that was read. */
export interface ReadingSummary {
  /** The number of pages or slides; null for formats that have none. */
  pages: number | null
  characters: number
  title?: string
}

/** Kinds that are no documents but texts, which web pages are without a reader. */
const TEXTS = new Set(['txt', 'code', 'json', 'md'])

/** The account that a file is read for, the file for its text, and the readings among which it takes its turn. */
interface ReadingOrder {
  user_id: string
  output: string
  /** `library` for knowledge bases, for which nobody waits. */
  lane?: 'document' | 'library' | 'page'
}

/** The name of a file, and the media type that its sender stated. */
interface NamedFile {
  name: string
  media_type: string
}

/** Reads documents, each in a process of its own that is bounded in time and memory. */
export type DocumentReader = ReturnType<typeof createDocumentReader>

/** Creates the reader. */
export function createDocumentReader({
  config,
  extensions,
  log,
  server,
}: Pick<Cradle, 'config' | 'extensions' | 'log' | 'server'>) {
  const kinds = createReaderKinds({ extensions })
  const max_ms = config.read_seconds * 1000
  // Turns do not wait for knowledge bases, nor pages of the web for documents, which can take a minute.
  const lanes = {
    document: createKeyedSemaphore(),
    library: createKeyedSemaphore(),
    page: createKeyedSemaphore(),
  }

  /** Returns the format of a file that cannot be read, and the formats to save it in: the details of its error. */
  const suggest = async (file: string | FileHandle, { name, media_type }: NamedFile) => ({
    filename: name,
    ...suggestFormats(name, media_type, await readSample(file)),
  })

  /** Reads a file in a process of its own, and writes the parts of its text as lines of JSON. */
  const read = async (file: ReadingFile, output: string, signal: AbortSignal): Promise<ReadingSummary> => {
    const { size } = await stat(file.path)
    const time_ms =
      file.address === undefined ? Math.min(max_ms, TIME_MS + (size / MIB) * TIME_PER_MIB_MS) : PAGE_MS
    let characters = 0
    let bytes = 0
    const stored = await open(output, 'w', 0o600)
    const program = startConfinedProgram(WORKER, { memory_mib: MEMORY_MIB, max_ms })
    try {
      for await (const answer of program.ask(file, time_ms, signal) as AsyncGenerator<ReadingAnswer>) {
        if ('problem' in answer) {
          const { problem, detail } = answer
          if (detail !== undefined) log.warn({ reader: file.kind, detail }, 'the reader of a plugin failed')
          throw new AppError(problem)
        }
        if ('pages' in answer) {
          await stored.sync()
          return { ...answer, characters }
        }
        characters += answer.text.length
        const line = Buffer.from(`${JSON.stringify(answer)}\n`)
        bytes += line.length
        if (bytes > MAX_TEXT_BYTES) throw new AppError('DOCUMENT_TOO_LARGE')
        await stored.writeFile(line)
      }
      throw new Error('a reader ended without an answer')
    } finally {
      await Promise.all([program.end(), stored.close()])
    }
  }

  /**
   * Reads the file of an account and stores its text at `output`, as lines with its parts. Throws an AppError with the
   * reason for which the document cannot be read, or the signal's reason.
   */
  const readFile = async (
    file: ReadingFile,
    { user_id, output, lane = 'document' }: ReadingOrder,
    signal: AbortSignal,
  ): Promise<ReadingSummary> => {
    const bounds = { perKey: lane === 'document' ? AT_ONCE_OF_ACCOUNT : AT_ONCE, total: AT_ONCE }
    const release = await lanes[lane].acquire(user_id, bounds, signal)
    // Renamed when complete: after a crash, half a text would be taken for the whole.
    const part = `${output}.part`
    try {
      for (let attempt = 1; ; attempt += 1)
        try {
          const summary = await read(file, part, signal)
          await rename(part, output)
          return summary
        } catch (cause) {
          if (!(cause instanceof ConfinementError)) throw cause
          // The system may have needed the memory, so one more process may succeed; more time would not help.
          if (cause.reason === 'time' || attempt >= MAX_ATTEMPTS)
            throw new AppError(PROBLEMS[cause.reason], {}, { cause })
        }
    } finally {
      release()
      await rm(part, { force: true })
    }
  }

  const findReader = async (file: string | FileHandle, { name, media_type }: NamedFile) =>
    kinds.find(name, media_type, await readSample(file))

  return {
    /** Returns the reader of a file by its name, its media type and its bytes; undefined if it cannot be read. */
    findReader,

    suggestFormats: suggest,

    readPages: readStoredPages,

    chooseMediaType,

    /**
     * Reads bytes from elsewhere for an account; returns undefined if they are no document. `use` has the segments
     * of their text for as long as it runs. Throws like `read`.
     */
    async withText<Result>(
      bytes: Buffer,
      { user_id, ...file }: NamedFile & { user_id: string; address?: string },
      signal: AbortSignal,
      use: (summary: ReadingSummary, segments: () => AsyncGenerator<DocumentSegment>) => Promise<Result>,
    ): Promise<Result | undefined> {
      const folder = join(server.home, 'documents')
      const path = join(folder, `${randomUUID()}.source`)
      const output = `${path}.text`
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await writeFile(path, bytes, { mode: 0o600 })
        const reader = file.address === undefined ? await findReader(path, file) : { kind: 'html' }
        if (!reader || TEXTS.has(reader.kind)) return undefined
        const summary = await readFile(
          { path, size: bytes.length, ...file, ...reader },
          { user_id, output, lane: 'page' },
          signal,
        )
        return await use(summary, () => readStoredSegments(output))
      } finally {
        for (const name of [path, output]) await rm(name, { force: true })
      }
    },

    read: readFile,
  }
}
