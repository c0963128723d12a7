import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { type FileHandle, mkdir, readdir, rm, stat, utimes } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { IndexDescription } from 'mongodb'
import {
  AppError,
  createKeyedSemaphore,
  type DocumentFacts,
  type ErrorCode,
  type Locale,
  untilAborted,
} from '#plugin-api'
import type { ReadDocument } from '../../agents/agents/types.ts'
import { createEtag, lookupMediaType } from './files/file-facts.ts'
import { ignoreCodes } from './files/file-failure.ts'
import { withFile } from './files/workspace-path.ts'
import type { Cradle } from './manifest.ts'

/** Facts about a file that was read. Its text is kept for a while, in a file of its own. */
export interface DocumentFactsDocument {
  /** The agent, and the entity tag of the file, which a renamed file keeps. */
  _id: string
  agent_id: string
  kind: string
  state: 'ready' | 'no_text' | 'failed'
  pages: number | null
  characters: number
  reason?: { code: string; details: Record<string, unknown> }
  read_at: Date
}

const KEEP_FACTS_SECONDS = 90 * 86_400
export const documentFactsIndexes: IndexDescription[] = [
  { key: { agent_id: 1 } },
  { key: { read_at: 1 }, expireAfterSeconds: KEEP_FACTS_SECONDS },
]

/** The largest file that is read. */
const MAX_BYTES = 50 * 1024 * 1024
/** The time after its last use for which a text is kept, in milliseconds: after an hour, nothing of a deleted file is left. */
const KEEP_TEXT_MS = 45 * 60_000
/** The most bytes of all texts that are kept; the oldest ones go first. */
const MAX_TEXT_BYTES = 2 * 1024 ** 3
/** The time for which a document counts as unreadable before it is tried again, in milliseconds. */
const RETRY_MS = 3600_000
/** The documents that are copied and read, or wait for the reader: of one account, and in all. */
const AT_ONCE = { perKey: 2, total: 8 }
/** Kinds whose text is the file itself, decoded, so that an agent can edit what it has read. */
const SOURCES = new Set(['md', 'txt', 'json', 'code'])
/** Kinds whose source people read and write as well. */
const WRITTEN = new Set([...SOURCES, 'csv', 'html'])
/** Files that nobody expects to be read. */
const MEDIA = /^(image|audio|video|font)\//

/** A document of a workspace, and the account for which it is read. */
export interface DocumentRequest {
  agent_id: string
  user_id: string
  path: string
}

/** The documents in workspaces: what is known of them, and their texts. */
export type WorkspaceDocuments = ReturnType<typeof createWorkspaceDocuments>

