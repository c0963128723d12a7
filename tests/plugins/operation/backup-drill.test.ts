import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { toDrillUrl } from '../../../plugins/operation/backup/drill.ts'
import t from '../../run/file-test.ts'
import { createEmptyHome } from '../../support/backups.ts'
import { runCommand, spawnCommand } from '../../support/kernel.ts'
import { startServer } from '../../support/server.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'

const PASSPHRASE = { SVC_BACKUP_PASSPHRASE: 'correct horse battery' }

const server = await startServer(t)
await server.createUser({ username: 'ann' })
await server.call('POST', '/providers', {
  name: 'vendor',
  kind: 'openai-compatible',
  base_url: 'https://models.example.com/v1',
  api_key: 'a-key-of-the-vendor',
})
const folder = createEmptyHome(t)
const file = join(folder, 'archive.tar')
const written = await runCommand(server.home, ['backup', file], { env: PASSPHRASE })
t.equal(written.code, 0, written.stderr)

/** Runs `svc` with a folder of its own for temporary files, and tells what was left in it. */
async function svc(home: string, args: string[], env: Record<string, string> = {}) {
  const TMPDIR = join(createEmptyHome(t), 'temporary')
  mkdirSync(TMPDIR)
  const result = await runCommand(home, args, { env: { ...PASSPHRASE, TMPDIR, ...env } })
  return { ...result, left: readdirSync(TMPDIR).filter((name) => name.startsWith('svc-drill-')) }
}

async function listCollections(url: string): Promise<string[]> {
  const client = new MongoClient(url)
  const collections = await client.db().listCollections({}, { nameOnly: true }).toArray()
  await client.close()
  return collections.map(({ name }) => name)
}

t.test('a drill restores an archive into a throwaway copy in the embedded engine', async (t) => {
  const home = createEmptyHome(t)
  const { code, stdout, stderr, left } = await svc(home, ['backup', '--verify', file])
  t.equal(code, 0, stderr)
  t.match(
    stdout,
    /^The backup of .* is authentic and complete: documents \d+, files \d+\.\nIt was restored into a throwaway copy, where every count matches: secrets [1-9]\d*, and documents:\n/,
  )
  t.match(stdout, /^ +users +2$/m)
  t.match(stdout, /^ +providers +2$/m)
  t.strictSame(readdirSync(home), ['runtime'])
  t.strictSame(left, [])
  const wrong = await svc(home, ['backup', '--verify', file], { SVC_BACKUP_PASSPHRASE: 'another horse' })
  t.match(wrong, { code: 1, stderr: /^svc: the passphrase is wrong/, left: [] })
})

t.test('a drill uses another database of the same MongoDB server, and empties it', async (t) => {
  const url = await createDatabaseUrl(t)
  const address = join(createEmptyHome(t), 'address')
  writeFileSync(address, url)
  const client = new MongoClient(url)
  await client.db().collection('users').insertOne({ username: 'of the live server' })
  const left = new MongoClient(toDrillUrl(url))
  await left.db().collection('users').insertOne({ username: 'of a drill that was killed' })
  await left.close()
  const verified = await svc(server.home, ['backup', '--verify', file, '--json'], {
    SVC_DATABASE_URL: '',
    SVC_DATABASE_URL_FILE: address,
  })
  t.equal(verified.code, 0, verified.stderr)
  t.match(JSON.parse(verified.stdout), {
    file,
    format: 1,
    collections: { users: 2, providers: 2 },
    secrets: { unreadable: 0 },
    unreadable_count: 0,
  })
  t.strictSame(verified.left, [])
  t.strictSame(await listCollections(toDrillUrl(url)), [])
  t.equal(await client.db().collection('users').countDocuments(), 1, 'the live database is as it was')
  await client.close()
})

t.test('the address of the database for drills keeps the accounts and options', async (t) => {
  const cases = [
    ['mongodb://db.example', 'mongodb://db.example/svc_drill'],
    [
      'mongodb://a.example:1,b.example:2/main?replicaSet=rs',
      'mongodb://a.example:1,b.example:2/main_drill?replicaSet=rs',
    ],
    ['mongodb://u:p@db.example/main', 'mongodb://u:p@db.example/main_drill?authSource=main'],
    [
      'mongodb+srv://u:p@db.example/?tls=true',
      'mongodb+srv://u:p@db.example/svc_drill?tls=true&authSource=admin',
    ],
    [
      'mongodb://u:p@db.example/main?authSource=admin',
      'mongodb://u:p@db.example/main_drill?authSource=admin',
    ],
    [
      'mongodb://u@db.example/main?authMechanism=MONGODB-X509',
      'mongodb://u@db.example/main_drill?authMechanism=MONGODB-X509',
    ],
  ]
  for (const [url, expected] of cases) t.equal(toDrillUrl(url!), expected)
})

