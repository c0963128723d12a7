import { EventEmitter, once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { runProgram } from '../../../kernel/cli/program.ts'
import { createFakeOpenAI } from '../../../plugin-api/testing/fake-openai.ts'
import t from '../../run/file-test.ts'
import { createEnvironment, runCommand } from '../../support/kernel.ts'
import { databaseEnvironment, startServer } from '../../support/server.ts'

const KEY = 'sk-canary-0123456789'
const server = await startServer(t)
const fake = await createFakeOpenAI({ apiKey: KEY, models: ['small', 'large'] })
t.teardown(() => fake.close())
const keyFile = join(server.home, 'key')
writeFileSync(keyFile, `${KEY}\n`)

const env = databaseEnvironment(server.home)
const svc = (...args: string[]) => runCommand(server.home, args, { env })
const at = ['--kind', 'openai-compatible', '--base-url', fake.url]

/** Waits until the server, which remembers the active model for a second, has noticed a new one. */
async function becomesActive(model: string): Promise<void> {
  while ((await server.request('GET', '/models/active')).body.model !== model) await pause(50)
}

t.test('a provider is added, tested and listed', async (t) => {
  t.match(await svc('provider', 'add', 'vendor'), { code: 1, stderr: /--kind is missing: one of .*openai/ })
  t.match(await svc('provider', 'add', 'Vendor!', ...at), { code: 1, stderr: /\/name .*VALIDATION_FAILED/ })
  t.match(await svc('provider', 'add', 'vendor', ...at, '--api-key-file', '/nowhere'), {
    code: 1,
    stderr: /the key cannot be read: ENOENT/,
  })
  const added = await svc('provider', 'add', 'vendor', ...at, '--api-key-file', keyFile)
  t.match(added, { code: 0, stdout: 'vendor was added\n' })
  t.match(await svc('provider', 'test', 'vendor', '--model', 'large'), {
    code: 0,
    stdout: /^large answered in \d+ ms\n$/,
  })
  t.match(await svc('provider', 'test', 'nobody'), {
    code: 1,
    stderr: 'svc: "nobody" is not a provider of this server; run "svc provider list"\n',
  })
  const { stdout } = await svc('provider', 'list')
  t.match(stdout, /^demo +demo +- +no +enabled +demo$/m)
  t.match(stdout, /^vendor +openai-compatible +http:\S+ +yes +enabled +-$/m)
  t.notMatch(stdout + (await svc('provider', 'list', '--json')).stdout, KEY)
})

t.test('a provider becomes active only if it works', async (t) => {
  const refused = await svc('provider', 'add', 'broken', ...at, '--active')
  t.match(refused, { code: 1, stderr: /^svc: the test failed: .* \(auth\)\n$/ })
  t.notMatch((await svc('provider', 'list')).stdout, 'broken')
  t.match(
    await svc('provider', 'add', 'works', ...at, '--api-key-file', keyFile, '--model', 'large', '--active'),
    {
      code: 0,
      stdout: 'works was added, and works:large is the default model\n',
    },
  )
  await becomesActive('works:large')
  const { body } = await server.request('GET', '/providers')
  t.match(
    body.find(({ name }: { name: string }) => name === 'works'),
    { models: [], has_api_key: true },
    'the models are those that the provider lists',
  )
  const { body: log } = await server.request('GET', '/admin/audit-log?action=provider.create&limit=1')
  t.match(log, [{ target: 'works', actor: /^os:/ }])
})

t.test('svc setup asks for a provider, tests it and makes it active', async (t) => {
  t.match(await svc('setup'), { code: 1, stderr: /needs a terminal; use "svc provider add" without one/ })
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin })
  const written = new EventEmitter()
  let screen = ''
  const createOutput = () => {
    const stream = new PassThrough()
    stream.on('data', (chunk) => {
      screen += chunk
      written.emit('more')
    })
    return stream as unknown as NodeJS.WriteStream
  }
  const code = runProgram(['setup'], {
    env: createEnvironment(server.home, env),
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: createOutput(),
    stderr: createOutput(),
  })
  for (const [question, answer] of [
    ['Provider [1]: ', 'openai-compatible'],
    ['Address', fake.url],
    ['API key (leave empty if none is needed): ', KEY],
    ['Name [openai-compatible]: ', 'mine'],
    ['Model [1]: ', '2'],
  ] as const) {
    while (!screen.includes(question)) await once(written, 'more')
    stdin.write(`${answer}\r`)
  }
  t.equal(await code, 0)
  t.match(screen, /large answered in \d+ ms\. mine:large is now the default model\./)
  t.notMatch(screen, KEY)
  await becomesActive('mine:large')
})
