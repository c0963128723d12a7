import { posix } from 'node:path'
import { AppError, type UploadedFile } from '#plugin-api'
import { hashFile } from './document-files.ts'
import type { Cradle } from './manifest.ts'
import type { BaseDocument, KnowledgeDocument } from './types.ts'
import { planRefetch } from './work/refetching.ts'

/** The most bytes of one document. */
export const MAX_FILE_BYTES = 50 * 1024 * 1024
/** The most documents of one request. */
export const MAX_FILES = 20
const MAX_PATH = 500

type Parts = Pick<Cradle, 'documents' | 'documentReader' | 'documentFiles' | 'ids' | 'limits' | 'queue'>

/**
 * Stores files as documents of a base and queues them. A file with the path of another one replaces it; one whose bytes
 * the base has already is not stored again. Throws DOCUMENT_UNSUPPORTED, VALIDATION_FAILED or LIMIT_REACHED.
 */
export async function takeFiles(
  base: BaseDocument,
  { files, path, payer_id }: { files: readonly UploadedFile[]; path: string | undefined; payer_id: string },
  parts: Parts,
): Promise<KnowledgeDocument[]> {
  const { documents, documentFiles, documentReader, ids, limits, queue } = parts
  const placed = await Promise.all(
    files.map(async (file) => {
      const documentPath = toPath(file.filename, path, files.length)
      const filename = posix.basename(documentPath)
      const namedFile = { name: filename, media_type: file.media_type }
      if (!(await documentReader.findReader(file.path, namedFile)))
        throw new AppError('DOCUMENT_UNSUPPORTED', await documentReader.suggestFormats(file.path, namedFile))
      return { file, place: documentPath, filename, hash: await hashFile(file.path) }
    }),
  )
  const stored: KnowledgeDocument[] = []
  for (const { file, place: documentPath, filename, hash } of placed) {
    const replaced = await documents.findAtPath(base._id, documentPath)
    const same =
      replaced?.hash === hash ? replaced : replaced ? null : await documents.findSame(base._id, hash)
    if (same && same.status !== 'failed') {
      stored.push(same)
      continue
    }
    if (!replaced) limits.assertRoom('knowledge_documents', await documents.countOf(base._id))
    const bytes = await documents.sumBytes(base.user_id)
    // The last byte of the file must fit too.
    limits.assertRoom('knowledge_bytes', bytes - (replaced?.size ?? 0) + Math.max(0, file.size - 1))
    const version = ids.make()
    await documentFiles.adopt(file.path, version)
    const { document, unused } = await documents.put(
      base,
      {
        path: documentPath,
        filename,
        media_type: documentReader.chooseMediaType(filename, file.media_type),
        size: file.size,
        hash,
        url: null,
        fetched_at: null,
        validators: null,
        refetch: null,
        version,
      },
      payer_id,
    )
    if (unused) await documentFiles.remove([unused])
    stored.push(document)
  }
  queue.wake()
  return stored
}

/** Queues a web address as a document of a base. Throws ADDRESS_NOT_ALLOWED or LIMIT_REACHED. */
export async function takeAddress(
  base: BaseDocument,
  address: { url: string; refetch_days?: number | null; payer_id: string },
  {
    addresses,
    clock,
    documents,
    documentFiles,
    ids,
    limits,
    queue,
  }: Parts & Pick<Cradle, 'addresses' | 'clock'>,
): Promise<KnowledgeDocument> {
  const url = new URL(address.url)
  await addresses.assertAllowed(url.href)
  const { host, pathname, search } = url
  const path = cleanPath(`${host}${pathname === '/' ? '' : pathname}${search}`) || host
  const replaced = await documents.findAtPath(base._id, path)
  if (!replaced) limits.assertRoom('knowledge_documents', await documents.countOf(base._id))
  limits.assertRoom('knowledge_bytes', await documents.sumBytes(base.user_id))
  const { document, unused } = await documents.put(
    base,
    {
      path,
      filename: posix.basename(path),
      media_type: 'application/octet-stream',
      size: 0,
      hash: null,
      url: url.href,
      fetched_at: null,
      validators: null,
      refetch: planRefetch(
        address.refetch_days === undefined ? (replaced?.refetch?.days ?? null) : address.refetch_days,
        clock.now(),
      ),
      version: ids.make(),
    },
    address.payer_id,
  )
  if (unused) await documentFiles.remove([unused])
  queue.wake()
  return document
}

/**
 * Returns the path of an uploaded file: `wanted` is the folder of all files if it ends in a slash, else the path of
 * one.
 */
function toPath(filename: string, wantedPath: string | undefined, count: number): string {
  const isFolder = wantedPath === undefined || wantedPath === '' || wantedPath.endsWith('/')
  if (!isFolder && count > 1) throw invalid('/path', 'must end in a slash if there are several files')
  const path = cleanPath(isFolder ? `${wantedPath ?? ''}${filename}` : wantedPath)
  if (!path) throw invalid('/path', 'is not a path')
  if (path.length > MAX_PATH) throw invalid('/path', `must have at most ${MAX_PATH} characters`)
  return path
}

/** Removes what no path needs: empty names, dots, control characters. */
const cleanPath = (path: string): string =>
  path
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cs}]/gu, '')
    .split(/[/\\]/)
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== '.' && name !== '..')
    .join('/')
    .slice(0, MAX_PATH + 1)

/** Creates the error of a field that is not valid. */
export const invalid = (path: string, message: string) =>
  new AppError('VALIDATION_FAILED', { issues: [{ path, rule: 'path', message }] })
