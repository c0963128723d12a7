import t from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { startServer } from '../../support/server.ts'
import { readEvents } from '../../support/sse.ts'

const MAX_PROMPTS = 12
const PARALLEL = amount({ short: 4, long: 12 })

const server = await startServer(t, { config: { limits: { prompts: MAX_PROMPTS } } })
const { token: ann } = await server.createUser({ username: 'ann' })
const { token: bob } = await server.createUser({ username: 'bob' })

const prompts = (method: string, path = '', body?: object, token = ann) =>
  server.request(method, `/prompts${path}`, { body, token })
const save = async (name: string, text: string, more: object = {}, token = ann): Promise<string> => {
  const { status, body } = await prompts('POST', '', { name, text, ...more }, token)
  if (status !== 201) throw new Error(`the prompt was answered ${status} ${JSON.stringify(body)}`)
  return body.id
}
const namesOf = async (query = '', token = ann) =>
  ((await prompts('GET', query, undefined, token)).body as { name: string; owner: string }[]).map(
    ({ name, owner }) => `${owner}/${name}`,
  )
const removeAll = async () => {
  for (const token of [ann, bob])
    for (const { id, is_owner } of (await prompts('GET', '', undefined, token)).body)
      if (is_owner) await prompts('DELETE', `/${id}`, undefined, token)
}
const refusal = (path: string) => ({
  status: 422,
  body: { error: { code: 'VALIDATION_FAILED', details: { issues: [{ path }] } } },
})
const NOT_FOUND = { status: 404, body: { error: { code: 'PROMPT_NOT_FOUND' } } }
const FORBIDDEN = { status: 403, body: { error: { code: 'FORBIDDEN' } } }
const TAKEN = { status: 409, body: { error: { code: 'PROMPT_NAME_TAKEN' } } }

t.afterEach(removeAll)

t.test('A prompt is saved, read, changed and deleted', async (t) => {
  const text = 'Report of {{team}} as of {{date}}, for {{team}}.'
  const { status, body } = await prompts('POST', '', { name: 'weekly-report', text })
  t.equal(status, 201)
  t.strictSame(body, {
    id: body.id,
    name: 'weekly-report',
    description: null,
    text,
    shared: false,
    variables: ['team', 'date'],
    owner: 'ann',
    is_owner: true,
    can_edit: true,
    managed_by: null,
    managed_file: null,
    created_at: body.created_at,
    updated_at: body.created_at,
  })
  t.strictSame((await prompts('GET', `/${body.id}`)).body, body)
  t.match(await prompts('PATCH', `/${body.id}`, { text: 'Nothing to fill in.', description: 'For Monday' }), {
    status: 200,
    body: { name: 'weekly-report', variables: [], description: 'For Monday' },
  })
  t.equal((await prompts('DELETE', `/${body.id}`)).status, 204)
  t.match(await prompts('GET', `/${body.id}`), NOT_FOUND)
  t.match(await prompts('PATCH', `/${body.id}`, { text: 'x' }), NOT_FOUND)
  t.match(await prompts('DELETE', `/${body.id}`), NOT_FOUND)
})

t.test('Variables are names in two pairs of braces', async (t) => {
  const cases: [text: string, variables: string[]][] = [
    ['{{b}} {{a}} {{b}}', ['b', 'a']],
    ['{{ spaced }} {{\ttabbed\t}}', ['spaced', 'tabbed']],
    ['{{主题}} {{données-2}} {{snake_case}} {{हिन्दी}}', ['主题', 'données-2', 'snake_case', 'हिन्दी']],
    ['{{}} {{ }} {{a b}} {{a.b}} {a} {{a} }} {{\na}} {{-a}}', []],
    ['{"key": {{value}}}', ['value']],
    ['{{{{inner}}}}', ['inner']],
    [`{{${'x'.repeat(32)}}} {{${'y'.repeat(33)}}}`, ['x'.repeat(32)]],
    ['{{Date}} {{date}} {{__proto__}}', ['Date', 'date', '__proto__']],
  ]
  for (const [index, [text, variables]] of cases.entries()) {
    const { body } = await prompts('POST', '', { name: `case-${index}`, text })
    t.strictSame(body.variables, variables, text)
  }
})

t.test('A text has at most 20 variables', async (t) => {
  const text = (count: number) => Array.from({ length: count }, (_, n) => `{{v${n}}}`).join()
  const id = await save('many', text(20))
  t.match(await prompts('POST', '', { name: 'more', text: text(21) }), refusal('/text'))
  t.match(await prompts('PATCH', `/${id}`, { text: text(21) }), refusal('/text'))
  t.match(await prompts('PATCH', `/${id}`, { text: `${text(20)}${text(20)}` }), { status: 200 })
})

t.test('Names are words of any language', async (t) => {
  for (const name of ['a', '周报', 'Überblick_2', '2-weeks', 'हिन्दी', 'x'.repeat(64)]) await save(name, 'x')
  for (const name of [
    '',
    '-a',
    '_a',
    'a b',
    'a/b',
    '/a',
    'a\n',
    '{{a}}',
    '😀',
    'x'.repeat(65),
    '.',
    '\ud800',
  ])
    t.match(await prompts('POST', '', { name, text: 'x' }), refusal('/name'), JSON.stringify(name))
})

t.test('A name is taken whatever its case and Unicode form', async (t) => {
  const id = await save('Café', 'x')
  for (const name of ['café', 'CAFÉ', 'Cafe\u0301', 'Ｃａｆé'])
    t.match(await prompts('POST', '', { name, text: 'x' }), TAKEN, name)
  const other = await save('other', 'x')
  t.match(await prompts('PATCH', `/${other}`, { name: 'CAFÉ' }), TAKEN)
  t.match(await prompts('PATCH', `/${id}`, { name: 'CAFÉ' }), { status: 200, body: { name: 'CAFÉ' } })
  t.match(await prompts('POST', '', { name: 'café', text: 'x' }, bob), { status: 201 })
})

