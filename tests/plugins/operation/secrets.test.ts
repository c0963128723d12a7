import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFakeOpenAI } from '../../../plugin-api/testing/fake-openai.ts'
import t from '../../run/file-test.ts'
import { runCommand } from '../../support/kernel.ts'
import { databaseEnvironment, startServer } from '../../support/server.ts'

t.test(
  'after a rotation of the key providers keep their keys and options, and people their sessions',
  async (t) => {
    const server = await startServer(t)
    const fake = await createFakeOpenAI({ apiKey: 'sk-canary-0123456789' })
    t.teardown(() => fake.close())
    const { body: provider } = await server.request('POST', '/admin/providers', {
      body: {
        name: 'up',
        kind: 'openai-compatible',
        base_url: fake.url,
        api_key: 'sk-canary-0123456789',
        options: { headers: { 'x-gateway': 'canary-header' } },
        models: [{ id: 'm' }],
      },
    })
    const earlierKey = readFileSync(join(server.home, 'secret.key'), 'utf8')
    const command = ['admin', 'rotate-secret-key', '--wait', '0']
    const { code, stdout } = await runCommand(server.home, command, { env: databaseEnvironment(server.home) })
    t.equal(code, 0)
    t.match(
      stdout,
      /secrets encrypted with the new key: 3\./,
      'the key, the options, and the secret of the tokens',
    )
    t.not(readFileSync(join(server.home, 'secret.key'), 'utf8'), earlierKey)

    for (const step of ['with the server going on', 'and started anew']) {
      const reply = await server.request('POST', `/providers/${provider.id}/test`, { body: {} })
      t.match(reply.body, { ok: true }, step)
      t.equal(fake.requests.at(-1)!.headers['x-gateway'], 'canary-header')
      await server.restart()
    }
    const { body: log } = await server.request('GET', '/admin/audit-log?action=secret_key.rotate')
    t.match(log, [{ action: 'secret_key.rotate', actor: /^os:/ }])
  },
)
