import { type FileHandle, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join, parse, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import type { Client } from '#client'
import { UnreachableError } from './api.ts'
import type { FileRow } from './frames.ts'
import { readAnswer } from './service.ts'
import { createUpload, type UploadedFile } from './upload.ts'

/** The most entries of a folder that are listed. */
export const MAX_LISTED = 200
const MAX_LARGEST = 20
const MAX_SENT_BYTES = 20 * 1024 * 1024
/** The most names that are tried for a file to save. */
const MAX_NAMES = 1000

/** Thrown if a local file cannot be used, for a reason that the person can change. */
export class LocalFileError extends Error {}

/** Creates the functions that list, save and send files of the agent's workspace. */
export const createWorkspaceFiles = (parts: {
  service: Client
  url: string
  agent_id: string
  signal: AbortSignal
}) => {
  const { service, url, agent_id, signal } = parts
  const paramsOf = <Query extends { path: string }>(query: Query) => ({ path: { id: agent_id }, query })
  const send = createUpload(parts)

  const download = (path: string) =>
    readAnswer(
      service.GET('/agents/{id}/files/content', { params: paramsOf({ path }), parseAs: 'stream', signal }),
      url,
    )

  const receive = async (body: unknown, { path, file }: NewFile) => {
    try {
      if (body) await writeFile(file, Readable.fromWeb(body as never), { signal })
      return { path, size: (await file.stat()).size }
    } catch (error) {
      await rm(path, { force: true })
      signal.throwIfAborted()
      throw isSystemError(error) ? error : new UnreachableError(url, error)
    } finally {
      await file.close()
    }
  }

  return {
    /** Returns the first entries of a folder, or of the workspace if the path is empty. */
    list: (folder: string): Promise<FileRow[]> =>
      readAnswer(
        service.GET('/agents/{id}/files', { params: paramsOf({ path: folder, limit: MAX_LISTED }), signal }),
        url,
      ),

    /** Returns the largest files of a folder and of all folders in it, the largest first. */
    listLargest: (folder: string): Promise<FileRow[]> => {
      const query = { path: folder, limit: MAX_LARGEST, recursive: true, sort: 'size' as const }
      return readAnswer(service.GET('/agents/{id}/files', { params: paramsOf(query), signal }), url)
    },

    /**
     * Saves a file of the workspace as `to`, in `to` if that is a folder, or in the current folder under its own name.
     * An existing file is not overwritten: a number is added to the name. Returns the path and the size in bytes.
     */
    async save(path: string, to: string | undefined): Promise<{ path: string; size: number }> {
      const response = await download(path)
      const isFolder = to === undefined || to.endsWith('/') || to.endsWith(sep) || (await isDirectory(to))
      const target = isFolder ? join(to ?? '.', sanitizeName(path)) : to
      return explainFailure(target, async () => receive(response, await createNew(target)))
    },

    /** Sends a local file to the workspace. */
    attach: (path: string): Promise<UploadedFile> =>
      explainFailure(path, async () => {
        const stats = await stat(path)
        if (!stats.isFile()) throw new LocalFileError(`${path} is not a file.`)
        if (stats.size > MAX_SENT_BYTES) throw new LocalFileError(`${path} is larger than 20 MiB.`)
        return send({ name: basename(resolve(path)), media_type: '', data: await readFile(path) }, signal)
      }),
  }
}

/** Returns a file name that is not hidden and has no special meaning to the file system or the terminal. */
const sanitizeName = (path: string): string =>
  basename(path)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\:*?"<>|]+/gu, '_')
    .replace(/^[.\s]+/, '') || 'file'

const isDirectory = async (path: string) => (await stat(path).catch(() => undefined))?.isDirectory() ?? false

interface NewFile {
  path: string
  file: FileHandle
}

/** Creates a file with this name, or with a number after the name if it is taken. */
async function createNew(target: string): Promise<NewFile> {
  const { dir, name, ext } = parse(target)
  for (let number = 1; ; number += 1) {
    const path = number === 1 ? target : join(dir, `${name}-${number}${ext}`)
    try {
      return { path, file: await open(path, 'wx') }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number >= MAX_NAMES) throw error
    }
  }
}

const REASONS: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'is not in a folder',
  EISDIR: 'is a folder',
  EACCES: 'cannot be accessed: permission denied',
  EPERM: 'cannot be accessed: permission denied',
  EROFS: 'cannot be written: the disk is read-only',
  ENAMETOOLONG: 'has a name that is too long',
}

/** Runs work on a local file; explains an error of the system as a LocalFileError. */
async function explainFailure<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isSystemError(error)) throw error
    const { code = '' } = error
    throw new LocalFileError(`${path} ${REASONS[code] ?? `cannot be used (${code})`}.`, { cause: error })
  }
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error

/** The files of the agent's workspace. */
export type WorkspaceFiles = ReturnType<typeof createWorkspaceFiles>