t.test('a drill that is interrupted leaves no copy behind', async (t) => {
  const temporary = join(createEmptyHome(t), 'temporary')
  mkdirSync(temporary)
  const interrupt = `import { watch } from 'node:fs'
    const watcher = watch('${temporary}', (_, name) => {
      if (!name.startsWith('svc-drill-')) return
      watcher.close()
      process.kill(process.pid, 'SIGTERM')
    })`
  const { code, stdout } = await spawnCommand(createEmptyHome(t), ['backup', '--verify', file], {
    env: { ...PASSPHRASE, TMPDIR: temporary },
    nodeArgs: ['--import', `data:text/javascript,${encodeURIComponent(interrupt)}`],
  })
  t.strictSame({ code, stdout }, { code: 1, stdout: '' })
  t.strictSame(readdirSync(temporary), [])
})

t.test('a secret that the key cannot decrypt fails a drill in words', async (t) => {
  const { db } = server
  const providers = db.collection<{ _id: string; name: string; api_key: string }>('providers')
  const { _id, ...provider } = (await providers.findOne({ name: 'vendor' }))!
  await providers.insertOne({ ...provider, _id: 'prv_copied', name: 'copied' })
  const damaged = join(folder, 'damaged.tar')
  t.match(await svc(server.home, ['backup', damaged]), { code: 0 })
  await providers.deleteOne({ _id: 'prv_copied' })
  const { code, stdout } = await svc(createEmptyHome(t), ['backup', '--verify', damaged])
  t.equal(code, 1, stdout)
  t.match(stdout, /^Secrets that its key cannot decrypt: 1\.$/m)
})

t.test('archives of a folder have their times as names, and the newest ones are kept', async (t) => {
  const archives = join(createEmptyHome(t), 'archives')
  mkdirSync(archives)
  const older = ['svc-2026-01-01T030000Z.tar', 'svc-2026-01-02T030000Z.tar', 'svc-2026-01-03T030000Z.tar']
  const others = ['notes.txt', 'svc-2025.tar']
  const killed = 'svc-2026-01-02T040000Z.tar.partial'
  for (const name of [...older, ...others, killed]) writeFileSync(join(archives, name), 'old')
  const kept = await svc(server.home, ['backup', archives, '--keep', '2'])
  t.equal(kept.code, 0, kept.stderr)
  t.match(kept.stdout, /^Wrote .*svc-\d{4}-\d\d-\d\dT\d{6}Z\.tar in .*\nRemoved older archives: 3\.\n/)
  const names = readdirSync(archives).filter((name) => !others.includes(name))
  t.match(names, [older[2], /^svc-.*Z\.tar$/])
  t.equal(names.length, 2)
  t.strictSame(
    readdirSync(archives).filter((name) => others.includes(name)),
    others,
  )

  const verified = await svc(server.home, ['backup', '--verify', archives, '--json'])
  t.equal(JSON.parse(verified.stdout).file, join(archives, names[1]!))

  const content = readFileSync(join(archives, older[2]!))
  const failed = await svc(server.home, ['backup', archives, '--keep', '1'], {
    SVC_BACKUP_PASSPHRASE: 'short',
  })
  t.equal(failed.code, 1)
  t.strictSame(readFileSync(join(archives, older[2]!)), content, 'a backup that fails removes no archive')
  const refusals: [args: string[], message: RegExp][] = [
    [['backup', archives, '--keep', '0'], /^svc: --keep must be a number from 1\n$/],
    [['backup', join(folder, 'x.tar'), '--keep', '2'], /^svc: --keep needs a folder that exists/],
    [['backup', '--verify', folder], /^svc: the folder .* has no archive named svc-<time>\.tar\n$/],
  ]
  for (const [args, message] of refusals) t.match(await svc(server.home, args), { code: 1, stderr: message })
})

t.test('health is degraded without a backup of the age that the operator expects', async (t) => {
  const watched = await startServer(t, { env: { SVC_BACKUP_MAX_AGE_HOURS: '36' } })
  const health = async () => (await watched.request('GET', '/health', { token: null })).body
  t.match(await health(), { status: 'degraded', plugins: { backup: 'failed' } })
  t.match(await svc(watched.home, ['backup', join(folder, 'watched.tar')]), { code: 0 })
  t.match(await health(), { status: 'ok', plugins: { backup: 'ok' } })
  const old = Math.floor(Date.now() / 1000) - 37 * 3600
  await watched.db.collection('last_backup').updateOne({}, { $set: { ended_at: old } })
  t.match(await health(), { status: 'degraded', plugins: { backup: 'failed' } })
})
