import { AppError, type UploadedFile } from '#kernel'
import type { ThreadDocument } from '../chat/documents.ts'
import type { ReadEvent } from '../chat/ledger/ledger-reader.ts'
import type { ThreadOwner } from '../chat/threads/threads.ts'
import type { ExportHead } from '../trajectory/schemas.ts'
import { createExportCheck } from './export-check.ts'
import { readParts } from './exported-parts.ts'
import type { Cradle } from './manifest.ts'
import { createTurnRenaming } from './turn-renaming.ts'

/** How many events, and how many characters of them, are stored at once. */
const BATCH = { events: 500, characters: 4 * 1024 * 1024 }
/** How long an import may take before it counts as one whose process has died, in seconds. */
const ABANDONED_SECONDS = 3600
const TITLE_LENGTH = 200

/** An import that is not finished; `_id` is that of the thread to be. */
export interface ThreadImportDocument {
  _id: string
  /** Unix seconds. */
  started_at: number
}

/** Brings in threads that were carried on elsewhere. */
export interface ThreadImports {
  /** Makes a thread of an exported trajectory, to be projected by a migration. Throws BAD_EXPORT. */
  take(owner: ThreadOwner, file: UploadedFile): Promise<{ thread: ThreadDocument; imported_events: number }>
  /** Removes what imports that were cut by a crash have left. */
  clean(): Promise<void>
}

/** Makes the imports; one at a time in this process, as a file may take much memory. */
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
>): ThreadImports {
  let last: Promise<unknown> = Promise.resolve()

  /** Stores the events of a file; gives what is said of the thread. */
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
      newest = renaming.take(check.event(part), part.place)
      title ??= threadArchive.titleOf({ content: newest.input ?? [] }) || null
      batch.push(newest)
      characters += part.size
      if (batch.length >= BATCH.events || characters >= BATCH.characters) await store()
    }
    const imported_events = renaming.count
    if (renaming.openTurn) batch.push(endOf(renaming.openTurn, renaming.count + 1, newest!.ts))
    await store()
    return {
      title: headline(head!.title) ?? title,
      last_seq: imported_events + (renaming.openTurn ? 1 : 0),
      last_active: Math.min(newest ? Math.floor(newest.ts / 1000) : Infinity, clock.seconds()),
      imported_events,
    }
  }

  /** The end of a turn that was not over when it was exported, as a crash would have ended it. */
  const endOf = (turn_id: string, seq: number, ts: number): ReadEvent => {
    const frame = explainError(new AppError('TURN_INTERRUPTED'), 'en', turn_id)
    return { seq, turn_id, ts, type: 'error', frame }
  }

  const makeThread = async (owner: ThreadOwner, thread_id: string, path: string) => {
    const { imported_events, ...facts } = await storeEvents(thread_id, owner.agent_id, path)
    const thread = await threads.create(owner, { ...facts, _id: thread_id, projection_version: 0 })
    // What was removed meanwhile has had its threads removed without this one.
    const [agent, user] = await Promise.all([agents.find(owner.agent_id), users.find(owner.user_id)])
    if (!agent || !user) throw new AppError('AGENT_NOT_FOUND')
    return { thread, imported_events }
  }

  const bringIn = async (owner: ThreadOwner, { path }: UploadedFile) => {
    const _id = ids.make('thr_')
    await imports.insertOne({ _id, started_at: clock.seconds() })
    try {
      const made = await makeThread(owner, _id, path)
      await imports.deleteOne({ _id })
      return made
    } catch (error) {
      // The note goes last: it is what a later cleaning goes by.
      await chat.purge([_id])
      await imports.deleteOne({ _id })
      throw error
    }
  }

  return {
    take(owner, file) {
      const taken = last.then(() => bringIn(owner, file))
      // Whoever brings a file hears of its failure; the next in line does not wait for it to be well.
      last = taken.catch(() => undefined)
      return taken
    },
    async clean() {
      const before = clock.seconds() - ABANDONED_SECONDS
      for (const { _id } of await imports.find({ started_at: { $lt: before } }).toArray()) {
        if (await threadArchive.isGone(_id)) await chat.purge([_id])
        await imports.deleteOne({ _id })
      }
    },
  }
}

/** A title as long as users may give it. */
const headline = (title: string | null): string | null =>
  title === null ? null : [...title.trim()].slice(0, TITLE_LENGTH).join('') || null
