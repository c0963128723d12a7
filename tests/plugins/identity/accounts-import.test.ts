import t from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { createFrozenClock } from '../../support/clock.ts'
import { startServer } from '../../support/server.ts'

const PASSWORD = 'violet umbrella 4'
const SEVEN_DAYS = 7 * 86_400

const clock = createFrozenClock()
const server = await startServer(t, {
  clock,
  config: { http: { public_url: 'https://agents.example.com/' } },
  env: { SVC_TRUST_PROXY: '1' },
})
const mia = await server.createUser({ username: 'mia', permissions: ['users'] })
await server.call('POST', '/groups', { name: 'Sales' })
const rich = await server.call('POST', '/groups', { name: 'Rich', permissions: ['sso'] })

interface Row {
  row: number
  username: string | null
  status?: number
  id?: string
  set_password_url?: string
  expires_at?: number
  error?: { code: string; message: string; details: { issues?: object[] }; request_id: string }
}

/** Sends a file as the body. */
async function send(
  content: string | Uint8Array,
  { token = server.admin.token, media_type = 'text/csv', language = 'en' } = {},
) {
  const reply = await fetch(`${server.url}/api/users/import`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': media_type, 'Accept-Language': language },
    body: new Blob([content as never]),
  })
  const body = await reply.json()
  return { status: reply.status, body, rows: body as Row[] }
}

const get = async (username: string) => (await server.request('GET', `/users/${username}`)).body
const groupsOf = async (username: string) =>
  (await get(username)).groups.map(({ name }: { name: string }) => name)
const setPassword = (token: string, more: object = { password: PASSWORD }) =>
  server.request('POST', '/auth/set-password', { token: null, body: { token, ...more } })
const validate = (token: string) =>
  server.request('POST', '/auth/set-password/validate', { token: null, body: { token } })
const tokenOf = ({ set_password_url = '' }: Row) =>
  new URLSearchParams(set_password_url.split('?')[1]).get('token')!
const refusal = (code: string, status?: number) => ({ ...(status && { status }), body: { error: { code } } })

t.test('An account is created with groups', async (t) => {
  const reply = await server.request('POST', '/users', {
    body: { username: 'ann', password: PASSWORD, groups: ['SALES', rich.id] },
  })
  t.match(reply, {
    status: 201,
    body: { groups: [{ name: 'everyone' }, { name: 'Sales' }, { name: 'Rich' }] },
  })
  const ask = (groups: string[], token?: string) =>
    server.request('POST', '/users', { token, body: { username: 'no', password: PASSWORD, groups } })
  t.match(await ask(['Sales', 'Nobody']), {
    status: 422,
    body: { error: { details: { issues: [{ path: '/groups/1', rule: 'group' }] } } },
  })
  t.match(await ask(['Rich'], mia.token), {
    status: 403,
    body: { error: { code: 'FORBIDDEN', details: { missing: ['sso'] } } },
  })
  t.equal((await ask(['Sales'], mia.token)).status, 201)
})

