import { useUpstream } from '../../plugin-api/testing/agent-bench.ts'
import { createFakeOpenAI } from '../../plugin-api/testing/fake-openai.ts'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import t from '../run/file-test.ts'
import { onlyLong } from '../run/tier.ts'
import { chatUrl, connectChat } from '../support/chat.ts'
import { spawnCommand, spawnServer } from '../support/kernel.ts'
import { ADMIN, createHome } from '../support/server.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'
import { callsTo, createKnowledgeCalls } from './knowledge-calls.ts'

const toUrl = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`

/** Finds no package of LanceDB, as if npm had left it out. */
const NOT_INSTALLED = `import { register } from 'node:module'
register(${JSON.stringify(
  toUrl(`export async function resolve(specifier, context, next) {
    if (specifier !== '@lancedb/lancedb') return next(specifier, context)
    throw Object.assign(new Error("Cannot find package '@lancedb/lancedb'"), { code: 'ERR_MODULE_NOT_FOUND' })
  }`),
)})`

/** Refuses the native part of LanceDB, as on a platform for which it was not built. */
const NOT_BUILT = `const load = process.dlopen
process.dlopen = (module, file, ...flags) => {
  if (!file.includes('lancedb')) return load.call(process, module, file, ...flags)
  throw Object.assign(new Error(file + ': invalid ELF header'), { code: 'ERR_DLOPEN_FAILED' })
}`

const STATES = [
  ['is not installed', NOT_INSTALLED, /Cannot find package '@lancedb\/lancedb'/],
  ['does not run on this platform', NOT_BUILT, /invalid ELF header|native binding/],
] as const

for (const [state, preload, reason] of STATES)
  t.test(`If LanceDB ${state}, svc doctor says so`, async (t) => {
    const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
    const doctor = await spawnCommand(home, ['doctor'], { nodeArgs: ['--import', toUrl(preload)] })
    t.equal(doctor.code, 1)
    t.match(doctor.stdout, /FAIL +knowledge index +LanceDB cannot be used: /)
    t.match(doctor.stdout, reason)
  })

// A server finds out that it was not built in the same way as that its index cannot be opened, see knowledge.test.ts.
for (const [index, [state, preload]] of STATES.entries())
  t.test(
    `If LanceDB ${state}, the server starts, says so, and everything else works`,
    { skip: index > 0 && onlyLong },
    async (t) => {
      const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
      const nodeArgs = ['--import', toUrl(preload)]
      const env = { SVC_ADMIN_PASSWORD: ADMIN.password, SVC_LOG_LEVEL: 'warn' }
      const { url, output } = await spawnServer(t, home, [], { env, nodeArgs })
      const login = await callsTo(url, '').request('POST', '/auth/login', { body: ADMIN })
      const server = {
        admin: { ...ADMIN, token: login.body.access_token as string },
        ...callsTo(url, login.body.access_token),
      }
      const health = async () => (await server.request('GET', '/health')).body

      const isKnownAtOnce = preload === NOT_INSTALLED
      t.match(await health(), {
        status: isKnownAtOnce ? 'degraded' : 'ok',
        plugins: { knowledge: isKnownAtOnce ? 'failed' : 'ok', chat: 'ok', agents: 'ok' },
      })
      const { create, list, request, search, upload } = createKnowledgeCalls(server)
      const id = await create('Waiting')
      t.equal((await upload(id, [['a.txt', 'Magpies collect spoons.']])).status, 202)
      const document = await eventually('the reason', async () => {
        const [row] = await list(id)
        return row.error && row
      })
      t.match(document, {
        status: 'queued',
        error: { code: 'KNOWLEDGE_INDEX_UNAVAILABLE', message: /index of knowledge bases is not available/ },
      })
      t.match(await request('POST', '/search', { query: 'magpies' }), {
        status: 503,
        body: { error: { code: 'KNOWLEDGE_INDEX_UNAVAILABLE', message: /not available on this server/ } },
      })
      t.match(await health(), { status: 'degraded', plugins: { knowledge: 'failed', chat: 'ok' } })
      t.match(
        output().stderr + output().stdout,
        /the index of knowledge bases is unavailable: documents wait/,
      )
      const upstream = await createFakeOpenAI()
      t.teardown(() => upstream.close())
      const called = {
        request: (method: string, path: string, body?: unknown) => server.request(method, path, { body }),
      }
      await useUpstream(called as never, upstream.url)
      const { body: agents } = await server.request('GET', '/agents')
      const chat = await connectChat(t, chatUrl(url, agents[0].id, server.admin.token))
      t.match((await chat.ask({ text: 'Hello' })).end, { type: 'done' })

      t.equal((await request('DELETE', `/${id}/documents/${document.id}`)).status, 204)
      t.equal((await request('DELETE', `/${id}`)).status, 204, 'what waits can be deleted')
      t.strictSame(await search('magpies'), [], 'without a base, nothing is asked')
    },
  )
