import t from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { costOf } from '../../support/query-cost.ts'
import type { TestReply } from '../../support/server.ts'
import { buy, logOf, rowsOf, startShop } from './audit-shop.ts'

const START = 1_800_000_000

let now = START
const server = await startShop(t, { clock: { now: () => now * 1000, seconds: () => now } })

t.test('Rows are filtered by actor, action, target and time', async (t) => {
  const start = now
  const bob = await server.createUser({ username: 'bob' })
  await server.login('bob', bob.password)
  for (const id of ['a', 'b', 'a', 'c']) {
    now += 10
    await server.request('PUT', `/shop/${id}`)
  }
  const find = async (query: object) => {
    const reply = await server.request('GET', `/admin/audit-log?${new URLSearchParams({ ...query })}`)
    t.equal(reply.status, 200)
    return reply.body.map(({ action, target, ts }: { action: string; target: string; ts: number }) =>
      [action, target, ts - start].join(' '),
    )
  }
  const puts = ['shop.put c 40', 'shop.put a 30', 'shop.put b 20', 'shop.put a 10']
  t.same(await find({ action: 'shop.put' }), puts)
  t.same(await find({ target: 'a' }), [puts[1], puts[3]])
  t.same(await find({ actor: 'bob' }), ['auth.login  0'])
  t.same(await find({ actor: 'bo' }), [], 'not by a part')
  t.same(await find({ actor: 'bob', action: 'shop.put' }), [])
  t.same(await find({ since: start + 20, until: start + 30 }), [puts[1], puts[2]], 'both ends are included')
  t.same(await find({ until: start + 10, action: 'shop.put' }), [puts[3]])
  t.same(await find({ since: start + 11, target: 'a' }), [puts[1]])
  t.same(await find({ since: start + 50 }), [])
})

t.test('An invalid query is refused with its field', async (t) => {
  for (const [query, path] of [
    ['limit=0', '/limit'],
    ['limit=x', '/limit'],
    ['cursor=-1', '/cursor'],
    ['cursor=zzz', '/cursor'],
    ['cursor=', '/cursor'],
    ['cursor=1e3', '/cursor'],
    ['cursor=1234567890123456', '/cursor'],
    ['since=yesterday', '/since'],
    ['until=1.5', '/until'],
    [`actor=${'a'.repeat(65)}`, '/actor'],
    ['who=bob', '/who'],
  ]) {
    const { status, body } = await server.request('GET', `/admin/audit-log?${query}`)
    t.match(
      { status, ...body.error },
      { status: 422, code: 'VALIDATION_FAILED', details: { issues: [{ path }] } },
    )
  }
})

t.test('Pages have no row twice and miss none while rows are written', async (t) => {
  // Rows are in the order of their times.
  const start = now + 1
  for (const second of Array(7).keys()) {
    now = start + second
    await Promise.all([...Array(30).keys()].map((n) => buy(server, `before-${second}-${n}`)))
  }
  const earlierIds = (await rowsOf(server)).map(({ _id }) => String(_id)).reverse()
  const seen: string[] = []
  let query: string | undefined = '?limit=25'
  let pages = 0
  while (query !== undefined) {
    // Some with the time of rows that are not read yet, as if written by a process whose clock is behind.
    if (pages % 2) now -= 1
    const reading: Promise<TestReply> = server.request('GET', `/admin/audit-log${query}`)
    await Promise.all([reading, ...[1, 2, 3].map((n) => buy(server, `during-${pages}-${n}`))])
    const page = await reading
    now = start + 6
    pages += 1
    seen.push(...page.body.map(({ id }: { id: string }) => id))
    const link: string | null = page.headers.get('link')
    query = link ? /^<(\?[^>]+)>; rel="next"$/.exec(link)![1] : undefined
    if (query) t.equal(new URLSearchParams(query).get('cursor'), seen.at(-1), 'the cursor is the last id')
  }
  t.equal(new Set(seen).size, seen.length)
  t.same(
    seen.filter((id) => earlierIds.includes(id)),
    earlierIds.filter((id) => seen.includes(id)),
    'in order',
  )
  t.same(
    earlierIds.filter((id) => !seen.includes(id)),
    [],
  )

  const { body } = await server.request('GET', '/admin/audit-log?limit=5000')
  t.ok(body.length === 200, 'at most 200')
  t.equal(
    (await server.request('GET', '/admin/audit-log?cursor=99999')).body.length,
    100,
    'any place will do',
  )
  t.same((await server.request('GET', '/admin/audit-log?cursor=1')).body, [])
})

t.test('Every filter uses an index that also has the order', { skip: onlyLong }, async (t) => {
  const server = await startShop(t)
  const rows = await logOf(server).find().toArray()
  const { hash: _, ...row } = rows[0]!
  const actors = ['ann', 'bob', 'eve', 'joe']
  const more = [...Array(3000).keys()].map((n) => ({
    ...{ ...row, hash: '', _id: n + 10, entry_id: `e${n}`, ts: START + Math.floor(n / 5) },
    ...{ actor: actors[n % 4]!, action: `a.${n % 50}`, target: n % 3 ? null : `t${n % 90}` },
  }))
  await logOf(server).insertMany(more)
  const middle = START + 300
  const sorted = await costOf(server, () => logOf(server).find().sort({ status: 1 }).toArray())
  t.ok(sorted.scans > 0 && sorted.sorts > 0, 'the database counts what must not happen')
  for (const query of [
    '',
    'actor=bob',
    'action=a.7',
    'target=t9',
    `since=${middle}`,
    `until=${middle}`,
    `since=${middle}&until=${middle + 5}`,
    'cursor=1500',
    `actor=bob&cursor=1500&until=${middle}`,
    'action=a.7&cursor=1500',
    'target=t9&cursor=1500',
  ]) {
    const cost = await costOf(server, () => server.request('GET', `/admin/audit-log?limit=10&${query}`))
    t.same(cost.scans, 0, `${query || 'no filter'}: no scan of the collection`)
    t.same(cost.sorts, 0, `${query || 'no filter'}: nothing is sorted`)
    t.ok(cost.documents <= 30, `${query || 'no filter'}: ${cost.documents} documents`)
  }
})