t.test('Each row becomes an account or is answered with its error', async (t) => {
  const file = [
    '\u{feff}Password,Groups,USERNAME,Display name,email,,',
    `${PASSWORD},Sales;${rich.id},Bob,"Bob ""the\r\nbuilder"", B.",bob@example.com,,`,
    ',,cara,=SUM(A1),,,',
    ",,dan,'=SUM(A1),,,",
    `${PASSWORD},,BOB,,,,`,
    ',,,No name,,,',
    '',
    ',,-x,,,,',
    ',,eve,,nobody,,',
    'short,,fay,,,,',
    ',Nobody,gus,,,,',
    ',,hal,,,,too much',
    ',,ann,,,,',
  ].join('\r\n')
  const { status, rows } = await send(file)
  t.equal(status, 200)
  t.strictSame(
    rows.map(({ row, username, status, error }) => [row, username, status ?? error?.code]),
    [
      [2, 'bob', 201],
      [3, 'cara', 201],
      [4, 'dan', 201],
      [5, 'bob', 'USERNAME_REPEATED'],
      [6, null, 'VALIDATION_FAILED'],
      [8, '-x', 'VALIDATION_FAILED'],
      [9, 'eve', 'VALIDATION_FAILED'],
      [10, 'fay', 'PASSWORD_TOO_WEAK'],
      [11, 'gus', 'VALIDATION_FAILED'],
      [12, 'hal', 'VALIDATION_FAILED'],
      [13, 'ann', 'USERNAME_TAKEN'],
    ],
  )
  t.match(rows[3]!.error, { message: 'This username is already in row 2 of the file.', details: { row: 2 } })
  t.match(rows[8]!.error!.details.issues, [{ path: '/groups/0', rule: 'group' }])
  t.match(rows[9]!.error!.details.issues, [{ rule: 'columns' }])
  t.match(await get('bob'), {
    display_name: 'Bob "the\r\nbuilder", B.',
    email: 'bob@example.com',
    role: 'user',
  })
  t.strictSame(await groupsOf('bob'), ['everyone', 'Sales', 'Rich'])
  t.ok(await server.login('bob', PASSWORD))
  t.equal(rows[0]!.set_password_url, undefined)
  t.match(await get('cara'), { display_name: '=SUM(A1)', has_password: false })
  t.match(
    await get('dan'),
    { display_name: '=SUM(A1)' },
    'the quote of a spreadsheet is not part of the text',
  )
  t.match(await server.request('GET', '/agents', { token: await server.login('bob', PASSWORD) }), {
    body: [{ name: 'assistant' }],
  })

  const again = await send(file, { language: 'zh' })
  t.match(
    again.rows.slice(0, 3),
    Array(3).fill({ error: { code: 'USERNAME_TAKEN', message: '该用户名已被占用。' } }),
  )
  t.notOk(again.rows.some((row) => row.status))

  const { body: log } = await server.request('GET', '/admin/audit-log?limit=200')
  const rowsFor = (action: string) => log.filter((row: { action: string }) => row.action === action)
  t.equal(rowsFor('user.import').length, 2)
  const created = rowsFor('user.create').filter(
    ({ payload }: { payload: { is_imported?: true } }) => payload.is_imported,
  )
  t.strictSame(created.map(({ target }: { target: string }) => target).sort(), ['bob', 'cara', 'dan'])
  t.notMatch(JSON.stringify(log), PASSWORD)
})

