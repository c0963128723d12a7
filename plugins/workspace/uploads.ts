import { link } from 'node:fs/promises'
import { extname } from 'node:path'
import { AppError, type UploadedFile } from '#kernel'
import type { StoredFile } from '../agents/types.ts'
import { explaining, FileFailure, ignoring } from './files/file-failure.ts'
import type { Growth } from './files/file-replacement.ts'
import { mediaTypeOf } from './files/media-type.ts'
import { openFolder } from './files/workspace-path.ts'

/** The folder of a workspace that holds what its users send. */
const INBOUND = 'inbound'
const MAX_NAME_BYTES = 200
const MEDIA_TYPE = /^[\w.+-]{1,127}\/[\w.+-]{1,127}$/
const UNKNOWN = 'application/octet-stream'

/**
 * Keeps an uploaded file in a workspace, under its own name, with a number where that is taken. Throws
 * WORKSPACE_UNUSABLE where the folder for it is something else or cannot be written, and what `grow` throws.
 */
export async function storeUpload(root: string, file: UploadedFile, grow: Growth): Promise<StoredFile> {
  try {
    return await explaining(INBOUND, () => grow(file.size, () => store(root, file)))
  } catch (error) {
    if (error instanceof FileFailure)
      throw new AppError('WORKSPACE_UNUSABLE', { reason: error.message }, { cause: error })
    throw error
  }
}

async function store(
  root: string,
  { path, filename: given, media_type, size }: UploadedFile,
): Promise<StoredFile> {
  const folder = await openFolder({ root, parts: [INBOUND] }, { create: true })
  try {
    for (let number = 1; ; number += 1) {
      const filename = nameOf(given, number)
      // A link is made only where there is nothing, and shows the file as a whole.
      const isTaken = await ignoring(
        ['EEXIST'],
        link(path, folder.entry(filename)).then(() => false),
      )
      if (isTaken === undefined) continue
      return { path: `${INBOUND}/${filename}`, filename, media_type: typeOf(filename, media_type), size }
    }
  } finally {
    await folder.close()
  }
}

/** A name that every file system and every reader takes, the number before its extension. */
function nameOf(given: string, number: number): string {
  const plain = given
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '')
  const extension = clip(extname(plain), 20)
  const stem = clip(plain.slice(0, plain.length - extname(plain).length), MAX_NAME_BYTES) || 'file'
  return `${stem}${number > 1 ? `-${number}` : ''}${extension}`
}

/** As much of a text as fits, between characters. */
function clip(text: string, bytes: number): string {
  let length = 0
  let kept = ''
  for (const character of text) {
    length += Buffer.byteLength(character)
    if (length > bytes) break
    kept += character
  }
  return kept
}

function typeOf(filename: string, media_type: string): string {
  const isSaid = MEDIA_TYPE.test(media_type) && media_type !== UNKNOWN
  return isSaid ? media_type.toLowerCase() : mediaTypeOf(filename)
}
