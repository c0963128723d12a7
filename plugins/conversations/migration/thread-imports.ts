import { AppError, type UploadedFile } from '#plugin-api'
import type { ThreadDocument } from '../chat/documents.ts'
import type { ReadEvent } from '../chat/ledger/ledger-reader.ts'
import type { ThreadOwner } from '../chat/threads/threads.ts'
import type { ExportHead } from '../trajectory/schemas.ts'
import { createExportCheck } from './export-check.ts'
import { readParts } from './exported-parts.ts'
import type { Cradle } from './manifest.ts'
import { createTurnRenaming } from './turn-renaming.ts'

/** The most events, and the most characters of them, that are stored at once. */
const BATCH = { events: 500, characters: 4 * 1024 * 1024 }
/** The time after which an unfinished import counts as abandoned by a crashed process, in seconds. */
const ABANDONED_SECONDS = 3600
const MAX_TITLE_CHARS = 200

/** An unfinished import; `_id` is that of the thread to be created. */
export interface ThreadImportDocument {
  _id: string
  /** Unix seconds. */
  started_at: number
}

/** Imports threads that were exported, from this server or another one. */
export type ThreadImports = ReturnType<typeof createThreadImports>

/** Creates the imports; they run one at a time in this process, because a file may take much memory. */
export function createThreadImports({
  collections: { thread_imports: imports },
  threads,
  threadArchive,
  exportFormat,
  chat,
  agents,
  users,
  explainError,
  clock,
  ids,
}: Pick<
  Cradle,
  | 'collections'
  | 'threads'
  | 'threadArchive'
  | 'exportFormat'
  | 'chat'
  | 'agents'
  | 'users'
  | 'explainError'
  | 'clock'
  | 'ids'
>) {
  let last: Promise<unknown> = Promise.resolve()

  /** Stores the events of a file and returns the facts of the thread. */
  const storeEvents = async (thread_id: string, agent_id: string, path: string) => {
    const check = await createExportCheck({ exportFormat, threadArchive })
    const renaming = createTurnRenaming(ids, (file) => threadArchive.fileUrl(agent_id, file))
    let head: ExportHead | undefined
    let title: string | null = null
    let newest: ReadEvent | undefined
    let batch: ReadEvent[] = []
    let characters = 0
    const store = async () => {
      if (batch.length > 0) await threadArchive.adopt(thread_id, batch)
      batch = []
      characters = 0
    }
    for await (const part of readParts(path)) {
      if (!head) {
        head = check.head(part)
        continue
      }
      newest = renaming.take(check.event(part), part.position)
      if (newest.type === 'turn_started') newest.is_copied = true
      title ??= threadArchive.toTitle({ content: newest.input ?? [] }) || null
      batch.push(newest)
      characters += part.size
      if (batch.length >= BATCH.events || characters >= BATCH.characters) await store()
    }
    const imported_events = renaming.count
    if (renaming.openTurn) batch.push(createEnd(renaming.openTurn, renaming.count + 1, newest!.ts))
    await store()
    return {
      title: clipTitle(head!.title) ?? title,
      last_seq: imported_events + (renaming.openTurn ? 1 : 0),
      last_active: Math.min(newest ? Math.floor(newest.ts / 1000) : Infinity, clock.seconds()),
      imported_events,
    }
  }

  /** Creates the end of a turn that was still running when it was exported, as a crash would have ended it. */
  const createEnd = (turn_id: string, seq: number, ts: number): ReadEvent => {
    const frame = explainError(new AppError('TURN_INTERRUPTED'), 'en', turn_id)
    return { seq, turn_id, ts, type: 'error', frame }
  }

  const makeThread = async (owner: ThreadOwner, thread_id: string, path: string) => {
    const { imported_events, ...facts } = await storeEvents(thread_id, owner.agent_id, path)
    const thread = await threads.create(owner, {
      ...facts,
      title_by: 'model',
      _id: thread_id,
      projection_version: 0,
    })
    // If the agent or the account was removed in the meantime, this thread was not among the threads removed with it.
    const [agent, user] = await Promise.all([agents.find(owner.agent_id), users.find(owner.user_id)])
    if (!agent || !user) throw new AppError('AGENT_NOT_FOUND')
    return { thread, imported_events }
  }

  const runImport = async (owner: ThreadOwner, { path }: UploadedFile) => {
    const _id = ids.make('thr_')
    await imports.insertOne({ _id, started_at: clock.seconds() })
    try {
      const thread = await makeThread(owner, _id, path)
      await imports.deleteOne({ _id })
      return thread
    } catch (error) {
      // The note goes last, because the cleaning after a crash relies on it.
      await chat.purge([_id])
      await imports.deleteOne({ _id })
      throw error
    }
  }

  return {
    /** Creates a thread from an exported trajectory; a migration builds its messages later. Throws BAD_EXPORT. */
    take(
      owner: ThreadOwner,
      file: UploadedFile,
    ): Promise<{ thread: ThreadDocument; imported_events: number }> {
      const imported = last.then(() => runImport(owner, file))
      // The failure is reported to the caller of this import; the next import only waits for the end of this one.
      last = imported.catch(() => undefined)
      return imported
    },
    /** Removes what imports interrupted by a crash have left. */
    async clean(): Promise<void> {
      const abandonedBefore = clock.seconds() - ABANDONED_SECONDS
      for (const { _id } of await imports.find({ started_at: { $lt: abandonedBefore } }).toArray()) {
        if (await threadArchive.isGone(_id)) await chat.purge([_id])
        await imports.deleteOne({ _id })
      }
    },
  }
}

/** Cuts a title to the length that users may set. */
const clipTitle = (title: string | null): string | null =>
  title === null ? null : [...title.trim()].slice(0, MAX_TITLE_CHARS).join('') || null
