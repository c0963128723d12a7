import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { engineUri, LOCKED_EXIT_CODE, recordPath, socketPathIn } from './engine-address.ts'
import { lastClientGone } from './last-client.ts'

// `node mongod-process.js <mongod> <data directory> <socket directory>`: has `mongod` serve the directory, over a socket
// that only this user can open, for as long as it has clients. It looks to them as engine-process.js does.

const READY_MS = 15_000

/** Runs a program, and ends it as soon as this process has ended for any reason. */
const WITH_ITS_PARENT =
  'exec 3<&0; "$@" 3<&- </dev/null & child=$!; { cat <&3 >/dev/null; kill -TERM $child; } & watch=$!; wait $child; code=$?; kill $watch; exit $code'

const [mongod, directory, socketDirectory] = process.argv.slice(2) as [string, string, string]
const record = recordPath(directory)
const socketPath = socketPathIn(socketDirectory)
/** The socket of `mongod` while it is not known whether it has the directory, and afterwards. */
const [ownPath, databasePath] = [`${process.pid}.sock`, 'mongod.sock'].map((name) =>
  join(socketDirectory, name),
) as [string, string]

// Without an address of localhost, it listens on this socket only.
const options = ['--dbpath', directory, '--bind_ip', ownPath, '--filePermissions', '0600', '--quiet']
const child = spawn(
  'sh',
  ['-c', WITH_ITS_PARENT, 'sh', mongod, ...options, '--wiredTigerCacheSizeGB', '0.25'],
  {
    stdio: ['pipe', 'pipe', 'inherit'],
  },
)
let said = ''
child.stdout.on('data', (text) => {
  said = `${said}${text}`.slice(-20_000)
  process.stdout.write(text)
})
child.stdin.on('error', () => undefined)
const ended = once(child, 'close').then(([code]) => {
  process.exit(/DBPathInUse|Unable to lock/.test(said) ? LOCKED_EXIT_CODE : code)
})

const client = new MongoClient(engineUri(ownPath), { serverSelectionTimeoutMS: READY_MS })
await Promise.race([client.db('admin').command({ ping: 1 }), ended])
await client.close()

// `mongod` has the lock of the directory from here on, so files of a killed process can be removed.
for (const path of [record, socketPath, databasePath]) rmSync(path, { force: true })
renameSync(ownPath, databasePath)
const server = createServer((socket) => socket.resume().on('error', () => undefined))
// Comes before the record is written: its readers may stop this engine at once, by a signal.
const left = lastClientGone()
server.listen(socketPath)
await once(server, 'listening')
const draft = `${record}.new`
writeFileSync(draft, JSON.stringify({ uri: engineUri(databasePath), pid: process.pid }), { mode: 0o600 })
renameSync(draft, record)

await left

for (const path of [record, socketPath]) rmSync(path, { force: true })
child.removeAllListeners('close')
const stopped = once(child, 'close')
child.stdin.end()
await stopped
rmSync(databasePath, { force: true })
process.exit(0)
