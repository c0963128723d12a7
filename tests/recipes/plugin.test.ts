import t from '../run/file-test.ts'
import { readRecipe } from '../support/readme.ts'
import { startServer } from '../support/server.ts'

t.test('the plugin of the README works as the README says', async (t) => {
  const plugins = { hello: readRecipe('plugins/hello/index.js') }
  const server = await startServer(t, { plugins, env: { SVC_GREETING: 'Salut' } })

  const greeted = await server.request('GET', '/hello/Ada')
  t.match(greeted, { status: 200, body: { text: 'Salut, Ada! admin says so.' } })
  t.match(await server.db.collection('greetings').findOne({ name: 'Ada' }), { times: 1 })

  const missing = await server.request('GET', '/hello/nobody', { headers: { 'accept-language': 'zh' } })
  t.match(missing, { status: 404, body: { error: { code: 'NO_SUCH_PERSON', message: 'nobody 不存在。' } } })
  t.equal((await server.request('GET', '/hello/Ada', { token: null })).status, 401)

  const { body: document } = await server.request('GET', '/openapi.json')
  t.match(document.paths['/hello/{name}'].get, { summary: 'Greet somebody', tags: ['hello'] })
})
