import { hashRow } from '../../../plugins/operation/audit/chain.ts'
import type { AuditDocument, AuditHeadDocument } from '../../../plugins/operation/audit/documents.ts'
import t, { type Test } from '../../run/file-test.ts'
import { isLong } from '../../run/tier.ts'
import { buy, headOf, logOf, rowsOf, run, startShop, verify } from './audit-shop.ts'

const server = await startShop(t)
const ROWS = 8

t.test('A log without rows is intact', async (t) => {
  const [rows, head] = [await rowsOf(server), await headOf(server).findOne()]
  await Promise.all([logOf(server).deleteMany(), headOf(server).deleteMany()])
  t.match(await run(server, 'admin', 'audit', '--verify'), { code: 0, stdout: /is intact\. Rows: 0\./ })
  t.same(await verify(server), { code: 0, whole: true, rows: 0, removed: 0, hash: null, broken: null })
  await logOf(server).insertMany(rows)
  await headOf(server).insertOne(head!)
})

t.test('The command prints rows newest first, as a table and as the JSON of the route', async (t) => {
  await server.request('PUT', `/shop/${encodeURIComponent('\u009b2J\u202egnp')}`)
  for (const status of [0, 3])
    t.equal((await run(server, 'shop', 'stamp', ...(status ? ['nothing'] : []))).code, status)
  const asJson = await run(server, 'admin', 'audit', '--json')
  t.equal(asJson.code, 0)
  const { body } = await server.request('GET', '/admin/audit-log')
  t.same(JSON.parse(asJson.stdout), body)
  const actor = /^os:.+/
  const command = { actor, action: 'shop.stamp', ip: null, request_id: null, payload: null }
  t.match(body, [
    { id: '4', ...command, status: 3, target: 'nothing' },
    { id: '3', ...command, status: 0, target: null },
    { id: '2', action: 'shop.put', target: '\u009b2J\u202egnp', status: 204 },
    { id: '1', actor: 'admin', action: 'auth.login' },
  ])

  const { stdout } = await run(server, 'admin', 'audit')
  const lines = stdout.trimEnd().split('\n')
  t.equal(lines.length, 5)
  t.match(lines[0], /^id +time \(UTC\) +actor +action +status +ip +target$/)
  const time = new Date(body[1].ts * 1000).toISOString().slice(0, 19).replace('T', ' ')
  t.ok(lines[2]!.includes(`${time}  os:`))
  t.match(lines[3], /^2 .* shop\.put +204 +127\.0\.0\.1 +\ufffd2J\ufffdgnp$/u, 'nothing steers the terminal')

  const ids = async (...options: string[]) =>
    JSON.parse((await run(server, 'admin', 'audit', '--json', ...options)).stdout).map(
      ({ id }: { id: string }) => id,
    )
  t.same(await ids('--limit', '2'), ['4', '3'])
  t.same(await ids('--actor', 'admin'), ['1'])
  t.same(await ids('--action', 'shop.stamp', '--limit', '1'), ['4'])
  t.match(await run(server, 'admin', 'audit', '--limit', 'all'), {
    code: 1,
    stderr: /--limit must be a positive integer/,
  })
})

const { auditVerification } = server.server.runtime.cradleOf('audit')

/** Tampers with the log, asserts that this is detected, also by the command, and restores the log. */
async function tamper(
  t: Test,
  act: (rows: AuditDocument[]) => Promise<unknown>,
  id: string,
  fault: RegExp,
  { runsCommand = isLong } = {},
) {
  const [rows, head] = [await rowsOf(server), await headOf(server).findOne()]
  await act(structuredClone(rows))
  t.match(await auditVerification.verify(), { whole: false, broken: { id, message: fault } })
  if (runsCommand) t.match(await run(server, 'admin', 'audit', '--verify'), { code: 1, stdout: fault })
  await restore(rows, head!)
  t.match(await auditVerification.verify(), { whole: true, rows: ROWS, broken: null }, 'it is intact again')
}

async function restore(rows: AuditDocument[], { seq, hash }: AuditHeadDocument) {
  await logOf(server).deleteMany()
  await logOf(server).insertMany(rows)
  await headOf(server).replaceOne({ _id: 'newest' }, { seq, hash })
}

