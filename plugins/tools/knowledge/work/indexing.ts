import { AppError, isUnavailable } from '#plugin-api'
import { hashFile } from '../document-files.ts'
import type { Cradle } from '../manifest.ts'
import type { DocumentError, IndexDescription, IndexedRun, KnowledgeDocument } from '../types.ts'

/** The attempts at a document before it counts as failed. */
const MAX_ATTEMPTS = 5
/** The crashes of servers while a document was read, after which it is taken for their cause. */
const MAX_LOST_READINGS = 10
/** The pause before the second attempt in milliseconds; it doubles with each one. */
const RETRY_MS = 5000
/** The pause while the index cannot be used, in milliseconds. */
const UNAVAILABLE_MS = 60_000

/** The failures of an embedding model that another attempt does not mend. */
const LASTING = new Set<unknown>(['auth', 'model_not_found', 'bad_request'])

/** Thrown to end the work on a document that was removed or replaced. */
const OUTDATED = Symbol('outdated')

/** Reads documents, cuts them into passages and adds these to the indexes. */
export type Indexing = ReturnType<typeof createIndexing>

/** Creates the work on documents. */
export function createIndexing({
  addresses,
  clock,
  cutter,
  documentFiles: files,
  documentReader,
  documents,
  embedder,
  ids,
  log,
  passageIndex,
  runs: startedRuns,
  settings,
  users,
}: Cradle) {
  /** Changes the row of a document; throws OUTDATED if that is not its content any more. */
  const change = async (document: KnowledgeDocument, fields: object): Promise<KnowledgeDocument> => {
    const changed = await documents.change(document, fields)
    if (!changed) throw OUTDATED
    return changed
  }

  /** Fetches what has an address, and reads what has no text yet. */
  const prepare = async (document: KnowledgeDocument, signal: AbortSignal): Promise<KnowledgeDocument> => {
    const { user_id, version, url } = document
    if (await files.hasText(version)) return document
    const readings = document.work?.readings ?? 0
    if (readings >= MAX_LOST_READINGS) throw new AppError('DOCUMENT_TOO_LARGE')
    let current = await change(document, { status: 'parsing' })
    const file = files.contentOf(version)
    let stated = current.media_type
    if (url !== null && current.hash === null) {
      await files.prepare()
      // Without validators, there is always a content.
      const { media_type, size, validators } = (await addresses.fetch({ address: url, file }, signal))!
      stated = media_type
      current = await change(current, {
        media_type: documentReader.chooseMediaType(current.filename, stated),
        ...{ size, hash: await hashFile(file), fetched_at: clock.seconds(), validators },
      })
    }
    const { filename: name, size } = current
    // As it was stated, with the charset.
    const namedFile = { name, media_type: stated }
    const kind = await documentReader.findReader(file, namedFile)
    if (!kind)
      throw new AppError('DOCUMENT_UNSUPPORTED', await documentReader.suggestFormats(file, namedFile))
    await change(current, { 'work.readings': readings + 1 })
    try {
      const { pages } = await documentReader.read(
        { path: file, size, ...namedFile, ...kind },
        { user_id, output: files.textOf(version), lane: 'library' },
        signal,
      )
      return await change(current, { pages })
    } finally {
      // A reading that ends, even by a stop of the server, was not a crash.
      await documents.change(current, { 'work.readings': readings })
    }
  }

  /** Adds a document to an index, in a run of its own, which counts once it is complete. */
  const addTo = async (
    index: IndexDescription,
    document: KnowledgeDocument,
    { signal, isUnlimited }: { signal: AbortSignal; isUnlimited: boolean },
  ): Promise<IndexedRun> => {
    const { _id: document_id, base_id, user_id, version, filename, path } = document
    const { chunk_tokens, chunk_overlap } = index
    const run = ids.make()
    const sizes = { chunk_tokens, chunk_overlap }
    const title = path === filename ? filename : `${path} ${filename}`
    const payer = await users.findRecent(document.work?.payer_id ?? user_id)
    const payer_id = payer?._id ?? user_id
    let chunks = 0
    await startedRuns.begin(document_id, index)
    try {
      const batches = cutter.cut(user_id, { path: files.textOf(version), title, sizes }, signal)
      for await (const { passages, progress } of batches) {
        const vectors = await embedder.embed(
          index,
          passages.map(({ heading, text }) => {
            const context = heading ? `${path} › ${heading}` : path
            return `${index.passage_prefix ?? ''}${context}\n\n${text}`
          }),
          { user_id: payer_id, signal, isUnlimited },
        )
        const rows = passages.map(({ start, end, places, text, words }, position) => ({
          ...{ base_id, document_id, run, ordinal: chunks + position, start, end, places, text, words },
          ...(vectors && { vector: vectors[position]! }),
        }))
        if (rows.length > 0) await passageIndex.add(index, rows)
        chunks += rows.length
        if (document.status !== 'ready') await change(document, { status: 'indexing', error: null, progress })
      }
    } catch (error) {
      await passageIndex.removeRun(index, document_id, run).catch(() => undefined)
      throw error
    }
    return { run, chunks, version }
  }

  const proceed = async (document: KnowledgeDocument, signal: AbortSignal): Promise<void> => {
    const { active, next } = await settings.read()
    const prepared = await prepare(document, signal)
    const targets = [active, next].filter(
      (index) =>
        index !== null &&
        (document.status !== 'ready' || document.indexes[index.id]?.version !== document.version),
    ) as IndexDescription[]
    const runs: [IndexDescription, IndexedRun][] = []
    const removeRuns = async () => {
      for (const [index, { run }] of runs) await passageIndex.removeRun(index, document._id, run)
    }
    let waiting: IndexDescription | undefined
    try {
      for (const index of targets)
        runs.push([
          index,
          await addTo(
            index,
            { ...prepared, status: document.status },
            // The administrator has changed the model, not the account.
            { signal, isUnlimited: index.id !== active.id },
          ),
        ])
    } catch (error) {
      const isFound = next !== null && runs.some(([{ id }]) => id === active.id)
      if (!isFound || !isFailureOfModel(error) || (await settings.read()).active.id !== active.id) {
        await removeRuns().catch(() => undefined)
        throw error
      }
      // The document is added to the next index once its model works.
      waiting = next
    }
    const finished = await documents.finish(
      document,
      {
        ...Object.fromEntries(runs.map(([{ id }, run]) => [`indexes.${id}`, run])),
        status: 'ready',
        error: null,
        progress: 1,
        text_version: document.version,
      },
      waiting,
    )
    if (!finished) await removeRuns()
    else {
      for (const [index, { run }] of runs) {
        await passageIndex.removeDocument(index, document._id, run)
        await startedRuns.end(document._id, index)
      }
      if (waiting) await passageIndex.removeDocument(waiting, document._id)
    }
    const { text_version, version } = document
    if (finished && text_version !== null && text_version !== version) await files.remove([text_version])
  }

  const fail = (document: KnowledgeDocument, code: string, details: Record<string, unknown> = {}) =>
    documents.finish(document, {
      status: 'failed',
      error: { code, details: toStored(details) },
    })

  /** Queues a document once more, later; it shows the reason unless it is ready. */
  const postpone = (document: KnowledgeDocument, ms: number, attempts: number, reason?: DocumentError) =>
    documents.change(document, {
      'work.wake_at': clock.now() + ms,
      'work.attempts': attempts,
      ...(document.status !== 'ready' && { status: 'queued', progress: 0, error: reason ?? null }),
    })

  return {
    /** Does what is due for a document. Rejects only if the database is unavailable, or when aborted. */
    async process(document: KnowledgeDocument, signal: AbortSignal): Promise<void> {
      try {
        await proceed(document, signal)
      } catch (error) {
        signal.throwIfAborted()
        if (error === OUTDATED) return
        if (isUnavailable(error)) throw error
        const { code, details } = error instanceof AppError ? error : { code: undefined, details: {} }
        if (code === 'KNOWLEDGE_INDEX_UNAVAILABLE' || code === 'KNOWLEDGE_NOT_INSTALLED') {
          await postpone(document, UNAVAILABLE_MS, 0, { code, details: toStored(details) })
          return
        }
        const attempts = (document.work?.attempts ?? 0) + 1
        if (document.status === 'ready' && isFailureOfModel(error)) {
          // The former index answers until the model works or another one is chosen.
          log.warn({ error, document: document._id }, 'the next index of knowledge bases waits for its model')
          await postpone(document, Math.min(RETRY_MS * 2 ** (attempts - 1), UNAVAILABLE_MS), attempts)
          return
        }
        if (!isFinal(code, details) && attempts < MAX_ATTEMPTS) {
          log.warn({ error, document: document._id }, 'a document could not be indexed; retrying')
          const reason = code === undefined ? undefined : { code, details: toStored(details) }
          await postpone(document, RETRY_MS * 2 ** (attempts - 1), attempts, reason)
          return
        }
        if (!code) log.error({ error, document: document._id }, 'a document could not be indexed')
        await fail(document, code ?? 'DOCUMENT_NOT_INDEXED', details)
      }
    },
  }
}

/** Returns the details of an error without values that cannot be stored. */
export const toStored = (details: Record<string, unknown>): DocumentError['details'] =>
  JSON.parse(JSON.stringify(details))

/** True if another attempt at a document would fail in the same way. */
const isFinal = (code: string | undefined, { reason, temporary }: Record<string, unknown>): boolean =>
  (code?.startsWith('DOCUMENT_') && !temporary) ||
  code === 'ADDRESS_NOT_ALLOWED' ||
  code === 'EMBEDDING_DIMENSIONS_CHANGED' ||
  code === 'TOKEN_QUOTA_EXCEEDED' ||
  code === 'BUDGET_EXCEEDED' ||
  code === 'PRICE_UNKNOWN' ||
  (code === 'EMBEDDING_FAILED' && LASTING.has(reason))

/** True if the embedding model fails for every document, not for one alone. */
const isFailureOfModel = (error: unknown): boolean => {
  if (!(error instanceof AppError)) return false
  const { code, details } = error
  if (code === 'EMBEDDING_FAILED') return details.reason !== 'bad_request'
  return code === 'MODEL_DISABLED' || code === 'EMBEDDING_DIMENSIONS_CHANGED'
}
