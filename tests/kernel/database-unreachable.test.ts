import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type MongoError, MongoNetworkError, MongoServerError } from 'mongodb'
import { engineFailure } from '../../engine/engine-failure.ts'
import { openDatabase } from '../../kernel/database/database.ts'
import { createLogger } from '../../kernel/log.ts'
import t, { type Test } from '../run/file-test.ts'
import { startDatabaseProxy } from '../support/database-proxy.ts'
import { bareConfig, createHome, pluginSource, runCommand, startKernel } from '../support/kernel.ts'
import { installPlugin } from '../support/server.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

const PATIENCE = 'serverSelectionTimeoutMS=300'

/** Runs `svc serve` on a database that must fail, and returns the sentence. */
async function failedStart(t: Test, address: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand(createHome(t, bareConfig()), ['serve'], {
    env: { SVC_DATABASE_URL: address, SVC_PORT: '0', SVC_LOG_LEVEL: 'silent' },
  })
  t.strictSame({ code, stdout }, { code: 1, stdout: '' })
  t.match(stderr, /^svc: [^\n]+\n$/, 'one sentence')
  t.notMatch(stderr, /canary|MongoServer|MongoParse/)
  return stderr
}

/** Listens on a port with a server that treats each connection so, and returns the host. */
async function listen(t: Test, treat: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => treat(socket.on('error', () => socket.destroy())))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('a server that does not answer is named without its password', async (t) => {
  const sentence = await failedStart(t, `mongodb://ann:canary@127.0.0.1:9,127.0.0.1:8/svc?${PATIENCE}`)
  t.match(
    sentence,
    /the MongoDB server at 127\.0\.0\.1:9, 127\.0\.0\.1:8 cannot be reached: connect ECONNREFUSED [^;]+; is it running, and is its/,
  )
})

t.test('an address without the name of a database means the database "svc"', async (t) => {
  const url = (await createDatabaseUrl(t)).replace(/[^/]+\?/, '?')
  const database = await openDatabase({ url, home: createHome(t), log: createLogger({ level: 'silent' }) })
  t.equal(database.db.databaseName, 'svc')
  await database.close()
})

t.test('a wrong password is reported as such', async (t) => {
  const { url } = await startDatabaseProxy(t)
  const sentence = await failedStart(t, url.replace('mongodb://', 'mongodb://ann:canary@'))
  t.match(sentence, /127\.0\.0\.1:\d+ refuses this user: Authentication failed; are the user, the password/)
})

t.test('TLS on one side only is suspected', async (t) => {
  const plain = await listen(t, (socket) => socket.once('data', () => socket.end('no TLS\r\n')))
  const withTls = await failedStart(t, `mongodb://ann:canary@${plain}/svc?tls=true&${PATIENCE}`)
  t.match(withTls, `${plain} cannot be reached: wrong version number; does it use TLS, as its address says?`)

  const closing = await listen(t, (socket) => socket.once('data', () => socket.destroy()))
  const withoutTls = await failedStart(t, `mongodb://ann:canary@${closing}/svc?${PATIENCE}`)
  t.match(withoutTls, /closed; does it require tls=true in its address\?/)
})

t.test(
  'a start that the server of the database ended is explained by it, any other by its own error',
  async (t) => {
    const { url } = await startDatabaseProxy(t)
    const database = await openDatabase({ url, home: createHome(t), log: createLogger({ level: 'silent' }) })
    t.teardown(() => database.close())
    const refusal = new MongoServerError({
      message: 'Command createIndexes requires authentication',
      code: 13,
    })
    const cases: [MongoError, RegExp][] = [
      [refusal, /refuses this user: Command createIndexes requires authentication; are the user/],
      [
        new MongoNetworkError('connection 3 closed'),
        /cannot be reached: connection 3 closed; does it require/,
      ],
    ]
    for (const [error, message] of cases) {
      t.match(database.explainFailure(error), { message })
      t.match(database.explainFailure(new Error('plugin "chat" failed to start', { cause: error })), {
        message,
      })
    }
    const other = new Error('plugin "chat" failed to start', { cause: new TypeError('no') })
    t.equal(database.explainFailure(other), other)
  },
)

t.test('a command whose database is lost while it runs ends with a sentence', async (t) => {
  const { url, cut } = await startDatabaseProxy(t)
  const home = createHome(t, bareConfig({ database: { url } }))
  const run = `async run(_, { collections }) { process.emit('counting'); await collections.rows.countDocuments() }`
  installPlugin(
    home,
    'counter',
    pluginSource('counter', `host.collection('rows'); host.command({ name: 'count', summary: 's', ${run} })`),
  )
  process.once('counting' as never, cut)
  const { code, stderr } = await runCommand(home, ['count'])
  t.equal(code, 1)
  t.match(stderr, /^svc: the MongoDB server at 127\.0\.0\.1:\d+ cannot be reached: [^\n]+\n$/)
})

t.test('an engine that ends on a full disk is explained by the disk', async (t) => {
  const home = createHome(t)
  t.match(engineFailure(home, 'ended (1)', '', {}, Number.MAX_VALUE), {
    message: `the database in ${home} cannot be used, because the disk is full; it works again when there is space`,
  })
})

t.test('a user that the server of the database no longer accepts is answered like an outage', async (t) => {
  const source = `class MongoServerError extends Error { code = 18 }
    const fail = () => { throw new MongoServerError('Authentication failed.') }
    host.guard('open', { check: () => ({}) })
    host.routes([{ method: 'GET', path: '/refused', summary: 's', guard: 'open', response: { 200: {} }, handler: fail }])`
  const server = await startKernel(t, { plugins: { refused: pluginSource('refused', source) } })
  t.match(await server.request('GET', '/refused'), {
    status: 503,
    body: { error: { code: 'DATABASE_UNAVAILABLE' } },
  })
})

t.test('an address that is not valid is refused without repeating it', async (t) => {
  const sentence = await failedStart(t, 'mongodb://ann:can/ary@127.0.0.1/svc')
  t.match(sentence, /the address of the MongoDB server is not valid: Password contains unescaped characters/)
})