t.test('Of parallel prompts of one name, one is saved', async (t) => {
  const replies = await Promise.all(
    Array.from({ length: PARALLEL }, () => prompts('POST', '', { name: 'same', text: 'x' })),
  )
  t.strictSame(replies.map(({ status }) => status).sort(), [201, ...Array(PARALLEL - 1).fill(409)])
})

t.test('A repeated request saves one prompt', async (t) => {
  const send = () =>
    server.request('POST', '/prompts', {
      body: { name: 'once', text: 'x' },
      token: ann,
      headers: { 'idempotency-key': 'once' },
    })
  const [first, second] = [await send(), await send()]
  t.equal(second.status, 201)
  t.strictSame(second.body, first.body)
})

t.test('Own prompts come first, then shared ones', async (t) => {
  await save('beta', 'x')
  await save('Alpha', 'x')
  await save('aardvark', 'x', { shared: true }, bob)
  await save('secret', 'x', {}, bob)
  await save('beta', 'x', { shared: true }, bob)
  t.strictSame(await namesOf(), ['ann/Alpha', 'ann/beta', 'bob/aardvark', 'bob/beta'])
  t.strictSame(await namesOf('?q=A'), ['ann/Alpha', 'bob/aardvark'])
  t.strictSame(await namesOf('?q=bet'), ['ann/beta', 'bob/beta'])
  t.strictSame(await namesOf('?q=.*'), [])
  t.strictSame(await namesOf('?q=beta&limit=1'), ['ann/beta'])
  t.strictSame(await namesOf('', bob), ['bob/aardvark', 'bob/beta', 'bob/secret'])
})

t.test('A shared prompt is read by everybody and changed by its owner', async (t) => {
  const id = await save('open', 'Hello {{name}}', { shared: true })
  t.match(await prompts('GET', `/${id}`, undefined, bob), {
    status: 200,
    body: { owner: 'ann', is_owner: false, variables: ['name'] },
  })
  const { admin } = server
  for (const token of [bob, admin.token])
    t.match(await prompts('PATCH', `/${id}`, { text: 'x' }, token), FORBIDDEN)
  t.match(await prompts('DELETE', `/${id}`, undefined, bob), FORBIDDEN)

  await prompts('PATCH', `/${id}`, { shared: false })
  for (const token of [bob, admin.token]) {
    t.match(await prompts('GET', `/${id}`, undefined, token), NOT_FOUND)
    t.match(await prompts('PATCH', `/${id}`, { text: 'x' }, token), NOT_FOUND)
    t.match(await prompts('DELETE', `/${id}`, undefined, token), NOT_FOUND)
  }
  await prompts('PATCH', `/${id}`, { shared: true })
  t.equal((await prompts('DELETE', `/${id}`, undefined, admin.token)).status, 204)
})

t.test('Readers are notified of shared prompts, and owners of their own', async (t) => {
  const open = async (token: string) => {
    const reader = await readEvents(t, `${server.url}/api/events`, { token })
    await reader.until(({ type }) => type === 'reset')
    return reader
  }
  const [hers, his] = [await open(ann), await open(bob)]
  const own = await save('own', 'x')
  const shared = await save('common', 'x', { shared: true })
  const isAbout = (id: string) => (event: { type: string; prompt_id?: string }) =>
    event.type === 'prompt.changed' && event.prompt_id === id
  await hers.until(isAbout(own))
  await hers.until(isAbout(shared))
  await his.until(isAbout(shared))
  t.notOk(
    his.events.some(({ data }) => data.prompt_id === own),
    'others are not notified of private ones',
  )

  await prompts('PATCH', `/${shared}`, { shared: false })
  await his.until(isAbout(await save('last', 'x', { shared: true })))
  t.equal(
    his.events.filter(({ data }) => data.prompt_id === shared).length,
    2,
    'other accounts are notified when it is gone for them',
  )
})

t.test('Texts and numbers are bounded', async (t) => {
  const refused = async (body: object, path: string) =>
    t.match(await prompts('POST', '', body), refusal(path))
  await refused({ name: 'x', text: ' \n' }, '/text')
  await refused({ name: 'x', text: 'x'.repeat(8001) }, '/text')
  await refused({ name: 'x', text: 'x', description: 'x'.repeat(501) }, '/description')
  await refused({ name: 'x', text: 'x', shared: 'yes' }, '/shared')
  await refused({ name: { $ne: null }, text: 'x' }, '/name')
  await save('hostile', '{{ '.repeat(2600))
  await save('braces', '{'.repeat(8000))
  await save('halves', 'half \ud83d and \u0000')
  t.match((await prompts('GET', '?q=halves')).body, [{ text: 'half \ufffd and \u0000' }])
  for (let n = 3; n < MAX_PROMPTS; n += 1) await save(`n-${n}`, 'x')
  t.match(await prompts('POST', '', { name: 'too-many', text: 'x' }), {
    status: 409,
    body: { error: { code: 'LIMIT_REACHED' } },
  })
})

t.test('A deleted account leaves no prompts', async (t) => {
  const { id, token } = await server.createUser({ username: 'gone' })
  const shared = await save('theirs', 'x', { shared: true }, token)
  await save('private', 'x', {}, token)
  t.ok((await namesOf()).includes('gone/theirs'))
  t.equal((await server.request('DELETE', '/users/gone')).status, 204)
  t.match(await prompts('GET', `/${shared}`), NOT_FOUND)
  t.equal(await server.db.collection('prompts').countDocuments({ user_id: id }), 0)
})
