import { useUpstream } from '../../../plugin-api/testing/agent-bench.ts'
import { createFakeOpenAI } from '../../../plugin-api/testing/fake-openai.ts'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { chatUrl, connectChat } from '../../support/chat.ts'
import { hidePackages, preload } from '../../support/hidden-packages.ts'
import { spawnCommand, spawnServer } from '../../support/kernel.ts'
import { ADMIN, createHome } from '../../support/server.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'
import { callsTo, createKnowledgeCalls } from './knowledge-calls.ts'

/** Refuses the native part of LanceDB, as on a platform for which it was not built. */
const NOT_BUILT = `const load = process.dlopen
process.dlopen = (module, file, ...flags) => {
  if (!file.includes('lancedb')) return load.call(process, module, file, ...flags)
  throw Object.assign(new Error(file + ': invalid ELF header'), { code: 'ERR_DLOPEN_FAILED' })
}`

const STATES = [
  {
    state: 'is not installed',
    nodeArgs: hidePackages('@lancedb/', 'apache-arrow'),
    reason:
      /documents wait and cannot be searched, because the optional package @lancedb\/lancedb is not installed: .*"npm install --include=optional"$/m,
    error: {
      code: 'KNOWLEDGE_NOT_INSTALLED',
      message: /need the package @lancedb\/lancedb, .* add it with "npm install --include=optional"/,
    },
    isKnownAtOnce: true,
  },
  {
    state: 'does not run on this platform',
    nodeArgs: preload(NOT_BUILT),
    reason: /LanceDB cannot be used: .*(?:invalid ELF header|native binding)/,
    error: { code: 'KNOWLEDGE_INDEX_UNAVAILABLE', message: /not available on this server/ },
    isKnownAtOnce: false,
  },
]

for (const { state, nodeArgs, reason } of STATES)
  t.test(`If LanceDB ${state}, svc doctor says so`, async (t) => {
    const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
    const doctor = await spawnCommand(home, ['doctor'], { nodeArgs })
    t.equal(doctor.code, 1)
    t.match(doctor.stdout, new RegExp(`^FAIL +knowledge index +${reason.source}`, 'm'))
  })

// A server finds out that it was not built in the same way as that its index cannot be opened, see knowledge.test.ts.
for (const { state, nodeArgs, reason, error, isKnownAtOnce } of STATES)
  t.test(
    `If LanceDB ${state}, the server starts, says so, and everything else works`,
    { skip: !isKnownAtOnce && onlyLong },
    async (t) => {
      const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
      const env = { SVC_ADMIN_PASSWORD: ADMIN.password, SVC_LOG_LEVEL: 'warn' }
      const { url, output } = await spawnServer(t, home, [], { env, nodeArgs })
      const login = await callsTo(url, '').request('POST', '/auth/login', { body: ADMIN })
      const server = {
        admin: { ...ADMIN, token: login.body.access_token as string },
        ...callsTo(url, login.body.access_token),
      }
      const health = async () => (await server.request('GET', '/health')).body

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
      t.match(document, { status: 'queued', error })
      t.match(await request('POST', '/search', { query: 'magpies' }), {
        status: 503,
        body: { error },
      })
      t.match(await health(), { status: 'degraded', plugins: { knowledge: 'failed', chat: 'ok' } })
      const lines = output()
        .stderr.split('\n')
        .filter((line) => line.startsWith('{'))
      const logged = lines.map((line) => JSON.parse(line)).map(({ msg, error }) => error?.message ?? msg)
      t.match(logged.join('\n'), reason)
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
