import { MongoBulkWriteError, MongoClient } from 'mongodb'
import { isDuplicateKey, isOnlyDuplicates, isUnavailable } from '../../kernel/database/driver-errors.ts'
import t from '../run/file-test.ts'
import { startDatabaseProxy } from '../support/database-proxy.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

const client = new MongoClient(await createDatabaseUrl(t))
t.teardown(() => client.close())
const rows = client.db().collection<{ _id: number; list?: unknown }>('rows')
await rows.insertOne({ _id: 1, list: 'no list' })

/** Returns the error of an operation; undefined if it succeeds. */
const catchFailure = (operation: Promise<unknown>): Promise<unknown> =>
  operation.then(
    () => undefined,
    (error) => error,
  )

t.test('a duplicate key is distinguished from other failures', async (t) => {
  t.ok(isDuplicateKey(await catchFailure(rows.insertOne({ _id: 1 }))))
  t.notOk(isDuplicateKey(null))
  const insert = (...ids: number[]) => ({
    ordered: false,
    rows: ids.map((_id) => ({ insertOne: { document: { _id } } })),
  })
  const { ordered, rows: twice } = insert(1, 2, 1)
  t.ok(isOnlyDuplicates(await catchFailure(rows.bulkWrite(twice, { ordered }))))
  t.ok(await rows.findOne({ _id: 2 }), 'the other rows are written')
  const push = { updateOne: { filter: { _id: 1 }, update: { $push: { list: 'x' } as never } } }
  const mixed = await catchFailure(rows.bulkWrite([...twice, push], { ordered }))
  t.type(mixed, MongoBulkWriteError)
  t.notOk(isOnlyDuplicates(mixed))
  for (const other of [undefined, null, 'text', new Error('x'), Object.create(null)])
    t.notOk(isOnlyDuplicates(other))
})

t.test('an unavailable database is distinguished from one that refuses an operation', async (t) => {
  const proxy = await startDatabaseProxy(t)
  const away = new MongoClient(proxy.url)
  t.teardown(() => away.close())
  const rows = away.db().collection<{ _id: number }>('rows')
  await rows.insertOne({ _id: 1 })
  for (const write of [
    () => rows.bulkWrite([{ insertOne: { document: { _id: 2 } } }], { ordered: false }),
    () => rows.insertOne({ _id: 3 }),
  ]) {
    const held = proxy.hold()
    const failure = catchFailure(write())
    await held
    proxy.cut()
    t.ok(isUnavailable(await failure), 'the connection breaks before the answer')
    t.ok(isUnavailable(await catchFailure(write())), 'no connection can be opened')
    proxy.release()
    proxy.restore()
  }
  t.notOk(isUnavailable(await catchFailure(rows.insertOne({ _id: 1 }))))
  t.ok(isUnavailable(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })))
  for (const other of [undefined, null, 'text', new Error('x'), new AggregateError([])])
    t.notOk(isUnavailable(other))
  const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
  t.ok(isUnavailable(new AggregateError([broken, broken])), 'every plugin that was asked lacks the database')
  t.notOk(isUnavailable(new AggregateError([broken, new Error('x')])), 'one of them fails for another reason')
})
