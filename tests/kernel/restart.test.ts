import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSupervised } from '../../kernel/cli/successor.ts'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import t from '../run/file-test.ts'
import { createHome, pluginSource, spawnCommand } from '../support/kernel.ts'
import { serveHome } from '../support/served-home.ts'
import { ADMIN, installPlugin } from '../support/server.ts'

const post = (url: string, token: string) =>
  fetch(`${url}/api/admin/restart`, { method: 'POST', headers: { authorization: `Bearer ${token}` } })

const isGone = (pid: number) => {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

async function signIn(url: string): Promise<string> {
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  const { access_token } = (await response.json()) as { access_token: string }
  return access_token
}

t.test(
  'a server restarts itself at the same address, also twice, and stops with the first process',
  async (t) => {
    const home = createHome(t)
    const server = await serveHome(t, home)
    const [{ url, pid }] = server.starts as [{ url: string; pid: number }]
    const token = await signIn(url)
    const reply = await post(url, token)
    t.equal(reply.status, 202)
    t.match(await reply.json(), { started_at: Number, node_id: String })
    await server.untilStarts(2)
    t.equal(server.starts[1]!.url, url)
    t.not(server.starts[1]!.pid, pid)
    t.match(server.log(), /^Restarting\.$/m)
    const listed = await fetch(`${url}/api/admin/plugins`, { headers: { authorization: `Bearer ${token}` } })
    const rows = (await listed.json()) as { needs_restart: boolean }[]
    t.ok(rows.length > 40 && rows.every(({ needs_restart }) => !needs_restart))

    const { code, stdout, stderr } = await spawnCommand(home, ['restart'])
    t.equal(code, 0, stderr)
    t.equal(stdout, `Restarted: ${url}\n`)
    await server.untilStarts(3)
    t.equal(server.starts[2]!.url, url)
    t.ok(isGone(server.starts[1]!.pid))

    server.child.kill('SIGTERM')
    t.strictSame(await server.ended, [0, null])
    t.ok(isGone(server.starts[2]!.pid))
    t.match(await spawnCommand(home, ['restart']), { code: 1, stderr: /no server runs on/ })
  },
)

t.test('a successor ends with its predecessor', async (t) => {
  const server = await serveHome(t, createHome(t))
  const { url } = server.starts[0]!
  await post(url, await signIn(url))
  await server.untilStarts(2)
  server.child.kill('SIGKILL')
  await eventually('the end of the successor', () => isGone(server.starts[1]!.pid))
})

t.test('under a supervisor the process exits with 75', async (t) => {
  const server = await serveHome(t, createHome(t), { SVC_SUPERVISED: '1' })
  const { url } = server.starts[0]!
  t.equal((await post(url, await signIn(url))).status, 202)
  t.strictSame(await server.ended, [75, null])
})

/** Makes a home in which stops take longer than a server waits, once it has the file `clinging`. */
function createClingingHome(test: typeof t) {
  const home = createHome(test)
  const hooks = `stop: ({ server }) => existsSync(server.home + '/clinging') ? new Promise(() => setInterval(() => {}, 1000)) : undefined,`
  for (const [name, depends] of [
    ['first', '[]'],
    ['second', "['first']"],
  ] as const)
    installPlugin(
      home,
      name,
      `import { existsSync } from 'node:fs'\n${pluginSource(name, '', `depends: ${depends}, ${hooks}`)}`,
    )
  return { home, cling: () => writeFileSync(join(home, 'clinging'), '') }
}

t.test('a second signal ends a successor that does not stop', async (t) => {
  const { home, cling } = createClingingHome(t)
  const server = await serveHome(t, home)
  const { url } = server.starts[0]!
  await post(url, await signIn(url))
  await server.untilStarts(2)
  cling()
  server.child.kill('SIGTERM')
  await eventually('the stop of the successor', () => /^Stopping/m.test(server.log()))
  server.child.kill('SIGTERM')
  t.strictSame(await server.ended, [1, null])
  t.ok(isGone(server.starts[1]!.pid))
})

t.test('a restart goes on without a stop that takes too long', async (t) => {
  const { home, cling } = createClingingHome(t)
  const server = await serveHome(t, home)
  const { url } = server.starts[0]!
  cling()
  await post(url, await signIn(url))
  t.strictSame(await server.ended, [75, null])
  await server.untilStarts(2)
  const { pid } = server.starts[1]!
  t.equal(server.starts[1]!.url, url)
  process.kill(pid, 'SIGKILL')
  await eventually('the end of the successor', () => isGone(pid))
})

t.test('a supervisor is recognized by what it sets, and by the place of the process', (t) => {
  const shell = { pid: 20, ppid: 10 }
  const entry = { pid: 1, ppid: 0 }
  t.notOk(isSupervised({ INVOCATION_ID: 'x', KUBERNETES_SERVICE_HOST: 'x' }, shell), 'a shell of a service')
  t.ok(isSupervised({ SYSTEMD_EXEC_PID: '20' }, shell))
  t.ok(isSupervised({ INVOCATION_ID: 'x' }, { pid: 20, ppid: 1 }))
  t.ok(isSupervised({ KUBERNETES_SERVICE_HOST: 'x' }, entry))
  t.notOk(isSupervised({ KUBERNETES_SERVICE_HOST: 'x', SVC_SUPERVISED: 'off' }, entry))
  t.ok(isSupervised({ SVC_SUPERVISED: '1' }, shell))
  t.type(isSupervised({}, entry), 'boolean', 'a container has a file that says so')
  t.end()
})