/** Creates the service. */
export function createWorkspaceDocuments({
  agents,
  collections: { document_facts: storedFacts },
  describeError,
  documentReader,
  log,
  server,
}: Pick<Cradle, 'agents' | 'collections' | 'describeError' | 'documentReader' | 'log' | 'server'>) {
  const folder = join(server.home, 'documents')
  const ending = new AbortController()
  const readings = new Map<string, Promise<DocumentFactsDocument>>()
  const turns = createKeyedSemaphore()

  const textOf = (id: string) => join(folder, `${createHash('sha256').update(id).digest('hex')}.text`)
  const idOf = (agent_id: string, etag: string) => `${agent_id}/${etag}`

  const toFacts = (
    { kind, state, pages, characters, reason }: DocumentFactsDocument,
    locale: Locale,
  ): DocumentFacts => ({
    kind,
    state,
    characters,
    ...(pages !== null && { pages }),
    ...(reason && {
      reason: {
        code: reason.code,
        message: describeError(reason.code, reason.details, locale) ?? reason.code,
      },
    }),
  })

  const findReader = (file: FileHandle, path: string) => {
    const name = basename(path)
    return documentReader.findReader(file, { name, media_type: lookupMediaType(name) })
  }

  /** Reads a copy of an open file, which nobody can replace meanwhile, and stores its text and what is known of it. */
  const readFile = async (
    file: FileHandle,
    { agent_id, user_id, path }: DocumentRequest,
    _id: string,
  ): Promise<DocumentFactsDocument> => {
    const name = basename(path)
    const media_type = lookupMediaType(name)
    const { size } = await file.stat()
    const reader = await findReader(file, path)
    const kind = reader && reader.kind !== 'code' ? reader.kind : extensionOf(name)
    const facts = { _id, agent_id, kind, pages: null, characters: 0, read_at: new Date() }
    const source = join(folder, `${randomUUID()}.source`)
    try {
      if (!reader)
        throw new AppError(
          'DOCUMENT_KIND_UNSUPPORTED',
          await documentReader.suggestFormats(file, { name, media_type }),
        )
      if (size > MAX_BYTES) throw new AppError('DOCUMENT_TOO_LARGE')
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const content = file.createReadStream({ start: 0, end: MAX_BYTES, autoClose: false })
      await pipeline(content, createWriteStream(source, { mode: 0o600 }), { signal: ending.signal })
      const asSource = SOURCES.has(reader.kind) && !reader.module ? { kind: 'code' } : reader
      const summary = await documentReader.read(
        { path: source, name, size, media_type, ...asSource },
        { user_id, output: textOf(_id) },
        ending.signal,
      )
      return { ...facts, state: 'ready', ...summary }
    } catch (error) {
      if (!(error instanceof AppError) || !error.code.startsWith('DOCUMENT_')) throw error
      if (error.code === 'DOCUMENT_EMPTY') return { ...facts, state: 'no_text' }
      return { ...facts, state: 'failed', reason: { code: error.code, details: error.details } }
    } finally {
      await rm(source, { force: true })
    }
  }

  const open = <Result>(
    { agent_id, path }: DocumentRequest,
    work: (file: FileHandle, id: string) => Promise<Result>,
  ) =>
    withFile(agents.workspaceOf(agent_id), path, async (file) =>
      work(file, idOf(agent_id, createEtag(await file.stat({ bigint: true })))),
    )

  /** Reads a document when it is its turn, so that few files are open and copied at a time. */
  const readInTurn = async (request: DocumentRequest): Promise<DocumentFactsDocument> => {
    const release = await turns.acquire(request.user_id, AT_ONCE, ending.signal)
    try {
      // The file may have been replaced meanwhile.
      const facts = await open(request, (file, id) => readFile(file, request, id))
      await storedFacts.replaceOne({ _id: facts._id }, facts, { upsert: true })
      await removeTexts(KEEP_TEXT_MS)
      return facts
    } finally {
      release()
    }
  }

  /** Returns the facts about a document, whose text is at hand if it has one; one reading serves all who ask. */
  const ensureRead = async (request: DocumentRequest): Promise<DocumentFactsDocument> => {
    const id = await open(request, async (_, id) => id)
    const read = async () => {
      const stored = await storedFacts.findOne({ _id: id })
      if (stored?.state === 'ready' ? await touch(textOf(id)) : stored && isRecent(stored)) return stored!
      return readInTurn(request)
    }
    const reading = readings.get(id) ?? read().finally(() => readings.delete(id))
    readings.set(id, reading)
    return reading
  }

  const describe = async (request: DocumentRequest, locale: Locale) =>
    toFacts(await ensureRead(request), locale)

  /** Removes the texts that were not used for so long, and the oldest ones if all are too much. */
  const removeTexts = async (age_ms: number) => {
    const files: { path: string; bytes: number; used_at: number }[] = []
    for (const name of (await ignoreCodes(['ENOENT'], readdir(folder))) ?? []) {
      const path = join(folder, name)
      const stats = await ignoreCodes(['ENOENT'], stat(path))
      if (stats) files.push({ path, bytes: stats.size, used_at: stats.mtimeMs })
    }
    let total = 0
    for (const { path, bytes, used_at } of files.sort((a, b) => b.used_at - a.used_at)) {
      total += bytes
      if (total > MAX_TEXT_BYTES || Date.now() - used_at > age_ms) await rm(path, { force: true })
    }
  }

  return {
    /** True for a file that agents read and write as it is, if it is text. */
    async isSource(file: FileHandle, path: string): Promise<boolean> {
      const reader = await findReader(file, path)
      return !reader || (!reader.module && WRITTEN.has(reader.kind))
    },

    /**
     * Reads the document at a path. Its pages are there for some time. Throws a FileFailure, or why reading is impossible at
     * the moment.
     */
    async read(request: DocumentRequest, locale: Locale, signal: AbortSignal): Promise<ReadDocument> {
      const facts = await untilAborted(signal, ensureRead(request))
      const { _id: id, state, pages, reason } = facts
      return {
        facts: toFacts(facts, locale),
        ...(reason && { failure: new AppError(reason.code as ErrorCode, reason.details) }),
        pages: () => (state === 'ready' ? documentReader.readPages(textOf(id), pages) : none()),
      }
    },

    /**
     * Begins to read a new file; returns what is known of it after at most `wait_ms`, and undefined for what nobody reads,
     * such as pictures.
     */
    async begin(
      request: DocumentRequest,
      { locale, wait_ms }: { locale: Locale; wait_ms: number },
    ): Promise<DocumentFacts | undefined> {
      const name = basename(request.path)
      if (MEDIA.test(lookupMediaType(name))) return undefined
      const reading = describe(request, locale).catch((error) => {
        if (!ending.signal.aborted)
          log.error({ error, agent: request.agent_id }, 'a document could not be read')
        return undefined
      })
      const pending: DocumentFacts = { kind: extensionOf(name), state: 'reading', characters: 0 }
      return Promise.race([reading, pause(wait_ms, pending, { ref: false })])
    },

    /** Returns what is known of files by their entity tags. */
    async listFacts(agent_id: string, etags: readonly string[], locale: Locale) {
      const ids = etags.map((etag) => idOf(agent_id, etag))
      const stored = await storedFacts.find({ _id: { $in: ids } }).toArray()
      const byId = new Map(stored.map((facts) => [facts._id, toFacts(facts, locale)]))
      return new Map(etags.map((etag) => [etag, byId.get(idOf(agent_id, etag))]))
    },

    /** Removes the texts that were not used for some time, and the remains of crashes. */
    removeOldTexts: () => removeTexts(KEEP_TEXT_MS),

    removeAllOf: (agent_id: string) => storedFacts.deleteMany({ agent_id }),

    /** Ends the readings. */
    async end(): Promise<void> {
      ending.abort()
      await Promise.allSettled(readings.values())
    },
  }
}

/** True for a document that was not readable a short while ago. */
const isRecent = ({ read_at }: DocumentFactsDocument) => Date.now() - read_at.getTime() < RETRY_MS

const extensionOf = (name: string) => extname(name).slice(1).toLowerCase() || 'bin'

/** Notes that a file is used; false if it is not there. */
const touch = async (path: string): Promise<boolean> => {
  const now = new Date()
  return (
    (await ignoreCodes(
      ['ENOENT'],
      utimes(path, now, now).then(() => true),
    )) ?? false
  )
}

async function* none(): AsyncGenerator<never> {}
