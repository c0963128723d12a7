import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { LeaseDocument } from '../../../kernel/database/lease.ts'
import { openKeyRing } from '../../../kernel/security/key-ring.ts'
import { createSecrets } from '../../../kernel/security/secrets.ts'
import t, { type Test } from '../../run/file-test.ts'
import {
  bareConfig,
  CLI,
  createEnvironment,
  pluginSource,
  runCommand,
  startKernel,
} from '../../support/kernel.ts'
import { databaseEnvironment, type TestServer } from '../../support/server.ts'
import { nodeCommand } from '../../support/service-process.ts'

/** A plugin that stores secrets by id and returns them. */
const vault = pluginSource(
  'vault',
  `
  host.collection('vault', { sealed: { secret: 'vault:{_id}' } })
  const reply = { response: { 200: {} }, summary: 'x', guard: 'public', path: '/vault/:id' }
  const purpose = (params) => 'vault:' + params.id
  host.routes([
    { ...reply, method: 'GET', async handler({ params }, { collections, secrets }) {
      const { secret } = await collections.vault.findOne({ _id: params.id })
      return { secret: secrets.open(secret, purpose(params)) }
    } },
    { ...reply, method: 'PUT', audit: { none: 'a test' },
      body: { type: 'object', properties: { secret: { type: 'string' } }, required: ['secret'] },
      async handler({ params, body }, { collections, secrets }) {
        const secret = secrets.seal(body.secret, purpose(params))
        await collections.vault.updateOne({ _id: params.id }, { $set: { secret } }, { upsert: true })
        return {}
      } },
  ])`,
)

const on = { secrets: { enabled: true } }

async function start(t: Test) {
  const server = await startKernel(t, { plugins: { vault }, config: { plugins: on } })
  const store = async (id: string, secret: string) => {
    const { status } = await server.request('PUT', `/vault/${id}`, { body: { secret } })
    t.equal(status, 200)
  }
  for (let n = 0; n < 5; n += 1) await store(`v${n}`, `secret ${n}`)
  const read = async (id: string) => (await server.request('GET', `/vault/${id}`)).body.secret
  return { server, store, read }
}

const readKeys = ({ home }: TestServer) => readFileSync(join(home, 'secret.key'), 'utf8').split('\n')

const rotate = async (server: TestServer, ...args: string[]) => {
  const command = ['admin', 'rotate-secret-key', '--wait', '0', ...args]
  const { code, stdout, stderr } = await runCommand(server.home, command, {
    env: databaseEnvironment(server.home),
  })
  if (code !== 0) throw new Error(stderr)
  return stdout
}

/** True if every secret in the vault is sealed with this key. */
async function isAllSealedWith({ db }: TestServer, key: string): Promise<boolean> {
  const { open } = createSecrets({ keys: () => [Buffer.from(key, 'base64url')] })
  const sealed = await db.collection<{ _id: string; secret: string }>('vault').find().toArray()
  return sealed.every(({ _id, secret }) => open(secret, `vault:${_id}`) !== '')
}

t.test('a running server reads and writes secrets before, during and after a rotation', async (t) => {
  const { server, store, read } = await start(t)
  const [oldKey] = readKeys(server)
  let isOver = false
  let written = 0
  const writing = (async () => {
    while (!isOver) {
      await store(`w${written % 7}`, `written ${written}`)
      t.equal(await read(`w${written % 7}`), `written ${written}`)
      written += 1
    }
  })()
  const report = JSON.parse(await rotate(server, '--wait', '0.3', '--json'))
  isOver = true
  await writing
  t.ok(written > 2)
  t.match(report, { resumed: false, unreadable: [] })
  t.ok(report.resealed >= 5)
  const keys = readKeys(server)
  t.equal(keys.length, 1)
  t.not(keys[0], oldKey)
  t.ok(await isAllSealedWith(server, keys[0]!))
  await t.rejects(isAllSealedWith(server, oldKey!), 'the old key no longer opens any secret')
  for (let n = 0; n < 5; n += 1) t.equal(await read(`v${n}`), `secret ${n}`)
  t.match(await rotate(server), /^The key was replaced; secrets encrypted with the new key: \d+\.\n$/)
})

