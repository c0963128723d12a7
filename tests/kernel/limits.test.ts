import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readBlueprint } from '../../kernel/loading/blueprint.ts'
import { kernelLimits, type LimitSpec } from '../../kernel/security/limits.ts'
import t from '../run/file-test.ts'
import { createHome, pluginSource, routeSource, runCommand, startKernel } from '../support/kernel.ts'
import { installPlugin } from '../support/server.ts'
import { connectSocket } from '../support/socket.ts'

const shop = pluginSource(
  'shop',
  `
  const made = new Map()
  host.limit('agents', async (cradle, account_id) => made.get(account_id) ?? 0)
  host.guard('account', {
    async check({ headers, ip }, { limits }) {
      const id = headers.account
      if (id === undefined) {
        await limits.admitAddress(headers.address ?? ip)
        throw host.error('NO_ACCOUNT')
      }
      await limits.admitAccount(id)
      return { caller: { id, username: id } }
    },
  })
  const make = async (id, isRefused) => {
    await new Promise(setImmediate)
    if (isRefused) throw host.error('NO_ACCOUNT')
    made.set(id, (made.get(id) ?? 0) + 1)
    return { made: made.get(id) }
  }
  const account = "guard: 'account', response: { 200: {} }"
  host.routes([
    ${routeSource('/open', "'open'")},
    { method: 'GET', path: '/make', summary: 's', guard: 'account', response: { 200: {} },
      handler: ({ caller, headers }, { limits }) =>
        limits.within('agents', caller.id, () => make(caller.id, headers.refused !== undefined)) },
    { method: 'POST', path: '/lose', summary: 's', guard: 'account', response: { 200: {} }, audit: { none: 'test' },
      handler: ({ caller }) => ({ left: made.delete(caller.id) }) },
    { method: 'GET', path: '/limits', summary: 's', guard: 'account', response: { 200: {} },
      handler: ({ caller }, { limits }) => limits.describe(caller.id) },
    { method: 'GET', path: '/news', summary: 's', guard: 'account', stream: 'events', response: { 200: {} },
      async *handler({ signal }) {
        yield { event: 'news', data: 1 }
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      } },
  ])
  host.socket({ path: '/ws', summary: 's', guard: 'account', receive: {}, send: {}, handler: () => ({ message() {} }) })`,
  `errors: { NO_ACCOUNT: { status: 401, message: { en: 'No account.', zh: '没有账号。' } } },
   limits: {
     agents: { default: 7, description: 'Agents of a shop' },
     apples: { default: '3kb', description: 'Apples of an account' },
   },`,
)

const limits = {
  agents: 3,
  sockets: 2,
  requests_per_minute: 1,
  requests_burst: 30,
  frames_per_second: 1,
  frames_burst: 10,
  workspace_bytes: '2kb',
}

t.test('a server with limits', async (t) => {
  const server = await startKernel(t, { plugins: { shop }, config: { limits } })
  const get = (path: string, headers: Record<string, string>) => server.request('GET', path, { headers })
  const account = (name: string) => ({ account: name })

  t.test('an account creates no more than its limit allows, even in parallel', async (t) => {
    const replies = await Promise.all(Array.from({ length: 8 }, () => get('/make', account('ann'))))
    t.strictSame(replies.map(({ status }) => status).sort(), [200, 200, 200, 409, 409, 409, 409, 409])
    t.match(replies.find(({ status }) => status === 409)!.body.error, {
      code: 'LIMIT_REACHED',
      message: 'The limit "agents" of 3 has been reached.',
      details: { limit: 'agents', max: 3 },
    })
    t.equal((await get('/make', account('bob'))).status, 200, 'limits count for each account separately')
  })

  t.test('a failed creation does not count', async (t) => {
    const refused = { ...account('cy'), refused: 'yes' }
    const replies = await Promise.all(
      [refused, refused, account('cy')].map((headers) => get('/make', headers)),
    )
    t.strictSame(
      replies.map(({ status }) => status),
      [401, 401, 200],
    )
    t.equal(replies[2]!.body.made, 1)
  })

  t.test('an account can read its limits and its usage', async (t) => {
    const { body } = await get('/limits', account('ann'))
    t.match(body, {
      agents: { used: 3, max: 3 },
      sockets: { used: 0, max: 2 },
      threads: { used: null, max: 10_000 },
      workspace_bytes: { used: null, max: 2048 },
      account_bytes: { used: null, max: 5 * 1024 ** 3 },
      apples: { used: null, max: 3072 },
    })
  })

  t.test('the usage is that after every creation and every request that changes something', async (t) => {
    const used = async () => (await get('/limits', account('hal'))).body.agents.used
    t.equal(await used(), 0)
    await get('/make', account('hal'))
    t.equal(await used(), 1)
    await server.request('POST', '/lose', { headers: account('hal') })
    t.equal(await used(), 0)
  })

  t.test('open sockets and event streams count together', async (t) => {
    const open = () => connectSocket(t, `${server.url.replace('http', 'ws')}/api/ws`, [], account('dee'))
    const first = await open()
    const news = await fetch(`${server.url}/api/news`, { headers: account('dee') })
    t.equal(news.status, 200)
    await t.rejects(open(), { status: 409, body: { error: { code: 'LIMIT_REACHED' } } } as never)
    t.match(await get('/news', account('dee')), { status: 409, body: { error: { details: { max: 2 } } } })
    t.match((await get('/limits', account('dee'))).body.sockets, { used: 2 })
    first.close()
    await news.body!.cancel()
    const { contexts } = server.server.runtime.sockets
    while (contexts().length > 0) await new Promise((resolve) => setTimeout(resolve, 10))
    t.match((await get('/limits', account('dee'))).body.sockets, { used: 0 })
  })

  t.test('requests beyond the rate are refused with the time to wait', async (t) => {
    const replies = await Promise.all(Array.from({ length: 32 }, () => get('/limits', account('eve'))))
    t.equal(replies.filter(({ status }) => status === 200).length, 30)
    const refused = replies.find(({ status }) => status === 429)
    t.match(refused, {
      body: { error: { code: 'RATE_LIMITED', details: { retry_after_seconds: Number } } },
    })
    t.match(refused!.headers.get('retry-after'), /^\d+$/)
    await t.rejects(connectSocket(t, `${server.url.replace('http', 'ws')}/api/ws`, [], account('eve')), {
      status: 429,
      headers: { 'retry-after': /^\d+$/ },
    } as never)
    t.equal((await get('/limits', account('fay'))).status, 200, 'another account')
  })

  t.test('excessive frames count against the request rate of their account', async (t) => {
    const socket = await connectSocket(t, `${server.url.replace('http', 'ws')}/api/ws`, [], account('gus'))
    for (let n = 0; n < 15; n += 1) socket.send({})
    t.match(await socket.closed, { code: 1008, reason: 'too many frames' })
    const replies = await Promise.all(Array.from({ length: 21 }, () => get('/limits', account('gus'))))
    t.equal(replies.filter(({ status }) => status === 200).length, 30 - 1 - 10)
  })

  t.test('requests without a session are limited by network, except for health checks', async (t) => {
    const knock = async (address: string) => (await get('/make', { address })).status
    const all = async (address: string) => {
      const statuses = await Promise.all(Array.from({ length: 32 }, () => knock(address)))
      return [...new Set(statuses)]
    }
    t.strictSame(await all('2001:db8:1:2::1'), [401, 429])
    t.strictSame(await knock('2001:db8:1:2:ffff::2'), 429, 'an address of the same network')
    t.strictSame(await knock('2001:db8:1:2:3:4:5:6'), 429, 'another address of that network')
    t.strictSame(await knock('2001:db8:1:3::1'), 401)
    t.strictSame(await all('::ffff:192.0.2.7'), [401, 429])
    t.strictSame(await knock('192.0.2.7'), 429, 'the same address in another notation')
    t.strictSame(await knock('fe80::1%eth0'), 401)
    const open = await Promise.all(Array.from({ length: 32 }, () => get('/open', {})))
    t.strictSame([...new Set(open.map(({ status }) => status))], [200, 429])
    t.equal((await get('/health/live', {})).status, 200)
  })
})