t.test('Any tampering with rows is detected, and the row is named', async (t) => {
  const log = logOf(server)
  while ((await rowsOf(server)).length < ROWS) await buy(server, 'filler', { name: 'a' })
  const replace = (row: AuditDocument) => log.replaceOne({ _id: row._id }, row)

  for (const change of [
    { actor: 'eve' },
    { action: 'shop.but' },
    { target: 'x' },
    { payload: '{"name":"b"}' },
    { payload: null },
    { status: 500 },
    { ts: 1 },
    { ip: '::1' },
    { request_id: '' },
    { entry_id: 'x' },
    { hash: 'f'.repeat(64) },
    { note: 'added' },
  ]) {
    const [rows, head] = [await rowsOf(server), await headOf(server).findOne()]
    await log.updateOne({ _id: 5 }, { $set: change })
    t.match(
      await auditVerification.verify(),
      { whole: false, rows: 4, broken: { id: '5', fault: 'changed' } },
      `${Object.keys(change)} changed to ${Object.values(change)}`,
    )
    await restore(rows, head!)
  }
  await t.test('a field removed', (t) =>
    tamper(t, () => log.updateOne({ _id: 5 }, { $unset: { target: 1 } }), '5', /row 5 was changed/, {
      runsCommand: true,
    }),
  )
  await t.test('the first row changed', (t) =>
    tamper(
      t,
      () => log.updateOne({ _id: 1 }, { $set: { actor: 'eve' } }),
      '1',
      /row 1 was changed$|row 1 was changed\. I/,
    ),
  )
  await t.test('a row deleted in the middle', (t) =>
    tamper(t, () => log.deleteOne({ _id: 4 }), '4', /row 4 is missing/),
  )
  await t.test('the first rows deleted', (t) =>
    tamper(t, () => log.deleteMany({ _id: { $lte: 2 } }), '1', /rows 1 to 2 are missing/),
  )
  await t.test('the last row deleted', (t) =>
    tamper(t, () => log.deleteOne({ _id: 8 }), '8', /row 8 is missing at the end of the log/),
  )
  await t.test('all rows deleted', (t) =>
    tamper(t, () => log.deleteMany(), '1', /rows 1 to 8 are missing at the end/),
  )
  await t.test('two rows swapped', (t) => {
    const swap = async (rows: AuditDocument[]) => {
      const [a, b] = [rows[3]!, rows[5]!]
      await log.deleteMany({ _id: { $in: [a._id, b._id] } })
      await log.insertMany([
        { ...a, _id: b._id },
        { ...b, _id: a._id },
      ])
    }
    return tamper(t, swap, '4', /row 4 was changed/)
  })
  for (const [seq, id] of [
    [3.5, '3.5'],
    [0, '0'],
    ['zzz', 'zzz'],
  ])
    await t.test(`a row inserted at ${seq}`, (t) =>
      tamper(
        t,
        (rows) => log.insertOne({ ...rows[2]!, _id: seq as number, entry_id: 'new' }),
        id as string,
        new RegExp(`row ${id} was inserted`),
      ),
    )
  await t.test('a row appended without its hash', (t) =>
    tamper(t, (rows) => log.insertOne({ ...rows[7]!, _id: 9, entry_id: 'new' }), '9', /row 9 was inserted/),
  )
  await t.test('a row changed and hashed again', (t) => {
    const change = async (rows: AuditDocument[]) => {
      const row = { ...rows[4]!, actor: 'eve' }
      await replace({ ...row, hash: hashRow(rows[3]!.hash, row) })
    }
    return tamper(t, change, '6', /row 6 was changed, or row 5 was and has a new hash/)
  })
  await t.test('the last row changed and hashed again', (t) => {
    const change = async (rows: AuditDocument[]) => {
      const row = { ...rows[7]!, actor: 'eve' }
      await replace({ ...row, hash: hashRow(rows[6]!.hash, row) })
    }
    return tamper(t, change, '8', /row 8 was changed and given a new hash/)
  })
})

t.test('Rows removed at the beginning are counted, also if somebody claims that they were old', async (t) => {
  const rows = await rowsOf(server)
  t.match(await verify(server), { code: 0, removed: 0 })
  const { _id: seq, hash } = rows[2]!
  await headOf(server).insertOne({ _id: 'base', seq, hash })
  await logOf(server).deleteMany({ _id: { $lte: seq } })
  t.match(await verify(server), { code: 0, rows: ROWS - 3, removed: 3 })
  t.match(await run(server, 'admin', 'audit', '--verify'), { stdout: / Removed before them: 3\. / })
  await headOf(server).deleteOne({ _id: 'base' })
  t.match(await verify(server), { code: 1, broken: { id: '1', fault: 'missing' } })
  await logOf(server).insertMany(rows.slice(0, 3))
})

t.test('Rows removed at the end stay missing when more are written', async (t) => {
  await logOf(server).deleteOne({ _id: ROWS })
  await server.restart()
  await buy(server, 'later')
  t.match(await verify(server), {
    code: 1,
    broken: { id: '8', fault: 'missing', message: 'row 8 is missing' },
  })
  t.match((await rowsOf(server)).at(-1), { _id: 9 })
})

t.test('The log can be read and checked without a running server', async (t) => {
  await server.stop()
  t.match(await verify(server), { code: 1, broken: { id: '8' } })
  t.match(await run(server, 'admin', 'audit', '--limit', '1'), { code: 0, stdout: /\n9 .*shop\.buy/ })
})
