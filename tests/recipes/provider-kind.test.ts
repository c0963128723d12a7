import t from '../run/file-test.ts'
import { readRecipe } from '../support/readme.ts'
import { startServer } from '../support/server.ts'

t.test('the provider kind of the README answers in a chat', async (t) => {
  const source = readRecipe('plugins/parrot/index.js')
  t.ok(source.trim().split('\n').length <= 25)
  const server = await startServer(t, { plugins: { parrot: source } })
  const { body: kinds } = await server.request('GET', '/providers/kinds')
  t.ok(kinds.some(({ kind }: { kind: string }) => kind === 'parrot'))

  const provider = { name: 'polly', kind: 'parrot' }
  t.equal((await server.request('POST', '/admin/providers', { body: provider })).status, 201)
  const chosen = await server.request('PUT', '/models/active', { body: { model: 'polly:grey' } })
  t.equal(chosen.status, 200)

  const socket = await server.connect('/agents/assistant/chat/ws')
  socket.send({ type: 'user_turn', text: 'Pretty bird' })
  await socket.next('done')
  const said = socket.frames.flatMap(({ type, content }) => (type === 'content' ? [content] : [])).join('')
  t.equal(said, 'Pretty bird Pretty bird!')
})
