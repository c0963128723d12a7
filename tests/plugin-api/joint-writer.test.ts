import { MongoClient, MongoClientBulkWriteError } from 'mongodb'
import { jointWriterOf, type Write } from '../../plugin-api/toolbox/joint-writer.ts'
import { isTransient } from '../../plugins/conversations/chat/ledger/transient.ts'
import t, { type Test } from '../run/file-test.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

interface Row {
  _id: string
  text?: string
}

/** Opens two collections, and lists the commands that write to them. */
async function openCollections(t: Test) {
  const client = await MongoClient.connect(await createDatabaseUrl(t), { monitorCommands: true })
  t.teardown(() => client.close())
  const commands: string[] = []
  client.on('commandStarted', ({ commandName }) => void commands.push(commandName))
  const [left, right] = ['left', 'right'].map((name) => client.db().collection<Row>(name)) as [
    ReturnType<typeof collection>,
    ReturnType<typeof collection>,
  ]
  const collection = (name: string) => client.db().collection<Row>(name)
  const insert = (to: typeof left, document: Row): Write => ({
    name: 'insertOne',
    namespace: to.namespace,
    document,
  })
  const idsIn = async (from: typeof left) =>
    (await from.find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id)
  return { client, commands, left, right, insert, idsIn, writer: jointWriterOf(left) }
}

t.test('writes of the same moment to several collections travel in one command', async (t) => {
  const { commands, left, right, insert, idsIn, writer } = await openCollections(t)
  t.equal(writer, jointWriterOf(right), 'one writer for all collections of a client')
  await Promise.all([
    writer.write([insert(left, { _id: 'a' }), insert(right, { _id: 'b' })]),
    writer.write([insert(right, { _id: 'c' })]),
    writer.write([]),
  ])
  t.strictSame(commands, ['bulkWrite'])
  t.strictSame([await idsIn(left), await idsIn(right)], [['a'], ['b', 'c']])
  await writer.idle()
})

t.test('a refused write stops those behind it in its own request, and no other request', async (t) => {
  const { left, right, insert, idsIn, writer } = await openCollections(t)
  await left.insertOne({ _id: 'taken' })
  const outcomes = await Promise.allSettled([
    writer.write([insert(left, { _id: 'before' })]),
    writer.write([
      insert(right, { _id: 'done' }),
      insert(left, { _id: 'taken' }),
      insert(right, { _id: 'never' }),
    ]),
    writer.write([insert(left, { _id: 'behind' })]),
    writer.write([insert(left, { _id: 'taken' })]),
  ])
  t.strictSame(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'rejected'],
  )
  t.match(outcomes[1], { reason: { code: 11000 } })
  t.strictSame([await idsIn(left), await idsIn(right)], [['before', 'behind', 'taken'], ['done']])
})

t.test('a document that no command can carry fails alone', async (t) => {
  const { left, right, insert, idsIn, writer } = await openCollections(t)
  const outcomes = await Promise.allSettled([
    writer.write([insert(left, { _id: 'small' })]),
    writer.write([insert(left, { _id: 'large', text: 'x'.repeat(17 * 1024 * 1024) })]),
    writer.write([insert(right, { _id: 'other' })]),
  ])
  t.strictSame(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  t.strictSame([await idsIn(left), await idsIn(right)], [['small'], ['other']])
})

t.test('writes fail together where the database cannot be reached, and the next ones succeed', async (t) => {
  const { client, left, insert, idsIn, writer } = await openCollections(t)
  await client.close()
  const outcomes = await Promise.allSettled([
    writer.write([insert(left, { _id: 'a' })]),
    writer.write([insert(left, { _id: 'b' })]),
  ])
  t.strictSame(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  await client.connect()
  await writer.write([insert(left, { _id: 'c' })])
  t.strictSame(await idsIn(left), ['c'])
})

t.test('writes that were not replicated are made again, each request by itself', async (t) => {
  const { client, left, writer } = await openCollections(t)
  const bulkWrite = client.bulkWrite.bind(client)
  const unreplicated = Object.assign(new MongoClientBulkWriteError({ message: 'not replicated' }), {
    writeConcernErrors: [{ code: 64, message: 'timeout' }],
  })
  // The engine has no replicas, so the error of a server that lacks one comes from here.
  client.bulkWrite = (async (...given: Parameters<typeof bulkWrite>) => {
    client.bulkWrite = bulkWrite
    await bulkWrite(...given)
    throw unreplicated
  }) as typeof bulkWrite
  const put = (_id: string): Write => ({
    name: 'updateOne',
    namespace: left.namespace,
    filter: { _id },
    update: { $inc: { times: 1 } },
    upsert: true,
  })
  await Promise.all([writer.write([put('a')]), writer.write([put('b')])])
  t.strictSame(await left.find().sort({ _id: 1 }).toArray(), [
    { _id: 'a', times: 2 },
    { _id: 'b', times: 2 },
  ])
  t.ok(isTransient(unreplicated), 'turns try again')
})
