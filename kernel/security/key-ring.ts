import { randomBytes, randomUUID } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../errors.ts'

const KEY_BYTES = 32

/** The keys in the file `secret.key` of a home, one a line, base64url; all processes of the home share it. */
export type KeyRing = ReturnType<typeof openKeyRing>

/** Returns the path of the key file of a home. */
export const keyPathIn = (home: string): string => join(home, 'secret.key')

/** Opens the key file of this home; if it does not exist, it is made on first use. */
export function deferKeyRing(home: string): KeyRing {
  let opened: KeyRing | undefined = existsSync(keyPathIn(home)) ? openKeyRing(home) : undefined
  const open = () => (opened ??= openKeyRing(home))
  return { keys: () => open().keys(), begin: () => open().begin(), end: () => open().end() }
}

/** Opens the key file of this home, or makes it (0600, also when several processes start at once). */
export function openKeyRing(home: string) {
  const path = keyPathIn(home)
  // Containers that share a home may have the same process id.
  const candidate = join(home, `.secret.key.${randomUUID()}`)

  /** Writes the keys to the disk, so that they survive a loss of power like the values sealed with them. */
  function write(keys: Buffer[], moveInto: (candidate: string) => void): void {
    const file = openSync(candidate, 'w', 0o600)
    try {
      writeSync(file, keys.map((key) => key.toString('base64url')).join('\n'))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    try {
      moveInto(candidate)
    } finally {
      rmSync(candidate, { force: true })
    }
    const folder = openSync(home, 'r')
    fsyncSync(folder)
    closeSync(folder)
  }

  try {
    if (!existsSync(path)) write([randomBytes(KEY_BYTES)], (candidate) => linkSync(candidate, path))
  } catch (error) {
    // Lost the race: another process created it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  chmodSync(path, 0o600)

  function versionNow(): string {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true })
    return `${ino} ${mtimeNs} ${size}`
  }

  function read(): { version: string; keys: [Buffer, Buffer?] } {
    const version = versionNow()
    const lines = readFileSync(path, 'utf8').trim().split('\n')
    const fileKeys = lines.map((line) => Buffer.from(line, 'base64url'))
    if (fileKeys.some(({ length }) => length !== KEY_BYTES))
      throw new ConfigError(`${path} does not hold a key of ${KEY_BYTES} bytes`)
    return { version, keys: fileKeys as [Buffer, Buffer?] }
  }

  let current = read()
  function keys(): [Buffer, Buffer?] {
    if (current.version !== versionNow()) current = read()
    return current.keys
  }

  const replace = (...newKeys: Buffer[]) => write(newKeys, (candidate) => renameSync(candidate, path))

  return {
    /** Returns the key that seals, and while it is being replaced also the former one; read anew if the file has changed. */
    keys: (): readonly [current: Buffer, former?: Buffer] => keys(),
    /** Puts a new key before the present one; returns false if a replacement is under way already. */
    begin(): boolean {
      const [current, former] = keys()
      if (former) return false
      replace(randomBytes(KEY_BYTES), current)
      return true
    },
    /** Drops the former key. */
    end: (): void => replace(keys()[0]),
  }
}
