import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { removeTree } from '../../../plugin-api/toolbox/index.ts'
import t from '../../run/file-test.ts'
import { makeDeep } from '../../support/deep-folders.ts'
import { runCommand } from '../../support/kernel.ts'
import { startServer } from '../../support/server.ts'

const LONG = 'n'.repeat(200)
const server = await startServer(t)
const agents = join(server.home, 'agents')
const removed = join(agents, '.removed')
t.teardown(() => removeTree(agents))

/** Creates an agent of an account, whose workspace has folders that are too deep for a path. */
async function createDeepAgent({ name = 'deep', token }: { name?: string; token?: string } = {}) {
  const { body: agent } = await server.request('POST', '/agents', { token, body: { name } })
  const workspace = join(agents, agent.id)
  makeDeep(workspace, { name: LONG, levels: 40 })
  makeDeep(workspace, { name: 'd', levels: 600 })
  writeFileSync(Buffer.concat([Buffer.from(`${workspace}/d/`), Buffer.from([0xff])]), 'x')
  return { id: agent.id as string, path: `/agents/${agent.id}`, workspace }
}

t.test('nothing of a deep workspace is left when its agent or its account is deleted', async (t) => {
  const mine = await createDeepAgent()
  t.match(await server.request('DELETE', mine.path), { status: 204 })
  const ann = await server.createUser({ username: 'ann' })
  const theirs = await createDeepAgent({ token: ann.token })
  t.match(await server.request('DELETE', `/users/${ann.id}`), { status: 204 })
  for (const { workspace } of [mine, theirs]) t.notOk(existsSync(workspace))
  t.strictSame(readdirSync(removed), [])
})

t.test('a deep folder is listed, searched, measured, packed and deleted over HTTP', async (t) => {
  const { path, workspace } = await createDeepAgent()
  const listed = await server.request('GET', `${path}/files?recursive=true&limit=500`)
  t.equal(listed.status, 200)
  t.equal((await server.request('GET', `${path}/files/archive?path=`)).status, 200)
  const { body: users } = await server.request('GET', '/users')
  t.equal(users.length, 1)
  const far = await server.request(
    'GET',
    `${path}/files/content?path=${`${LONG}/`.repeat(20)}${'e'.repeat(70)}`,
  )
  t.match(far, { status: 409, body: { error: { code: 'FILE_UNUSABLE' } } })
  for (const name of [LONG, 'd'])
    t.match(await server.request('DELETE', `${path}/files?path=${name}&recursive=true`), { status: 204 })
  t.strictSame(readdirSync(workspace), [])
})

t.test('a removal that failed is shown by doctor, and tried again at the next start', async (t) => {
  const doctor = async () => {
    const { code, stdout } = await runCommand(server.home, ['doctor', '--json'])
    const findings: { check: string; ok: boolean; detail: string }[] = JSON.parse(stdout)
    return { code, ...findings.find(({ check }) => check === 'removed workspaces') }
  }
  t.match(await doctor(), { ok: true, detail: 'nothing is left' })
  const { path, id } = await createDeepAgent({ name: 'fixed' })
  // An attribute of ext4 and overlays that binds the superuser as well.
  const fixed = join(agents, id, 'fixed')
  mkdirSync(fixed)
  writeFileSync(join(fixed, 'file'), 'x')
  try {
    execFileSync('chattr', ['+i', fixed], { stdio: 'ignore' })
  } catch {
    return void t.pass('no file can be made immutable here')
  }
  t.match(await server.request('DELETE', path), { status: 204 })
  const [aside] = readdirSync(removed).filter((name) => !name.endsWith('.failure'))
  t.strictSame(readdirSync(join(removed, aside!)), ['fixed'], 'everything else is removed')
  t.match(await doctor(), { code: 1, ok: false, detail: /\.removed\/\w+\.[\w-]+ \(EPERM\)$/ })
  execFileSync('chattr', ['-i', join(removed, aside!, 'fixed')])
  await server.restart()
  while (readdirSync(removed).length > 0) await new Promise((resolve) => setTimeout(resolve, 20))
  t.match(await doctor(), { ok: true, detail: 'nothing is left' })
})

t.test('no path is made that is too deep or too long, and none by a move', async (t) => {
  const { body: agent } = await server.request('POST', '/agents', { body: { name: 'bounded' } })
  const path = `/agents/${agent.id}/files`
  const chain = (name: string, levels: number) => Array(levels).fill(name).join('/')
  const makeFolder = (folder: string) =>
    server.request('POST', `${path}/directories`, { body: { path: folder } })
  const move = (from: string, to: string) => server.request('POST', `${path}/move`, { body: { from, to } })
  const refusal = (
    field: string,
    rule: string,
    message = /would have more than (64 levels|2048 bytes)$/,
  ) => ({
    status: 422,
    body: { error: { code: 'VALIDATION_FAILED', details: { issues: [{ path: field, rule, message }] } } },
  })
  t.match(await makeFolder(chain('d', 64)), { status: 201 })
  t.match(await makeFolder(chain('e', 65)), refusal('/path', 'depth'))
  t.match(await makeFolder(`a/${chain(LONG, 9)}`), { status: 201 })
  t.match(await makeFolder(`b/${chain(LONG, 9)}`), { status: 201 })
  t.match(await makeFolder(chain('名'.repeat(60), 12)), refusal('/path', 'length'))
  t.match(await move('b', `a/${LONG}/${LONG}/b`), refusal('/to', 'length'))
  t.match(await move('d', 'a/d'), refusal('/to', 'depth'))
  t.match(await move('d/d', 'up'), { status: 200 })
  const body = 'text'
  const headers = { 'content-type': 'text/plain' }
  const put = (file: string) => server.request('PUT', `${path}/content?path=${file}`, { body, headers })
  t.match(await put(`${chain('f', 64)}/x`), refusal('/path', 'depth'))
  t.match(await put('x'), { status: 201 })
  t.match(await move('x', `a/${chain(LONG, 9)}/${LONG}/${LONG}`), refusal('/to', 'length'))
  t.match(await server.request('GET', `${path}?path=`), {
    body: [{ path: 'a' }, { path: 'b' }, { path: 'd' }, { path: 'up' }, { path: 'x' }],
  })

  makeDeep(join(agents, agent.id), { name: 'p', levels: 100 })
  t.match(await move('p', 'd/p'), refusal('/to', 'depth'))
  t.match(await move('p/p', 'q'), { status: 200 }, 'a tree that a program made may be moved up')
})
