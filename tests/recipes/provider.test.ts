import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from '../run/file-test.ts'
import { createFakeOllama } from '../support/fake-ollama.ts'
import { createEnvironment } from '../support/kernel.ts'
import { readRecipe } from '../support/readme.ts'
import { ADMIN, createHome, startServer } from '../support/server.ts'

const skip = spawnSync('jq', ['--version']).status !== 0 && 'this machine has no jq'

t.test('the commands of the README add a provider, test it, and choose its model', { skip }, async (t) => {
  const server = await startServer(t)
  const ollama = await createFakeOllama({})
  t.teardown(() => ollama.close())
  const folder = createHome(t)
  mkdirSync(join(folder, '.svc'))
  writeFileSync(join(folder, '.svc', 'initial-admin-password'), `${ADMIN.password}\n`)
  const recipe = readRecipe('provider.sh')
    .replace('http://127.0.0.1:8088', server.url)
    .replace('http://127.0.0.1:11434', ollama.url)
  const { stdout } = await promisify(execFile)('sh', ['-ec', recipe], {
    env: createEnvironment(server.home, { HOME: folder }),
  })
  t.match(stdout, /^\{"ok":true,"latency_ms":\d+,"model":"[^"]+"\}/)
  t.match(stdout, /demo:demo$/m)
  t.match(stdout, /\{"model":"local:qwen3-vl:8b"\}$/)

  const socket = await server.connect('/agents/assistant/chat/ws')
  ollama.queue({ text: ['Good', ' day.'] })
  socket.send({ type: 'user_turn', text: 'Hello' })
  await socket.next('done')
  const said = socket.frames.flatMap(({ type, content }) => (type === 'content' ? [content] : [])).join('')
  t.equal(said, 'Good day.')
})
