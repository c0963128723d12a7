import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packTar, unpackTar } from 'modern-tar'
import { createAuthenticationStream } from '../../../plugins/operation/backup/authentication.ts'
import t from '../../run/file-test.ts'
import { createEmptyHome } from '../../support/backups.ts'
import { runCommand } from '../../support/kernel.ts'
import { startServer } from '../../support/server.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'

const PASSPHRASE = { SVC_BACKUP_PASSPHRASE: 'correct horse battery' }
const REFUSAL =
  'svc: the archive is damaged, incomplete, or was changed after it was written: its authentication does not match\n'

const server = await startServer(t)
await server.createUser({ username: 'ann' })
const folder = createEmptyHome(t)
const file = join(folder, 'archive.tar')
const written = await runCommand(server.home, ['backup', file], { env: PASSPHRASE })
t.equal(written.code, 0, written.stderr)
const original = readFileSync(file)

/** An entry with its content. */
type Entry = { header: { name: string; size: number; type: string }; data: Buffer }

const readEntries = async (): Promise<Entry[]> =>
  (await unpackTar(original)).map(({ header, data }) => ({
    header: header as Entry['header'],
    data: Buffer.from(data ?? []),
  }))

/** Packs entries with right sizes and checksums, as somebody without the passphrase can. */
async function pack(entries: Entry[]): Promise<Buffer> {
  let lines: string[] = []
  const packed = entries.map(({ header, data }) => {
    let body = data
    if (header.name.startsWith('checksums/')) {
      body = Buffer.from(lines.join(''))
      lines = []
    } else if (header.type === 'file' && header.name !== 'authentication')
      lines.push(`${createHash('sha256').update(body).digest('hex')}  ${header.name}\n`)
    return { header: { ...header, size: body.length, type: header.type as 'file' }, body }
  })
  return Buffer.from(await packTar(packed))
}

/** Packs entries and authenticates them with another key. */
async function packWithKey(entries: Entry[], key: Buffer): Promise<Buffer> {
  const stream = createAuthenticationStream(key)
  stream.end(await pack(entries))
  return Buffer.concat(await stream.toArray())
}

const isAuthentication = ({ header }: Entry) => header.name === 'authentication'
const toFile = (name: string, text: string): Entry => {
  const data = Buffer.from(text)
  return { header: { name, size: data.length, type: 'file' }, data }
}

/** Changes the role of a user, and adds a plugin. */
const forge = (entries: Entry[]): Entry[] => {
  const users = entries.find(({ header }) => header.name === 'database/users/000001.bson')!
  const role = Buffer.from('role\0\x05\0\0\0user\0', 'latin1')
  t.ok(users.data.includes(role))
  const at = users.data.indexOf(role)
  const data = Buffer.concat([
    users.data.subarray(0, at),
    Buffer.from('role\0\x05\0\0\0root\0', 'latin1'),
    users.data.subarray(at + role.length),
  ])
  const plugin = toFile('home/plugins/evil/index.js', 'export default {}')
  return entries.flatMap((entry) => (entry === users ? [{ ...entry, data }, plugin] : [entry]))
}

t.test('a forged archive is refused before anything is changed', async (t) => {
  const entries = await readEntries()
  t.equal(entries.at(-1)!.header.name, 'authentication')
  const bare = entries.filter((entry) => !isAuthentication(entry))
  const [last, ...others] = bare.toReversed()
  const second = entries.findIndex(({ header }) => header.name.startsWith('database/'))
  const swapped = entries.toSpliced(second, 2, entries[second + 1]!, entries[second]!)
  const cases: Record<string, Buffer> = {
    forged: await pack(forge(entries)),
    'forged without authentication': await pack(forge(bare)),
    'forged with another key': await packWithKey(forge(bare), Buffer.alloc(32, 7)),
    'packed again': await pack(entries).then((bytes) => Buffer.concat([bytes, Buffer.alloc(512)])),
    reordered: await pack(swapped),
    duplicated: await pack(entries.toSpliced(second, 0, entries[second]!)),
    removed: await pack(entries.toSpliced(second, 1)),
    'the last one removed': await pack([...others.toReversed(), entries.at(-1)!]),
    'appended after the end': await pack([...entries, toFile('home/plugins/evil/index.js', 'x'), last!]),
    'appended bytes': Buffer.concat([original, Buffer.from('more')]),
    'appended archive': Buffer.concat([original, original]),
    truncated: original.subarray(0, original.length - 512),
    'without its trailer': Buffer.concat([original.subarray(0, -2048), Buffer.alloc(1024)]),
  }
  for (const [index, at] of [3000, Math.floor(original.length / 2), original.length - 1500].entries()) {
    const flipped = Buffer.from(original)
    flipped[at]! ^= 1
    cases[`flipped ${index}`] = flipped
  }
  const env = { ...PASSPHRASE, SVC_DATABASE_URL: await createDatabaseUrl(t) }
  for (const [name, bytes] of Object.entries(cases)) {
    const home = createEmptyHome(t)
    const archive = join(createEmptyHome(t), 'archive.tar')
    writeFileSync(archive, bytes)
    for (const args of [
      ['restore', archive],
      ['backup', '--verify', archive],
    ]) {
      const { code, stderr } = await runCommand(home, args, { env })
      t.strictSame({ code, stderr }, { code: 1, stderr: REFUSAL }, `${name}: ${args[0]}`)
    }
    t.strictSame(readdirSync(home), ['runtime'], name)
  }
})

t.test('an archive of a newer format or with odd parameters is refused', async (t) => {
  const [head, ...others] = (await readEntries()).filter((entry) => !isAuthentication(entry))
  const described = JSON.parse(`${head!.data}`)
  const withHead = (changes: object) =>
    pack([toFile('backup.json', JSON.stringify({ ...described, ...changes })), ...others])
  const encryption = (changes: object) => ({ encryption: { ...described.encryption, ...changes } })
  const impossible = /^svc: the archive requires an unsupported key derivation\n$/
  const cases: [string, object, RegExp][] = [
    [
      'new',
      { format: 2 },
      /^svc: the archive has format 2, written by version .*; this server reads up to 1\n$/,
    ],
    ['word', { format: 'x' }, /^svc: this is not an archive of svc backup, or its beginning is damaged\n$/],
    ['memory', encryption({ n: 2 ** 30 }), impossible],
    ['time', encryption({ p: 1e9 }), impossible],
    ['odd', encryption({ n: 3 }), impossible],
    ['salt', encryption({ salt: 7 }), impossible],
    ['none', { encryption: undefined }, impossible],
  ]
  for (const [name, changes, message] of cases) {
    const home = createEmptyHome(t)
    const archive = join(createEmptyHome(t), 'archive.tar')
    writeFileSync(archive, await withHead(changes))
    const { code, stderr } = await runCommand(home, ['restore', archive], { env: PASSPHRASE })
    t.equal(code, 1, name)
    t.match(stderr, message, name)
    t.strictSame(readdirSync(home), ['runtime'])
  }
})
