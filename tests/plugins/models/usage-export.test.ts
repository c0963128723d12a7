import type { UsageDocument } from '../../../plugins/models/usage/types.ts'
import t from '../../run/file-test.ts'
import { startServer } from '../../support/server.ts'

const DAY = 86_400
const START = Date.parse('2026-03-01T00:00:00Z') / 1000
const server = await startServer(t)
const ann = await server.createUser({ username: 'ann' })
const ben = await server.createUser({ username: 'ben' })
const { body: agents } = await server.request('GET', '/agents', { token: ann.token })
await server.call('PATCH', `/agents/${agents[0].id}`, { name: '=SUM(A1:A9),"x"' }, ann.token)
const groups: { id: string }[] = []
for (const name of ['-sales', 'Büro']) groups.push(await server.call('POST', '/groups', { name }))
for (const { id } of groups) await server.call('PUT', `/groups/${id}/members/ann`)

const calls: [user_id: string, day: number, tokens: number, cost: number | null][] = [
  [ann.id, 0, 100, 0.000000001],
  [ann.id, 0, 50, null],
  [ann.id, 2, 10, 0.25],
  [ben.id, 2, 1000, 0.5],
]
await server.db.collection<UsageDocument>('usage').insertMany(
  calls.map(([user_id, day, tokens, cost], n) => ({
    _id: `call-${n}`,
    user_id,
    agent_id: user_id === ann.id ? agents[0].id : 'gone',
    thread_id: null,
    model: 'shop:m',
    provider: 'shop',
    purpose: 'turn',
    input_tokens: tokens,
    output_tokens: 0,
    total_tokens: tokens,
    ...(cost !== null && { cost_billionths: cost * 1e9, currency: 'USD' }),
    is_estimated: false,
    ts: START + day * DAY,
    day: new Date((START + day * DAY) * 1000).toISOString().slice(0, 10),
  })),
)
const get = (query: string, token?: string) =>
  server.request('GET', `/usage/export?${query}`, { ...(token && { token }) })
const read = async (query: string, token?: string) => (await get(`format=json&${query}`, token)).body

t.test('Sums are exported by day, model, agent, account and group', async (t) => {
  t.match(await read('by=day'), [
    { key: '2026-03-01', name: null, calls: 2, total_tokens: 150, cost: 0.000000001, unpriced_calls: 1 },
    { key: '2026-03-03', calls: 2, total_tokens: 1010, cost: 0.75, currency: 'USD', unpriced_calls: 0 },
  ])
  t.match(await read('by=model'), [{ key: 'shop:m', calls: 4, cost: 0.750000001 }])
  const byName = (rows: { name: string | null }[]) => rows.map(({ name }) => name).sort()
  t.strictSame(byName(await read('by=user')), ['ann', 'ben'])
  t.strictSame(byName(await read('by=agent')), ['=SUM(A1:A9),"x"', null])
  const rows = await read('by=group')
  const inGroup = (name: string | null) => rows.find((row: { name: string | null }) => row.name === name)
  t.match(inGroup('-sales'), { calls: 3, cost: 0.250000001 })
  t.match(inGroup('Büro'), { calls: 3 }, 'a member of two groups counts in both')
  t.ok(
    rows.some(({ calls }: { calls: number }) => calls === 4 || calls === 1),
    'and the other member once',
  )
})

t.test('Everybody gets their own usage, and administrators that of others', async (t) => {
  t.match(await read('by=user', ben.token), [{ name: 'ben', calls: 1 }])
  t.match(await read('by=user&username=BEN', ben.token), [{ name: 'ben' }])
  t.match(await get('username=ann', ben.token), { status: 403 })
  t.match(await read('by=user&username=ann'), [{ name: 'ann', calls: 3 }])
  t.match(await get('username=nobody'), { status: 404 })
  t.strictSame(await read('by=day&username=admin'), [])
})

t.test('A span is named by Unix seconds or by dates', async (t) => {
  const countOf = async (query: string) =>
    (await read(query)).reduce((sum: number, { calls }: { calls: number }) => sum + calls, 0)
  t.equal(await countOf(`from=${START + 1}`), 2)
  t.equal(await countOf(`to=${START}`), 0)
  t.equal(await countOf('from=2026-03-01&to=2026-03-01'), 2, 'a date at the end includes its day')
  t.equal(await countOf('from=2026-03-03T00:00:00Z&to=2026-03-03T00:00:01%2B00:00'), 2)
  for (const query of ['from=yesterday', 'to=2026-13-45', 'by=hour', 'format=xml'])
    t.match(await get(query), { status: 422 })
})

t.test('A spreadsheet reads the file, and runs nothing in it', async (t) => {
  const reply = await fetch(`${server.url}/api/usage/export?by=agent`, {
    headers: { authorization: `Bearer ${server.admin.token}` },
  })
  t.equal(reply.headers.get('content-type'), 'text/csv; charset=utf-8')
  t.equal(reply.headers.get('content-disposition'), 'attachment; filename="usage-by-agent.csv"')
  const bytes = Buffer.from(await reply.arrayBuffer())
  t.strictSame([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf])
  const lines = bytes.toString('utf8').split('\r\n')
  t.match(lines[0], /^.key,name,calls,/)
  t.ok(lines.some((line) => line.includes(`,"'=SUM(A1:A9),""x""",3,`)))
  const csv = (await get('by=group')).body as unknown
  t.match(String(csv), /,'-sales,3,/)
})