t.test('A file may come as a form, with semicolons, or with nothing in it', async (t) => {
  const form = new FormData()
  form.append('file', new Blob(['"username";"groups"\n"kim";"Sales;Rich"\nlee;\n']), 'people.csv')
  const reply = await fetch(`${server.url}/api/users/import`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${server.admin.token}` },
    body: form,
  })
  t.match(await reply.json(), [
    { username: 'kim', status: 201 },
    { username: 'lee', status: 201 },
  ])
  t.strictSame(await groupsOf('kim'), ['everyone', 'Sales', 'Rich'])
  t.match(await send('username'), { status: 200, rows: [] })
  t.match(await send('username,email\r\n\r\n , \r\n'), { status: 200, rows: [] })
  t.match((await send('username\rmac\r')).rows, [{ row: 2, username: 'mac', status: 201 }])
})

t.test('A file that cannot be read is refused as a whole', async (t) => {
  const utf16 = Buffer.from('\u{feff}username\nnobody', 'utf16le')
  const header = (details: object) => ({
    status: 422,
    body: { error: { code: 'IMPORT_HEADER_INVALID', details } },
  })
  t.match(await send(utf16), refusal('IMPORT_NOT_UTF8', 422))
  t.match(
    await send(Buffer.from('username,display_name\nzoe,Zo\xeb', 'latin1')),
    refusal('IMPORT_NOT_UTF8', 422),
  )
  t.match(await send(''), header({ missing: ['username'], unknown: [], repeated: [] }))
  t.match(await send('username\tgroups\nzoe\tSales'), header({ unknown: ['username_groups'] }))
  t.match(await send('username,Role,user name\nzoe'), header({ unknown: ['role', 'user_name'] }))
  t.match(
    await send('username,email,E-mail,Email\nzoe'),
    header({ unknown: ['e_mail'], repeated: ['email'] }),
  )
  t.match(await send('email\nzoe@example.com'), header({ missing: ['username'] }))
  t.match(await send('username,display_name\nzoe,"Zoe\nabc,A'), {
    status: 422,
    body: { error: { code: 'IMPORT_DAMAGED', details: { row: 2 } } },
  })
  t.match(await send(`username\n${'x\n'.repeat(5001)}`), refusal('IMPORT_TOO_LONG', 413))
  t.match(await send('x'.repeat(2 * 1024 * 1024 + 1)), refusal('BODY_TOO_LARGE', 413))
  t.match(await send('{}', { media_type: 'application/json' }), refusal('UNSUPPORTED_MEDIA_TYPE', 415))
  t.match(await send('username', { token: 'x' }), { status: 401 })
  const bob = await server.login('bob', PASSWORD)
  t.match(await send('username\nzoe', { token: bob }), refusal('FORBIDDEN', 403))
  t.equal((await server.request('GET', '/users/zoe')).status, 404)
})

t.test('Callers grant only what they hold', async (t) => {
  const { rows } = await send('username,groups\nned,Rich\noda,Sales', { token: mia.token })
  t.match(rows, [
    { username: 'ned', error: { code: 'FORBIDDEN', details: { missing: ['sso'] } } },
    { username: 'oda', status: 201 },
  ])
})

t.test('Many rows are imported one after another, those with passwords as well', async (t) => {
  const count = amount({ short: 40, long: 5000 })
  const lines = Array.from({ length: count }, (_, index) =>
    index < 20 ? `crowd${index},${PASSWORD} ${index}` : `crowd${index},`,
  )
  const { rows } = await send(`username,password\n${lines.join('\n')}`)
  t.equal(rows.length, count)
  t.ok(rows.every(({ status, row }, index) => status === 201 && row === index + 2))
  t.ok(rows.every(({ set_password_url }, index) => (set_password_url === undefined) === index < 20))
  t.ok(await server.login('crowd19', `${PASSWORD} 19`))
  const { headers } = await server.request('GET', '/users?q=crowd&limit=1')
  t.equal(headers.get('x-total-count'), String(count))
})

t.test('A link sets the first password of its account, once', async (t) => {
  const { rows } = await send('username,display_name\npat,Pat\nquin,\nrob,\nsam,\ntom,')
  const [pat, quin, rob, sam, tom] = rows as [Row, Row, Row, Row, Row]
  t.match(pat.set_password_url, /^https:\/\/agents\.example\.com\/set-password\?token=/)
  t.equal(pat.expires_at, clock.seconds() + SEVEN_DAYS)
  const token = tokenOf(pat)
  const stored = await server.db.collection('password_links').find().toArray()
  t.notMatch(JSON.stringify(stored), token)
  t.match(await validate(token), {
    status: 200,
    body: { username: 'pat', display_name: 'Pat', expires_at: pat.expires_at },
  })
  t.match(await setPassword(token, { password: 'short' }), refusal('PASSWORD_TOO_WEAK', 400))
  const replies = await Promise.all(Array.from({ length: 5 }, () => setPassword(token)))
  t.strictSame(replies.map(({ status }) => status).sort(), [200, 410, 410, 410, 410])
  const { body } = replies.find(({ status }) => status === 200)!
  t.match(body, { token_type: 'Bearer', user: { username: 'pat' } })
  t.equal((await server.request('GET', '/auth/me', { token: body.access_token })).status, 200)
  t.ok(await server.login('pat', PASSWORD))
  for (const ask of [validate, setPassword]) t.match(await ask(token), refusal('PASSWORD_LINK_INVALID', 410))

  await server.call('POST', '/users/quin/reset-password', { new_password: PASSWORD })
  t.match(await setPassword(tokenOf(quin)), refusal('PASSWORD_LINK_INVALID', 410), 'another password was set')
  await server.call('PATCH', '/users/rob', { enabled: false })
  t.match(await setPassword(tokenOf(rob)), refusal('PASSWORD_LINK_INVALID', 410), 'the account is disabled')
  await server.call('DELETE', '/users/sam')
  t.match(await validate(tokenOf(sam)), refusal('PASSWORD_LINK_INVALID', 410))
  t.equal(await server.db.collection('password_links').countDocuments({ user_id: sam.id! }), 0)
  clock.advance(SEVEN_DAYS - 1)
  t.equal((await validate(tokenOf(tom))).status, 200)
  clock.advance(1)
  t.match(await setPassword(tokenOf(tom)), refusal('PASSWORD_LINK_INVALID', 410), 'the link has expired')
})

t.test('Guesses of links are limited for each address', async (t) => {
  const guess = () =>
    server.request('POST', '/auth/set-password/validate', {
      token: null,
      body: { token: 'guess' },
      headers: { 'x-forwarded-for': '198.18.0.1' },
    })
  const statuses = new Set<number>()
  for (let count = 0; count <= 300; count += 1) statuses.add((await guess()).status)
  t.strictSame([...statuses], [410, 429])
})
