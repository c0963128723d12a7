import type { Readable } from 'node:stream'
import { unpackTar } from 'modern-tar'
import { ConfigError } from '#plugin-api'
import { createDigester, isAuthentic } from './authentication.ts'
import { type ArchiveHead, FORMAT } from './format.ts'
import { deriveKey, openFile } from './sealing.ts'

/** The head and the encrypted key of an archive, the first entries, fit in these bytes. */
const BEGINNING_BYTES = 64 * 1024

/** An archive that may be read. */
export interface VerifiedArchive {
  head: ArchiveHead
  /** The key that opens its encrypted files. */
  key: Buffer
  /** The hash of the archive; a later reading with another hash notices that it was replaced. */
  hash: Buffer
}

/**
 * Reads an archive once and verifies that somebody who knew the passphrase wrote every byte of it. Only its
 * beginning is interpreted before. Throws one sentence if it is not authentic.
 */
export async function verifyArchive(input: Readable, passphrase: string): Promise<VerifiedArchive> {
  const digester = createDigester()
  let beginning: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of input) {
      digester.update(chunk)
      if (beginning.length < BEGINNING_BYTES)
        beginning = Buffer.concat([beginning, chunk.subarray(0, BEGINNING_BYTES - beginning.length)])
    }
  } catch (cause) {
    throw new ConfigError(`the archive cannot be read: ${(cause as Error).message}`, { cause })
  }
  const { head, sealedKey } = await readBeginning(beginning)
  if (head.format > FORMAT)
    throw new ConfigError(
      `the archive has format ${head.format}, written by version ${head.version}; this server reads up to ${FORMAT}`,
    )
  const key = await deriveKey(passphrase, head.encryption)
  openFile(key, 'secret.key', sealedKey)
  const digest = digester.end()
  if (!(await isAuthentic(digest, key)))
    throw new ConfigError(
      'the archive is damaged, incomplete, or was changed after it was written: its authentication does not match',
    )
  return { head, key, hash: digest.hash }
}

/** Reads the head of an archive and the encrypted key, which shows if the passphrase is wrong or the archive changed. */
async function readBeginning(beginning: Buffer): Promise<{ head: ArchiveHead; sealedKey: Buffer }> {
  try {
    const [first, second] = await unpackTar(beginning)
    const head = JSON.parse(Buffer.from(first!.data!).toString()) as ArchiveHead
    if (first!.header.name !== 'backup.json' || !Number.isInteger(head.format)) throw new Error('no head')
    if (second!.header.name !== 'sealed/secret.key') throw new Error('no key')
    return { head, sealedKey: Buffer.from(second!.data!) }
  } catch (cause) {
    throw new ConfigError('this is not an archive of svc backup, or its beginning is damaged', { cause })
  }
}

/** Throws if an archive was replaced between two readings. */
export function assertSame(readHash: Buffer, hash: Buffer): void {
  if (!readHash.equals(hash)) throw new ConfigError('the archive was replaced while it was read')
}