t.test('a killed rotation is completed by the next one, and no secret is lost', async (t) => {
  const { server, read } = await start(t)
  const args = [CLI, 'admin', 'rotate-secret-key', '--wait', '60']
  const child = spawn(...nodeCommand(args), {
    env: createEnvironment(server.home, databaseEnvironment(server.home)),
  })
  const ended = once(child, 'close')
  while (
    readKeys(server).length < 2 ||
    !(await isAllSealedWith(server, readKeys(server)[0]!).catch(() => false))
  )
    await pause(20)
  child.kill('SIGKILL')
  await ended
  const [current] = readKeys(server)
  // One more secret, sealed like by a server that has not read the new key yet.
  const former = createSecrets({ keys: () => [Buffer.from(readKeys(server)[1]!, 'base64url')] })
  const late = { $set: { secret: former.seal('late', 'vault:v0') } }
  await server.db.collection<{ _id: string }>('vault').updateOne({ _id: 'v0' }, late)
  t.equal(await read('v0'), 'late')
  const { stdout } = await runCommand(server.home, ['doctor'])
  t.match(stdout, /secret key +present, 0600; it is being replaced: "svc admin rotate-secret-key" continues/)

  const leases = server.db.collection<LeaseDocument>('leases')
  await leases.updateOne({ _id: 'secret_key.rotation' }, { $set: { until: Date.now() + 500 } })
  t.equal(
    await rotate(server),
    'The interrupted rotation was finished; secrets encrypted with the new key: 1.\n',
    'the next rotation waits for the lease of the killed one',
  )
  t.strictSame(readKeys(server), [current])
  t.ok(await isAllSealedWith(server, current!))
  t.equal(await read('v1'), 'secret 1')
})

t.test('two simultaneous rotations run one after the other', async (t) => {
  const { server, read } = await start(t)
  const lines = await Promise.all([rotate(server), rotate(server)])
  for (const line of lines) t.match(line, /^The key was replaced; secrets encrypted with the new key: 5\.\n$/)
  t.equal(await read('v1'), 'secret 1')
})

t.test('secrets of a disabled plugin are re-encrypted too', async (t) => {
  const { server, read } = await start(t)
  const file = join(server.home, 'config.json')
  const config = readFileSync(file, 'utf8')
  const { database } = JSON.parse(config)
  writeFileSync(file, JSON.stringify(bareConfig({ database, plugins: { ...on, vault: { enabled: false } } })))
  await server.restart()
  t.equal((await server.request('GET', '/vault/v1')).status, 404)
  t.match(await rotate(server), 'secrets encrypted with the new key: 5')
  writeFileSync(file, config)
  await server.restart()
  t.equal(await read('v1'), 'secret 1')
})

t.test('a secret that no key opens is reported and left unchanged', async (t) => {
  const { server, read } = await start(t)
  const documents = server.db.collection<{ _id: string; secret: string }>('vault')
  await documents.updateOne({ _id: 'v3' }, { $set: { secret: 'v1.a.b.c' } })
  t.match(await rotate(server), 'new key: 4.\nNo key decrypts vault.secret of v3; it was left unchanged.\n')
  t.match(await documents.findOne({ _id: 'v3' }), { secret: 'v1.a.b.c' })
  t.equal(await read('v1'), 'secret 1')
})

t.test('an invalid --wait is refused before the rotation begins', async (t) => {
  const { server } = await start(t)
  const keysBefore = readKeys(server)
  await t.rejects(rotate(server, '--wait', 'soon'), /--wait must be a number of seconds/)
  t.strictSame(readKeys(server), keysBefore)
})

t.test('a rotation that loses its lease to another process keeps both keys', async (t) => {
  const { server, read } = await start(t)
  const leases = server.db.collection<LeaseDocument>('leases')
  const refused = t.rejects(rotate(server, '--wait', '0.2'), /another process has taken this rotation over/)
  const taken = { $set: { holder: 'another', until: Date.now() + 60_000 } }
  while ((await leases.updateOne({ _id: 'secret_key.rotation' }, taken)).matchedCount === 0) await pause(5)
  await refused
  t.equal(openKeyRing(server.home).keys().length, 2)
  t.equal(await read('v1'), 'secret 1')
})