t.test('invalid limits stop the start', async (t) => {
  const refusals: [object, RegExp][] = [
    [{ agents: 0 }, /limits\.agents must be >= 1/],
    [{ workspace_bytes: '12 apples' }, /limits\.workspace_bytes must match/],
    [{ agnets: 3 }, /no key "limits\.agnets"; did you mean "limits\.agents"/],
  ]
  for (const [limits, message] of refusals) {
    const { code, stderr } = await runCommand(createHome(t, { limits }), ['config'])
    t.equal(code, 1)
    t.match(stderr, message)
  }
})

t.test('the limits of a plugin that cannot be loaded do not stop the start', async (t) => {
  const home = createHome(t, { limits: { kites: 5, kite_bytes: '3mb' } })
  installPlugin(home, 'kites', 'export default {')
  const settings = await runCommand(home, ['config'])
  t.match(settings, { code: 0, stdout: /^limits\.kites +5 +config\.json/m })
  writeFileSync(join(home, 'config.json'), JSON.stringify({ limits: { kites: 5, agents: 'many' } }))
  t.match(await runCommand(home, ['config']), { code: 1, stderr: /limits\.agents must be integer/ })
  writeFileSync(join(home, 'config.json'), JSON.stringify({ limits: { kites: { many: 5 } } }))
  t.match(await runCommand(home, ['config']), { code: 1, stderr: /no key "limits\.kites"/ })
})

t.test('docs/operators.md lists every limit with its default', async (t) => {
  const page = readFileSync(new URL('../../../docs/operators.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `limits\.(\w+)` \| (\w+) \| (.+) \|$/gm)].map(([, ...row]) => row)
  const { plugins } = await readBlueprint({ home: createHome(t), env: {} })
  const limits: Record<string, LimitSpec> = Object.assign(
    {},
    kernelLimits,
    ...plugins.map(({ plugin }) => plugin.limits),
  )
  t.strictSame(
    rows.sort(),
    Object.entries(limits)
      .map(([name, { default: value, description }]) => [name, String(value), description])
      .sort(),
  )
})

t.test('a plugin counts only the limits of its manifest, and only one plugin declares a limit', async (t) => {
  const required = (name: string) => ({ plugins: { [name]: { required: true } } })
  const counting = (name: string, limit: string) =>
    pluginSource(
      name,
      `host.limit('${limit}', () => 0)`,
      `limits: { ${limit}: { default: 2, description: 'Those of an account' } },`,
    )
  await t.rejects(
    startKernel(t, {
      plugins: { a: pluginSource('a', "host.limit('apples', () => 0)") },
      config: required('a'),
    }),
    /plugin "a" counts the limit "apples", which its manifest does not name/,
  )
  await t.rejects(
    startKernel(t, {
      plugins: { a: counting('a', 'agents'), b: counting('b', 'agents') },
      config: required('b'),
    }),
    /limit "agents" is declared by both a and b/,
  )
  await t.rejects(
    startKernel(t, { plugins: { a: counting('a', 'sockets') }, config: required('a') }),
    /limit "sockets" is declared by both the kernel and a/,
  )
})
