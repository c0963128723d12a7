import { open, rename, stat } from 'node:fs/promises'
import { type ConfinedProgram, ConfinementError, createConfinedPool } from '#toolbox'
import type { Cradle } from '../manifest.ts'
import type { PassageSizes } from '../passages/passages.ts'
import type { DocumentKind } from './document-kind.ts'
import { ReadingFailure, type ReadingProblem } from './reading-failure.ts'
import type { CutBatch, ReadingAnswer, ReadingTask } from './reading-worker.ts'

// The name of the compiled file.
const WORKER = new URL('./reading-worker.js', import.meta.url)

/** The most resident memory of a process. */
const MEMORY_MIB = 512
/** The most bytes of a text as it is stored. */
const MAX_TEXT_BYTES = 192 * 1024 * 1024
const MIB = 1024 * 1024
/** The time for a file of any size, and more for each MiB, in milliseconds. */
const TIME_MS = 45_000
const TIME_PER_MIB_MS = 10_000
/** Texts up to this size leave nothing behind, so that an account's next document can be read by the same process. */
const SMALL_BYTES = 256 * 1024
const PLAIN = new Set<DocumentKind>(['code', 'csv', 'html', 'json', 'markdown', 'text'])

const PROBLEMS = {
  memory: 'DOCUMENT_TOO_LARGE',
  time: 'DOCUMENT_TIMEOUT',
  crash: 'DOCUMENT_DAMAGED',
} satisfies Record<ConfinementError['reason'], ReadingProblem>

/** Reads documents in processes that are bounded in time and memory. */
export type DocumentReaders = ReturnType<typeof createDocumentReaders>

/** Reads one document. */
export type DocumentReader = ReturnType<DocumentReaders['open']>

/** Creates the readers. */
export function createDocumentReaders({ config }: Pick<Cradle, 'config'>) {
  const max_ms = config.read_seconds * 1000
  const pool = createConfinedPool(WORKER, { memory_mib: MEMORY_MIB, max_ms })

  return {
    /** Creates the reader of a document of an account; its process starts with the first task. */
    open(user_id: string) {
      let program: ConfinedProgram | undefined
      let hasText = false
      let isReusable = true

      /** Yields the answers to a task about a file. Throws a ReadingFailure. */
      async function* ask(
        { size, ...task }: ReadingTask & { size: number },
        signal: AbortSignal,
      ): AsyncGenerator<ReadingAnswer> {
        const time_ms = Math.min(max_ms, TIME_MS + (size / MIB) * TIME_PER_MIB_MS)
        if (size > SMALL_BYTES) isReusable = false
        program ??= pool.take(user_id)
        let isAnswered = false
        try {
          const answers = program.ask(task, time_ms, signal) as AsyncGenerator<ReadingAnswer>
          for await (const answer of answers) {
            if ('problem' in answer) throw new ReadingFailure(answer.problem)
            isAnswered = 'pages' in answer || ('progress' in answer && answer.progress === 1)
            yield answer
            if (isAnswered) return
          }
        } catch (cause) {
          if (cause instanceof ConfinementError) throw new ReadingFailure(PROBLEMS[cause.reason], { cause })
          throw cause
        } finally {
          if (!isAnswered) isReusable = false
        }
      }

      return {
        /** Reads a file and stores its text; returns the number of its pages. Throws a ReadingFailure. */
        async read(
          path: string,
          { kind, output }: { kind: DocumentKind; output: string },
          signal: AbortSignal,
        ): Promise<number | null> {
          const { size } = await stat(path)
          if (!PLAIN.has(kind)) isReusable = false
          let pages: number | null = null
          let length = 0
          // Renamed when complete: after a crash, half a text would be taken for the whole.
          const part = `${output}.part`
          const file = await open(part, 'w', 0o600)
          try {
            for await (const answer of ask({ read: { path, kind }, size }, signal)) {
              if ('pages' in answer) {
                pages = answer.pages
                continue
              }
              const line = Buffer.from(`${JSON.stringify(answer)}\n`)
              length += line.length
              if (length > MAX_TEXT_BYTES) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
              await file.writeFile(line)
            }
            await file.sync()
          } finally {
            await file.close()
          }
          await rename(part, output)
          hasText = true
          return pages
        },

        /** Cuts the text that was read, or is stored in the file of an earlier reading, into passages. */
        async *cut(
          path: string,
          task: { title: string; sizes: PassageSizes },
          signal: AbortSignal,
        ): AsyncGenerator<CutBatch> {
          const { size } = await stat(path)
          const stored = hasText ? undefined : path
          hasText = true
          for await (const answer of ask({ cut: { stored, ...task }, size }, signal))
            if ('passages' in answer) yield answer
        },

        /** Ends the process, unless the next document of the account can have it. */
        async end(): Promise<void> {
          if (!program) return
          if (isReusable) await pool.keep(user_id, program)
          else await program.end()
        },
      }
    },

    end: () => pool.end(),
  }
}
