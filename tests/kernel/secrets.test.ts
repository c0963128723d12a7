import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs, {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { deferKeyRing, openKeyRing } from '../../kernel/security/key-ring.ts'
import { listSealedFields, purposeOf } from '../../kernel/security/sealed-fields.ts'
import { createSecrets, MASK, maskOf } from '../../kernel/security/secrets.ts'
import t, { type Test } from '../run/file-test.ts'
import { bareConfig, createHome, pluginSource, runCommand, startKernel } from '../support/kernel.ts'
import { databaseEnvironment } from '../support/server.ts'
import { nodeCommand } from '../support/service-process.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

const newBox = () => {
  const key = randomBytes(32)
  return createSecrets({ keys: () => [key] })
}
const keyFile = (home: string) => join(home, 'secret.key')
const readMode = (path: string) => statSync(path).mode & 0o777

/** Replaces a function of `node:fs` in all modules until the returned function is called. */
function replaceInFs(t: Test, name: 'existsSync' | 'linkSync', value: unknown): () => void {
  const { restore } = t.intercept(fs, name, { value })
  syncBuiltinESMExports()
  const end = () => {
    restore()
    syncBuiltinESMExports()
  }
  t.teardown(end)
  return end
}

/** Starts a process that opens and prints the keys of a home when the returned function is called. */
async function spawnKeyRing(t: Test, home: string) {
  const keyRing = new URL('../../kernel/security/key-ring.js', import.meta.url).href
  const program = `
    import { openKeyRing } from ${JSON.stringify(keyRing)}
    process.stderr.write('ready')
    process.stdin.once('data', () => {
      const keys = openKeyRing(${JSON.stringify(home)}).keys()
      process.stdout.write(JSON.stringify(keys.map((key) => key.toString('base64url'))))
      process.stdin.destroy()
    })
  `
  const child = spawn(...nodeCommand(['--input-type=module', '-e', program]), {
    env: { ...process.env, NODE_V8_COVERAGE: '' },
  })
  t.teardown(() => child.kill('SIGKILL'))
  await once(child.stderr, 'data')
  return async (): Promise<string[]> => {
    child.stdin.write('open')
    return JSON.parse(await text(child.stdout))
  }
}

t.test('a sealed text can be opened, and sealing a text twice produces different results', async (t) => {
  const box = newBox()
  for (const text of ['sk-1', '', '密钥 🔑', 'x'.repeat(100_000)]) {
    const sealed = box.seal(text, 'providers')
    t.match(sealed, /^v1\.[\w-]{16}\.[\w-]{22}\.[\w-]*$/)
    t.equal(box.open(sealed, 'providers'), text)
    t.not(box.seal(text, 'providers'), sealed)
  }
})

t.test('a sealed text opens only with its own key and for its own purpose', async (t) => {
  const box = newBox()
  const sealed = box.seal('sk-1', 'providers')
  t.throws(() => box.open(sealed, 'channels'), /unable to authenticate/)
  t.throws(() => box.open(sealed, ''), /unable to authenticate/)
  t.throws(() => newBox().open(sealed, 'providers'), /unable to authenticate/)
})

t.test('a sealed text that was changed anywhere does not open', async (t) => {
  const box = newBox()
  const [version, nonce, tag, body] = box.seal('sk-1', 'providers').split('.') as [
    string,
    string,
    string,
    string,
  ]
  const flip = (part: string) => {
    const bytes = Buffer.from(part, 'base64url')
    bytes[0]! ^= 1
    return bytes.toString('base64url')
  }
  const shorten = (part: string) => Buffer.from(part, 'base64url').subarray(0, -1).toString('base64url')
  const lengthen = (part: string) => Buffer.from(`${part}AAAA`, 'base64url').toString('base64url')
  for (const change of [flip, shorten, lengthen, () => '']) {
    t.throws(() => box.open([version, change(nonce), tag, body].join('.'), 'providers'))
    t.throws(() => box.open([version, nonce, change(tag), body].join('.'), 'providers'))
    t.throws(() => box.open([version, nonce, tag, change(body)].join('.'), 'providers'))
  }
  const other = box.seal('sk-2', 'providers').split('.')
  t.throws(() => box.open([version, nonce, tag, other[3]].join('.'), 'providers'))
  t.throws(() => box.open([version, other[1], tag, body].join('.'), 'providers'))
})

t.test('text in another format does not open', async (t) => {
  const box = newBox()
  const sealed = box.seal('sk-1', 'providers')
  for (const text of ['', 'sk-1', 'v1', 'v1.a.b', sealed.replace('v1', 'v2'), `${sealed}.x`, sealed.slice(3)])
    t.throws(() => box.open(text, 'providers'), { message: 'a stored secret has an unknown form' })
})

t.test('a secret stays readable while its key is replaced, and is sealed anew only once', async (t) => {
  const home = createHome(t)
  const ring = openKeyRing(home)
  const box = createSecrets(ring)
  const sealed = box.seal('sk-1', 'providers')
  t.equal(box.renew(sealed, 'providers'), undefined, 'the key is still the present one')
  const [first] = ring.keys()
  t.ok(ring.begin())
  t.notOk(ring.begin(), 'a replacement is under way')
  const [second, former] = deferKeyRing(home).keys()
  t.strictSame(former, first)
  t.notSame(second, first)
  t.equal(box.open(sealed, 'providers'), 'sk-1')
  const renewed = box.renew(sealed, 'providers')!
  t.equal(box.renew(renewed, 'providers'), undefined)
  t.throws(() => box.renew(sealed, 'channels'), /unable to authenticate/)
  const other = deferKeyRing(home)
  t.notOk(other.begin())
  other.end()
  t.strictSame(ring.keys(), [second], 'a key ring notices what another has changed')
  t.equal(box.open(renewed, 'providers'), 'sk-1')
  t.throws(() => box.open(sealed, 'providers'), /unable to authenticate/)
})

t.test('the key is created once, even by processes that start simultaneously', async (t) => {
  const home = createHome(t)
  const processes = await Promise.all([1, 2, 3, 4].map(() => spawnKeyRing(t, home)))
  const opened = await Promise.all(processes.map((open) => open()))
  const key = readFileSync(keyFile(home), 'utf8')
  for (const keys of opened) t.strictSame(keys, [key])
  t.match(key, /^[\w-]{43}$/)
  t.equal(readMode(keyFile(home)), 0o600)
  t.strictSame(
    openKeyRing(home)
      .keys()
      .map((kept) => kept!.toString('base64url')),
    [key],
  )
  t.equal(readFileSync(keyFile(home), 'utf8'), key)
  t.strictSame(
    readdirSync(home).filter((name) => name.includes('secret')),
    ['secret.key'],
    'no other file remains',
  )
})

t.test('a key file loses the permissions of other users, and may end with a line break', async (t) => {
  const home = createHome(t)
  const key = randomBytes(32)
  writeFileSync(keyFile(home), `${key.toString('base64url')}\n`)
  chmodSync(keyFile(home), 0o644)
  t.strictSame(openKeyRing(home).keys(), [key])
  t.equal(readMode(keyFile(home)), 0o600)
})

t.test('an invalid key file stops the start with one sentence and is not changed', async (t) => {
  for (const content of ['', 'short', randomBytes(33).toString('base64url')]) {
    const home = createHome(t, bareConfig())
    writeFileSync(keyFile(home), content)
    const message = `${keyFile(home)} does not hold a key of 32 bytes`
    await t.rejects(startKernel(t, { home }), { message })
    t.equal(readFileSync(keyFile(home), 'utf8'), content)
    t.notOk(existsSync(join(home, 'db')), 'no database was opened')
  }
  const home = createHome(t)
  writeFileSync(keyFile(home), 'short')
  const { code, stderr } = await runCommand(home, ['serve'])
  t.equal(code, 1)
  t.equal(stderr, `svc: ${keyFile(home)} does not hold a key of 32 bytes\n`)
})

t.test('a process that creates the key too late uses the key of the other process', async (t) => {
  const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
  await runCommand(home, ['doctor'])
  const key = readFileSync(keyFile(home), 'utf8')
  const isThere = fs.existsSync
  const restore = replaceInFs(
    t,
    'existsSync',
    (path: string) => !String(path).endsWith('secret.key') && isThere(path),
  )
  const { stdout } = await runCommand(home, ['doctor'])
  restore()
  t.match(stdout, /ok {4}secret key +present, 0600\n/)
  t.equal(readFileSync(keyFile(home), 'utf8'), key)
})

t.test('a home without support for hard links stops the start with the reason', async (t) => {
  const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
  const restore = replaceInFs(t, 'linkSync', () => {
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' })
  })
  const { code, stdout } = await runCommand(home, ['doctor'])
  restore()
  t.equal(code, 1)
  t.match(stdout, /FAIL {2}secret key +EPERM: operation not permitted, link\n/)
  t.strictSame(
    readdirSync(home).filter((name) => name.includes('secret')),
    [],
  )
})

t.test('a mask shows the last four characters of a long secret and nothing of a short one', async (t) => {
  t.equal(maskOf('sk-1234567890'), `${MASK}7890`)
  for (const short of ['', 'a', '12345678']) t.equal(maskOf(short), MASK, short)
  t.equal(maskOf('123456789'), `${MASK}6789`)
})

t.test('a lost key is noticed before a new one is made', async (t) => {
  const vault = pluginSource('vault', "host.collection('boxes', { sealed: { content: 'box:{_id}' } })")
  const server = await startKernel(t, { plugins: { vault } })
  await server.stop()
  rmSync(keyFile(server.home))
  await server.restart()
  t.ok(existsSync(keyFile(server.home)), 'nothing was sealed with the key, so a new one serves')

  await server.db
    .collection<{ _id: string }>('boxes')
    .insertOne({ _id: 'one', content: 'v1.sealed' } as object as { _id: string })
  const sealedFields = await listSealedFields(server.db)
  t.same(
    sealedFields.map((field) => [field.collection, field.field, purposeOf(field, 'one')]),
    [['boxes', 'content', 'box:one']],
    'the database knows which fields are sealed, and for which purpose',
  )
  await server.stop()
  rmSync(keyFile(server.home))
  const message = new RegExp(`${keyFile(server.home)} is missing, but the database has secrets`)
  await t.rejects(server.restart(), { message })
  const { code, stdout } = await runCommand(server.home, ['doctor'], {
    env: databaseEnvironment(server.home),
  })
  t.equal(code, 1)
  t.match(stdout, /FAIL {2}secret key +.* is missing, but the database has secrets/)
  t.notOk(existsSync(keyFile(server.home)), 'no new key was made')
})
