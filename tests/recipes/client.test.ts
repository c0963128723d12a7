import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '#client'
import { createFakeOpenAI } from '../../plugin-api/testing/fake-openai.ts'
import t, { type Test } from '../run/file-test.ts'
import { createHold, MODEL, PROVIDER, range } from '../support/chat.ts'
import { createEnvironment } from '../support/kernel.ts'
import { ROOT } from '../support/packed.ts'
import { readRecipe } from '../support/readme.ts'
import { startRelay } from '../support/relay.ts'
import { ADMIN, createHome } from '../support/server.ts'
import { type ServiceProcess, spawnService } from '../support/service-process.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

/** Runs the program in a folder of its own; `until` waits for a text in its output. */
function runProgram(t: Test, args: string[], env: NodeJS.ProcessEnv) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-recipe-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(ROOT, join(folder, 'node_modules/agent-platform-service'))
  writeFileSync(join(folder, 'client.mjs'), readRecipe('client.mjs', 'README.md'))
  const program = spawn(process.execPath, ['client.mjs', ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
  })
  t.teardown(() => program.kill('SIGKILL'))
  const exited = once(program, 'exit')
  let output = ''
  let errors = ''
  program.stdout.on('data', (text) => {
    output += text
  })
  program.stderr.on('data', (text) => {
    errors += text
  })
  return {
    async until(text: string) {
      while (!output.includes(text)) {
        await Promise.race([once(program.stdout, 'data'), exited])
        if (program.exitCode !== null) throw new Error(`the program ended: ${output} ${errors}`)
      }
    },
    async end() {
      const [code] = await exited
      return { code, output, errors }
    },
  }
}

t.test('the program of the README chats on while its server is killed and restarted', async (t) => {
  const fake = await createFakeOpenAI()
  t.teardown(() => fake.close())
  const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
  let service: ServiceProcess = await spawnService(t, home)
  const relay = await startRelay(t, () => service.url)
  const client = createClient({
    baseUrl: relay.url,
    getToken: async () => (await client.POST('/auth/login', { body: ADMIN })).data!.access_token,
  })
  await client.POST('/admin/providers', { body: { ...PROVIDER, base_url: fake.url } as never })
  await client.PUT('/models/active', { body: { model: MODEL } })
  const { data: login } = await client.POST('/auth/login', { body: ADMIN })
  const env = createEnvironment(home, { SVC_URL: relay.url, TOKEN: login!.access_token })

  const [never, graceful] = [createHold(), createHold()]
  fake.next({ text: ['one ', 'lost'], hold: never.hold, holdAfter: 1 }, { text: ['two ', 'three '] })
  const program = runProgram(t, ['Count.', 'Go further.', 'To the end.'], env)
  await program.until('one ')
  const { data: threads } = await client.GET('/agents/{id}/threads', {
    params: { path: { id: 'assistant' } },
  })
  const { thread_id } = threads![0]!
  const chat = client.chat('assistant')
  t.teardown(chat.close)
  const seqs: number[] = []
  const watching = (async () => {
    let ended = 0
    for await (const frame of chat.subscribe(thread_id, { after_seq: 0 })) {
      if (!('seq' in frame)) continue
      seqs.push(frame.seq!)
      if (frame.type === 'done' && ++ended === 3) return
    }
  })()

  fake.next({ text: ['four ', 'five '], hold: graceful.hold, holdAfter: 1 }, { text: ['six'] })
  await service.kill('SIGKILL')
  service = await spawnService(t, home)
  await program.until('four ')
  const stopped = service.kill('SIGTERM')
  graceful.release()
  await stopped
  service = await spawnService(t, home)
  t.strictSame(await program.end(), { code: 0, output: 'one two three four five six', errors: '' })
  await watching
  t.strictSame(seqs, range(1, seqs.length))
  never.release()
})
