import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { Transform } from 'node:stream'
import { packTar } from 'modern-tar'

/** The last entry of an archive. */
export const AUTHENTICATION = 'authentication'

/** The two empty blocks at the end of a tar. */
const END_BYTES = 1024
/** The entry `authentication`, which fits in one block, with its header and the end of the tar. */
const TRAILER_BYTES = 2048

/** The hash of an archive without its trailer, and the trailer. */
export interface ArchiveDigest {
  hash: Buffer
  trailer: Buffer
}

/** Derives the key that authenticates an archive from the key that encrypts its files. */
const deriveAuthenticationKey = (key: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', 'svc backup: authentication', 32))

/** True if the trailer was made for an archive with this hash, by somebody who knows the passphrase. */
export async function isAuthentic({ hash, trailer }: ArchiveDigest, key: Buffer): Promise<boolean> {
  const expected = await createTrailer(hash, key)
  return trailer.length === expected.length && timingSafeEqual(trailer, expected)
}

/** Creates the stream through which a tar gets its trailer. Every byte before the trailer is authenticated. */
export function createAuthenticationStream(key: Buffer): Transform {
  const hash = createHash('sha256')
  const keeper = createTailKeeper(END_BYTES)
  const emit = (stream: Transform, chunks: Buffer[]) => {
    for (const chunk of chunks) {
      hash.update(chunk)
      stream.push(chunk)
    }
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      emit(this, keeper.add(chunk))
      done()
    },
    flush(done) {
      const end = keeper.tail()
      if (end.length !== END_BYTES || end.some((byte) => byte !== 0)) {
        done(new Error('the tar does not end with two empty blocks'))
        return
      }
      createTrailer(hash.digest(), key).then((trailer) => done(null, trailer), done)
    },
  })
}

/** Creates the digest of an archive that is read in pieces. */
export function createDigester() {
  const hash = createHash('sha256')
  const keeper = createTailKeeper(TRAILER_BYTES)
  return {
    update(chunk: Buffer): void {
      for (const piece of keeper.add(chunk)) hash.update(piece)
    },
    end: (): ArchiveDigest => ({ hash: hash.digest(), trailer: keeper.tail() }),
  }
}

async function createTrailer(hash: Buffer, key: Buffer): Promise<Buffer> {
  const mac = createHmac('sha256', deriveAuthenticationKey(key)).update(hash).digest('hex')
  const body = `hmac-sha256 ${mac}\n`
  const header = { name: AUTHENTICATION, size: body.length, mode: 0o600, mtime: new Date(0) }
  return Buffer.from(await packTar([{ header, body }]))
}

/** Passes pieces on, except for the last bytes, which may turn out to be the end. */
function createTailKeeper(bytes: number) {
  let lastBytes: Buffer = Buffer.alloc(0)
  return {
    add(chunk: Buffer): Buffer[] {
      if (chunk.length >= bytes) {
        const passed = [lastBytes, chunk.subarray(0, chunk.length - bytes)]
        lastBytes = Buffer.from(chunk.subarray(chunk.length - bytes))
        return passed
      }
      const all = Buffer.concat([lastBytes, chunk])
      const split = Math.max(0, all.length - bytes)
      lastBytes = all.subarray(split)
      return [all.subarray(0, split)]
    },
    tail: (): Buffer => lastBytes,
  }
}
