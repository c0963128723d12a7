import t from '../run/file-test.ts'
import { startChat } from '../support/chat.ts'
import { createFakeOpenAI } from '../support/fake-openai.ts'

const chat = await startChat(t, { config: { plugins: { providers: { allow_hosts: ['127.0.0.1'] } } } })
const { server, fake } = chat
const ann = await server.createUser({ username: 'ann' })
const ben = await server.createUser({ username: 'ben' })

/** A provider of a user's own, with an upstream that knows its key. */
async function createProvider(token: string, api_key: string) {
  const upstream = await createFakeOpenAI()
  t.teardown(() => upstream.close())
  const models = [{ id: 'm', name: 'M' }]
  const body = { name: 'mine', kind: 'openai-compatible', base_url: upstream.url, api_key, models }
  const { status } = await server.request('POST', '/providers', { token, body })
  t.equal(status, 201)
  return upstream
}

t.test('A shared agent speaks with what its caller has, never with its owner’s key', async (t) => {
  const owners = await createProvider(ann.token, 'key-of-ann')
  const { body: agent } = await server.request('POST', '/agents', {
    token: ann.token,
    body: { name: 'helper', default_model: 'mine:m', is_shared: true },
  })
  const ask = async (token: string) => {
    const socket = await chat.connect({ agent_id: agent.id, token })
    const { end } = await socket.ask({ text: 'hello' })
    socket.close()
    return end
  }
  t.equal((await ask(ann.token)).type, 'done')
  t.match(owners.requests.at(-1)!.headers.authorization, 'Bearer key-of-ann')
  const asked = owners.requests.length
  const active = fake.requests.length

  t.equal((await ask(ben.token)).type, 'done')
  t.equal(fake.requests.length, active + 1, 'who lacks the model gets the active one')

  const own = await createProvider(ben.token, 'key-of-ben')
  t.equal((await ask(ben.token)).type, 'done')
  t.match(
    own.requests.at(-1)!.headers.authorization,
    'Bearer key-of-ben',
    'the same name is the caller’s own',
  )
  t.equal(owners.requests.length, asked)

  const row = await server.request('GET', `/agents/${agent.id}`, { token: ben.token })
  t.match(row, { status: 200, body: { is_owner: false, owner: 'ann' } })
  t.notOk('system_prompt' in row.body || 'config' in row.body)
  t.equal(
    (await server.request('GET', `/agents/${agent.id}/tool-settings`, { token: ben.token })).status,
    403,
  )
})
