import { AppError, createSemaphore, isUnavailable } from '#plugin-api'
import { hashFile } from '../document-files.ts'
import type { Cradle } from '../manifest.ts'
import type { KnowledgeDocument, RefetchPlan } from '../types.ts'
import { toStored } from './indexing.ts'

const DAY_MS = 86_400_000
/** The pause after a first failure in milliseconds; it doubles with each one, up to the usual interval. */
const RETRY_MS = 3_600_000
/** The time in which no other process fetches a document again, in milliseconds; longer than fetching may take. */
const CLAIM_MS = 600_000
/** The accounts whose documents are fetched at a time, one by one. */
const ACCOUNTS_AT_ONCE = 4
/** The time after which an account makes room for others, in milliseconds. */
const TURN_MS = 60_000

/** Plans to fetch a document again some days after a moment in Unix milliseconds; null for never. */
export const planRefetch = (days: number | null, since: number): RefetchPlan | null =>
  days === null ? null : { days, due_at: since + days * DAY_MS, failures: 0, error: null }

/** Fetches documents again when they are due. */
export type Refetching = ReturnType<typeof createRefetching>

/** Creates the work. */
export function createRefetching({
  addresses,
  clock,
  documentFiles: files,
  documentReader,
  documents,
  ids,
  limits,
  log,
  queue,
}: Cradle) {
  /** Fetches a document into the file of a new version; returns true if the document has this version now. */
  const fetchInto = async (
    version: string,
    document: KnowledgeDocument,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const { user_id, filename: name, validators } = document
    const file = files.contentOf(version)
    await files.prepare()
    const fetched = await addresses.fetch({ address: document.url!, file, validators }, signal)
    const outcome = {
      fetched_at: clock.seconds(),
      ...(fetched && { validators: fetched.validators }),
      refetch: planRefetch(document.refetch!.days, clock.now()),
    }
    const hash = fetched ? await hashFile(file) : document.hash
    if (!fetched || hash === document.hash) {
      await documents.endRefetch(document, outcome)
      return false
    }
    const { size, media_type } = fetched
    const namedFile = { name, media_type }
    if (!(await documentReader.findReader(file, namedFile)))
      throw new AppError('DOCUMENT_UNSUPPORTED', await documentReader.suggestFormats(file, namedFile))
    const bytes = await documents.sumBytes(user_id)
    limits.assertRoom('knowledge_bytes', bytes - document.size + Math.max(0, size - 1))
    const replacing = await documents.replaceRefetched(document, {
      ...outcome,
      ...{ version, hash, size, media_type: documentReader.chooseMediaType(name, media_type) },
    })
    if (!replacing) return false
    queue.wake()
    // The text that was read last answers until the new one is ready.
    if (document.version !== document.text_version) await files.remove([document.version])
    return true
  }

  /** Keeps a document as it is, with the reason, until the next attempt. */
  const postpone = async (document: KnowledgeDocument, error: unknown) => {
    const { days, ...plan } = document.refetch!
    const failures = plan.failures + 1
    const { code, details } =
      error instanceof AppError ? error : { code: 'DOCUMENT_NOT_INDEXED', details: {} }
    if (!(error instanceof AppError))
      log.error({ error, document: document._id }, 'a document could not be fetched again')
    const pause = Math.min(RETRY_MS * 2 ** (failures - 1), days * DAY_MS)
    const refetch = {
      days,
      due_at: clock.now() + pause,
      failures,
      error: { code, details: toStored(details) },
    }
    await documents.endRefetch(document, { refetch })
  }

  const refetch = async (document: KnowledgeDocument, signal: AbortSignal) => {
    const version = ids.make()
    let isUsed = false
    try {
      isUsed = await fetchInto(version, document, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (isUnavailable(error)) throw error
      await postpone(document, error)
    } finally {
      if (!isUsed) await files.remove([version])
    }
  }

  const serve = async (user_id: string, signal: AbortSignal) => {
    const ends_at = performance.now() + TURN_MS
    while (performance.now() < ends_at && !signal.aborted) {
      const document = await documents.claimRefetch(user_id, clock.now() + CLAIM_MS)
      if (!document) return
      await refetch(document, signal)
    }
  }

  return {
    /** Fetches the documents that are due; those for which the turn of their account is too short stay due. */
    async fetchDue(signal: AbortSignal): Promise<void> {
      const accounts = createSemaphore()
      const turns = (await documents.listRefetchAccounts()).map((user_id) =>
        accounts.run(ACCOUNTS_AT_ONCE, signal, () => serve(user_id, signal)),
      )
      for (const turn of await Promise.allSettled(turns)) if (turn.status === 'rejected') throw turn.reason
    },
  }
}
