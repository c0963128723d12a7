import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'

const WORKSPACE = 10_000
const ACCOUNT = 25_000

const chat = await startChat(t, {
  config: { limits: { workspace_bytes: WORKSPACE, account_bytes: ACCOUNT } },
})
const { fake, server } = chat
const ann = await server.createUser({ username: 'ann' })
const { token } = ann
// Files of experts must not count.
for (const { id } of (await server.request('GET', '/agents', { token })).body)
  await server.request('DELETE', `/agents/${id}`, { token })

async function createAgent(name: string) {
  const { body: agent } = await server.request('POST', '/agents', { token, body: { name } })
  const files = `/agents/${agent.id}/files`
  const workspace = join(server.home, 'agents', agent.id)
  await mkdir(workspace, { recursive: true })
  return {
    id: agent.id as string,
    workspace,
    put: (path: string, size: number) =>
      server.request('PUT', `${files}/content?path=${path}`, { token, body: 'x'.repeat(size) }),
    remove: (path: string) => server.request('DELETE', `${files}?path=${path}&recursive=true`, { token }),
    upload(size: number) {
      const body = new FormData()
      body.append('file', new Blob(['x'.repeat(size)]), 'sent.txt')
      return server.request('POST', `/agents/${agent.id}/upload`, { token, body })
    },
    /** Returns the result of a tool call in a turn. */
    async use(name: string, args: object) {
      const socket = await chat.connect({ token, agent_id: agent.id })
      fake.next({ toolCalls: [{ id: 'call_1', name, arguments: args }] }, { text: 'done' })
      const { frames } = await socket.ask({ text: 'go' })
      socket.close()
      const { output, is_error } = frames.find(({ type }) => type === 'tool_result')!
      return { output, is_error }
    },
  }
}

const full = (limit: 'workspace_bytes' | 'account_bytes') => ({
  status: 409,
  body: {
    error: {
      code: 'LIMIT_REACHED',
      details: { limit, max: limit === 'workspace_bytes' ? WORKSPACE : ACCOUNT },
    },
  },
})
const usedBytes = async () => (await server.request('GET', '/auth/me', { token })).body.limits.account_bytes

t.test('A workspace does not exceed its limit, however files are written', async (t) => {
  const { put, remove, upload, use, workspace } = await createAgent('one')
  t.equal((await put('a', 6_000)).status, 201)
  t.match(await put('b', 4_001), full('workspace_bytes'))
  t.equal((await put('a', 9_000)).status, 200, 'what is replaced makes room')
  t.equal((await put('b', 1_000)).status, 201, 'to the last byte')
  t.match(await put('c', 1), full('workspace_bytes'))
  t.equal((await put('empty', 0)).status, 201)
  t.match(await upload(1), full('workspace_bytes'))
  t.match(await use('write_file', { path: 'c.txt', content: 'xy' }), {
    is_error: true,
    output: /^there is no room: the workspace may hold at most 10000 bytes; delete files first$/,
  })
  t.equal((await put('a', 8_999)).status, 200, 'a smaller file is always taken')
  t.match(await use('write_file', { path: 'c.txt', content: 'x' }), { is_error: false })
  const edit = { path: 'c.txt', old_string: 'x', new_string: 'xyz' }
  t.match(await use('edit_file', edit), { is_error: true, output: /no room/ })
  t.match(await use('edit_file', { ...edit, new_string: 'y' }), { is_error: false })

  t.equal((await remove('a')).status, 204)
  t.equal((await put('a', 8_999)).status, 201, 'what is deleted makes room')
  await rm(join(workspace, 'a'))
  // The change is noticed once the last measurement is old enough.
  let again = await upload(8_999)
  for (; again.status === 409; again = await upload(8_999))
    await new Promise((resolve) => setTimeout(resolve, 100))
  t.equal(again.status, 200, 'so does what a program has deleted')
  await remove('inbound')
  await writeFile(join(workspace, 'by-a-program'), 'x'.repeat(20_000))
  await server.request('GET', '/auth/me', { token })
  for (let n = 0; (await put(`d${n}`, 1)).status !== 409; n += 1);
  t.match(await put('d', 1), full('workspace_bytes'), 'what a program has written is noticed')
  await remove('by-a-program')

  const together = await Promise.all(Array.from({ length: 8 }, (_, n) => put(`p${n}`, 2_000)))
  const taken = together.filter(({ status }) => status === 201).length
  t.ok(taken <= 4, `${taken} of 8 writes at once fit`)
  t.match((await usedBytes()).max, ACCOUNT)
  await remove('')
})

t.test('The agents of an account share its limit', async (t) => {
  const { body: agents } = await server.request('GET', '/agents', { token })
  for (const { id } of agents) await server.request('DELETE', `/agents/${id}`, { token })
  const [two, three, four] = [await createAgent('two'), await createAgent('three'), await createAgent('four')]
  t.equal((await two.put('a', 10_000)).status, 201)
  t.equal((await three.put('a', 10_000)).status, 201)
  t.equal((await four.put('a', 5_000)).status, 201)
  t.match(await four.put('b', 1), full('account_bytes'))
  t.match(await four.use('write_file', { path: 'b', content: 'x' }), {
    is_error: true,
    output: /^there is no room: the workspaces of the agent's owner may hold at most 25000 bytes/,
  })
  t.strictSame(await usedBytes(), { used: 25_000, max: ACCOUNT })
  await server.request('DELETE', `/agents/${two.id}`, { token })
  t.equal((await four.put('b', 5_000)).status, 201, 'an agent that is deleted makes room')
  t.strictSame(await usedBytes(), { used: 20_000, max: ACCOUNT })

  await server.request('PATCH', `/agents/${four.id}`, { token, body: { is_shared: true } })
  const form = new FormData()
  form.append('file', new Blob(['x']), 'sent.txt')
  const guest = await server.createUser({ username: 'ben' })
  const sent = await server.request('POST', `/agents/${four.id}/upload`, { token: guest.token, body: form })
  t.match(sent, full('workspace_bytes'), 'a guest fills the workspace of its owner')
})
