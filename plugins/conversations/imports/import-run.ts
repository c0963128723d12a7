import { AppError, createKeyedQueue, type ErrorCode, isUnavailable } from '#plugin-api'
import { openArchive } from './archive/archive.ts'
import { type ArchivedConversation, readConversations } from './archive-reading.ts'
import type { ImportKind } from './conversation.ts'
import type { ImportDocument, ImportLineDocument, StoredReason } from './documents.ts'
import type { Cradle } from './manifest.ts'
import { createMessageFiles, type MessageFiles } from './message-files.ts'

/** The most conversations of an archive. */
const MAX_CONVERSATIONS = 200_000
/** The most conversations that are stored at once, and the most bytes of their JSON, unless one alone has more. */
const MAX_AT_ONCE = { conversations: 8, bytes: 2 * 1024 * 1024 }
/** The number of attempts after which an archive that ends its server each time is given up. */
const MAX_ATTEMPTS = 3

type RunCradle = Pick<
  Cradle,
  | 'agents'
  | 'collections'
  | 'config'
  | 'conversationStore'
  | 'explainError'
  | 'importFiles'
  | 'imports'
  | 'log'
>

/**
 * Imports the conversations of an archive from the one on that is next, until the archive is over, the signal is aborted,
 * or the import was cancelled. Its document then says how it ended, unless it is to be continued.
 */
export async function runImport(
  queued: ImportDocument,
  signal: AbortSignal,
  cradle: RunCradle,
): Promise<void> {
  const { imports, log } = cradle
  const current = await imports.begin(queued)
  if (!current) return
  try {
    if (current.attempts > MAX_ATTEMPTS) throw new AppError('IMPORT_INTERRUPTED')
    const isOver = await importAll(current, signal, cradle)
    if (isOver) await imports.end(current, null)
  } catch (error) {
    if (isUnavailable(error)) throw error
    // The archive of a cancelled import is gone.
    if (signal.aborted || !(await imports.isActive(current))) return
    const { _id, user_id } = current
    if (!(error instanceof AppError)) log.error({ error, import_id: _id, user_id }, 'an import failed')
    await imports.end(current, toReason(error, cradle))
  }
}

/** Returns true at the end of the archive. */
async function importAll(current: ImportDocument, signal: AbortSignal, cradle: RunCradle): Promise<boolean> {
  const { config, importFiles, imports } = cradle
  const archive = await openArchive(importFiles.pathOf(current._id), {
    size: current.size,
    max_bytes: config.max_archive_mb * 1024 * 1024,
  })
  try {
    const bytes_total = archive.files.reduce((sum, { bytes }) => sum + bytes, 0)
    let bytes_read = 0
    let index = 0
    let kind: ImportKind | null = null
    const { user_id, agent_id } = current
    const messageFiles = createMessageFiles({ user_id, agent_id }, archive, cradle)
    const run = { current, messageFiles, queue: createKeyedQueue() }
    const onRead = (bytes: number) => {
      bytes_read += bytes
      // A file without conversations may be large.
      signal.throwIfAborted()
    }
    /** Lines in the making, in the order of the archive. */
    const begun: { line: Promise<ImportLineDocument>; bytes: number; bytes_read: number }[] = []
    const finishFirst = async () => {
      const { line, bytes_read } = begun[0]!
      const isKept = await imports.advance(await line, { kind, bytes_read, bytes_total })
      begun.shift()
      return isKept
    }
    const isFull = () =>
      begun.length >= MAX_AT_ONCE.conversations ||
      begun.reduce((sum, { bytes }) => sum + bytes, 0) >= MAX_AT_ONCE.bytes
    const finishAll = async () => {
      while (begun.length > 0) if (!(await finishFirst())) return false
      return true
    }
    try {
      for await (const archived of readConversations(archive, onRead)) {
        if (signal.aborted) return false
        if (index === MAX_CONVERSATIONS) throw new AppError('ARCHIVE_EXCESSIVE')
        kind ??= archived.kind
        if (index >= current.next) {
          const line = importOne(archived, index, run, cradle)
          // Handled when its turn comes.
          line.catch(() => undefined)
          begun.push({ line, bytes: archived.bytes, bytes_read })
        }
        index += 1
        while (isFull()) if (!(await finishFirst())) return false
      }
      if (!(await finishAll())) return false
    } catch (error) {
      // The conversations before the damage are stored and belong to the report.
      if (error instanceof AppError && error.code.startsWith('ARCHIVE_')) await finishAll()
      throw error
    } finally {
      await Promise.allSettled(begun.map(({ line }) => line))
    }
    if (index === 0) throw new AppError('ARCHIVE_WITHOUT_CONVERSATIONS')
    return true
  } finally {
    archive.close()
  }
}

interface Run {
  current: ImportDocument
  messageFiles: MessageFiles
  /** Conversations with the same id are stored one after the other. */
  queue: ReturnType<typeof createKeyedQueue>
}

/** Imports one conversation and returns its line, which an earlier attempt may have written. */
async function importOne(
  archived: ArchivedConversation,
  index: number,
  { current, messageFiles, queue }: Run,
  cradle: RunCradle,
): Promise<ImportLineDocument> {
  const { conversationStore, imports, log } = cradle
  const { _id: import_id, user_id } = current
  const isResumed = current.next > 0 || current.attempts > 1
  const isRepeated = isResumed && index < current.next + MAX_AT_ONCE.conversations
  const former = isRepeated ? await imports.findLine(current, index) : null
  if (former) return former
  const line = {
    ...{ _id: imports.lineId(import_id, index), import_id, user_id, index, title: archived.title },
    ...{ reason: null, messages: 0, agent_id: null, thread_id: null },
  }
  try {
    if ('failure' in archived) throw archived.failure
    const { conversation } = archived
    const stored = await queue.run(`${conversation.kind}:${conversation.id}`, () =>
      conversationStore.store(conversation, current, { messageFiles, isRepeated }),
    )
    return { ...line, ...stored }
  } catch (error) {
    if (isUnavailable(error) || (error instanceof AppError && error.code === 'AGENT_NOT_FOUND')) throw error
    if (!(error instanceof AppError))
      log.error({ error, import_id, index }, 'a conversation could not be imported')
    return { ...line, status: 'failed', reason: toReason(error, cradle) }
  }
}

function toReason(error: unknown, { explainError }: Pick<Cradle, 'explainError'>): StoredReason {
  const { code, details } = explainError(error, 'en', '')
  return { code: code as ErrorCode, details }
}
