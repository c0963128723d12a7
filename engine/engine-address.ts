import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The record that a running engine keeps in its data directory. */
interface EngineRecord {
  uri: string
  pid: number
}

/** The exit code of an engine process that finds the directory locked by another one. */
export const LOCKED_EXIT_CODE = 75

/** The most bytes of a socket's path; macOS has the smallest limit. */
const MAX_SOCKET_PATH = 103
const PRIVATE = 0o700

/** The file that names the engine of a data directory; it exists while the engine can be joined. */
export const recordPath = (directory: string): string => join(directory, 'engine.json')

/** The socket of the engine that was given `socketDirectory`. */
export const socketPathIn = (socketDirectory: string): string => join(socketDirectory, 'mongodb.sock')

/** The address of the engine that listens on `socketPath`. */
export const engineUri = (socketPath: string): string =>
  `mongodb://${encodeURIComponent(socketPath)}/?directConnection=true`

/** Reads the record of a data directory; throws if it is missing or not valid. */
export function readRecord(directory: string): EngineRecord {
  const path = recordPath(directory)
  const record = JSON.parse(readFileSync(path, 'utf8')) as EngineRecord
  if (!Number.isInteger(record.pid)) throw new Error(`${path} names no process`)
  return record
}

/**
 * Makes the folder for the engine's socket, open to this user alone: inside the data directory, or in the
 * folder for temporary files if that path is too long for a socket.
 */
export function prepareSocketDirectory(directory: string): string {
  const inside = join(directory, 'socket')
  if (fits(inside)) {
    mkdirSync(inside, { recursive: true })
    chmodSync(inside, PRIVATE)
    return inside
  }
  const uid = process.getuid!()
  const name = createHash('sha256').update(directory).digest('hex').slice(0, 12)
  const outside = join(tmpdir(), `svc-${uid}-${name}`)
  if (!fits(outside)) throw new Error(`Neither ${inside} nor ${outside} is fit for the path of a socket`)
  mkdirSync(outside, { recursive: true, mode: PRIVATE })
  const folder = lstatSync(outside)
  if (!folder.isDirectory() || folder.uid !== uid || (folder.mode & 0o777) !== PRIVATE) {
    throw new Error(`${outside} is not a folder of this user alone; remove it`)
  }
  return outside
}

/** The driver decodes the address twice, so it must not contain a percent sign. */
const fits = (socketDirectory: string): boolean =>
  Buffer.byteLength(socketPathIn(socketDirectory)) <= MAX_SOCKET_PATH && !socketDirectory.includes('%')
