import t from '../../run/file-test.ts'
import { startServer } from '../../support/server.ts'
import { readEvents } from '../../support/sse.ts'

const server = await startServer(t)
const ann = await server.createUser({ username: 'ann' })
const ben = await server.createUser({ username: 'ben' })
const cleo = await server.createUser({ username: 'cleo' })
const { body: group } = await server.request('POST', '/groups', { body: { name: 'Team' } })

const call = (method: string, path: string, token: string, body?: unknown) =>
  server.request(method, `/prompts${path}`, { token, body })
const save = async (name: string): Promise<string> =>
  (await call('POST', '', ann.token, { name, text: 'Hello {{name}}' })).body.id
const share = (id: string, grants: object[], token = ann.token) => call('PUT', `/${id}/grants`, token, grants)
const join = (username: string) => server.request('PUT', `/groups/${group.id}/members/${username}`)
const leave = (username: string) => server.request('DELETE', `/groups/${group.id}/members/${username}`)
const isListed = async (id: string, token: string) =>
  (await call('GET', '?limit=200', token)).body.some((row: { id: string }) => row.id === id)

/** Returns the statuses of reading, changing, sharing and deleting a prompt. */
const statuses = async (id: string, token: string) => [
  (await call('GET', `/${id}`, token)).status,
  (await call('PATCH', `/${id}`, token, { description: 'Changed' })).status,
  (await share(id, [], token)).status,
  (await call('DELETE', `/${id}`, token)).status,
]

t.test('A prompt is shared with people and groups, to use or to edit it', async (t) => {
  const id = await save('granted')
  t.strictSame(await statuses(id, ben.token), [404, 404, 404, 404])

  await join('cleo')
  const shared = await share(id, [
    { user: 'ben', access: 'use' },
    { group: group.id, access: 'edit' },
  ])
  t.equal(shared.status, 200)
  t.strictSame(await statuses(id, ben.token), [200, 403, 403, 403])
  t.strictSame(await statuses(id, cleo.token), [200, 200, 403, 403])
  t.strictSame([await isListed(id, ben.token), await isListed(id, cleo.token)], [true, true])
  t.match((await call('GET', `/${id}`, ben.token)).body, {
    owner: 'ann',
    is_owner: false,
    can_edit: false,
    shared: false,
    description: 'Changed',
  })
  t.match((await call('GET', `/${id}`, cleo.token)).body, { is_owner: false, can_edit: true })
  t.match((await call('GET', `/${id}`, ann.token)).body, { is_owner: true, can_edit: true })
  t.match(await call('PATCH', `/${id}`, cleo.token, { shared: true }), {
    status: 403,
    body: { error: { details: { field: 'shared' } } },
  })

  await leave('cleo')
  t.strictSame(await statuses(id, cleo.token), [404, 404, 404, 404])
  await share(id, [])
  t.strictSame(await statuses(id, ben.token), [404, 404, 404, 404])
  t.notOk((await isListed(id, ben.token)) || (await isListed(id, cleo.token)))
})

t.test('`shared` is the grant to everyone', async (t) => {
  const id = await save('open')
  const grants = async () => (await call('GET', `/${id}/grants`, ann.token)).body
  await share(id, [{ user: 'cleo', access: 'edit' }])
  t.match((await call('PATCH', `/${id}`, ann.token, { shared: true })).body, { shared: true })
  t.match(await grants(), [{ user: 'cleo' }, { everyone: true, access: 'use' }])
  t.strictSame(await statuses(id, ben.token), [200, 403, 403, 403])
  t.match((await call('PATCH', `/${id}`, ann.token, { shared: false })).body, { shared: false })
  t.match(await grants(), [{ user: 'cleo', access: 'edit' }])
  t.strictSame(await statuses(id, ben.token), [404, 404, 404, 404])
  const made = await call('POST', '', ann.token, { name: 'made-open', text: 'x', shared: true })
  t.match((await call('GET', `/${made.body.id}/grants`, ann.token)).body, [{ everyone: true, access: 'use' }])
})

t.test('Names may clash between owners, also when somebody else edits', async (t) => {
  const id = await save('one')
  await save('other')
  await call('POST', '', ben.token, { name: 'taken-by-ben', text: 'x' })
  await share(id, [{ user: 'ben', access: 'edit' }])
  t.match(await call('PATCH', `/${id}`, ben.token, { name: 'taken-by-ben' }), { status: 200 })
  t.match(await call('PATCH', `/${id}`, ben.token, { name: 'other' }), {
    status: 409,
    body: { error: { code: 'PROMPT_NAME_TAKEN' } },
  })
})

t.test(
  'Administrators share and delete the prompts of others, and read only those shared with them',
  async (t) => {
    const id = await save('administered')
    const { token } = server.admin
    t.equal((await call('DELETE', `/${id}`, token)).status, 404)
    t.equal((await share(id, [{ user: 'ben', access: 'use' }], token)).status, 200)
    t.equal((await call('GET', `/${id}`, ben.token)).status, 200)
    t.strictSame(
      [
        (await call('GET', `/${id}`, token)).status,
        (await call('PATCH', `/${id}`, token, { text: 'x' })).status,
      ],
      [404, 404],
    )
    t.equal((await call('DELETE', `/${id}`, token)).status, 204)
    t.equal((await call('GET', `/${id}`, ann.token)).status, 404)
  },
)

t.test('Whoever gains, has or loses a prompt is notified of it, and nobody else', async (t) => {
  const follow = async (token: string) => {
    const reader = await readEvents(t, `${server.url}/api/events`, { token })
    await reader.until(({ type }) => type === 'reset')
    return reader
  }
  const id = await save('followed')
  const [his, hers] = [await follow(ben.token), await follow(cleo.token)]
  const seen = (reader: typeof his) => reader.events.filter(({ data }) => data.prompt_id === id).length
  const isAboutLast = (last: string) => (event: { type: string; prompt_id?: string }) =>
    event.prompt_id === last
  await share(id, [{ user: 'ben', access: 'use' }])
  await call('PATCH', `/${id}`, ann.token, { text: 'Changed' })
  await share(id, [])
  await call('PATCH', `/${id}`, ann.token, { text: 'Unseen' })
  const last = await save('last')
  await share(last, [{ everyone: true, access: 'use' }])
  await his.until(isAboutLast(last))
  await hers.until(isAboutLast(last))
  t.strictSame([seen(his), seen(hers)], [3, 0])
})
