import t from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { createHome, runCommand } from '../../support/kernel.ts'
import { startServer } from '../../support/server.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'

t.test('accounts are managed from the command line while the server runs', async (t) => {
  const server = await startServer(t)
  const svc = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(server.home, ['user', ...args])
    return { code, stdout, stderr }
  }

  const made = await svc('create', 'Ann', '--display-name', 'Ann', '--permissions', 'users')
  t.equal(made.code, 0, made.stderr)
  const [, password] = /^ann was created, password (\S+)\n$/.exec(made.stdout) ?? []
  const token = await server.login('ann', password!)
  t.match((await server.request('GET', '/auth/me', { token })).body, {
    display_name: 'Ann',
    permissions: ['users'],
  })
  t.match((await server.request('GET', '/agents', { token })).body, [{ name: 'assistant' }])

  const refusals: [args: string[], words: RegExp][] = [
    [['create', 'ann'], /taken/],
    [['create', 'ben', '--permissions', 'fly'], /not valid/],
    [['passwd', 'nobody'], /does not exist/],
    [['disable', 'admin'], /last enabled administrator/],
    [['create', '-x'], /unknown option/],
    [['create', 'a b'], /not valid/],
    [['unlock', 'nobody'], /does not exist/],
    [['disable', 'nobody'], /does not exist/],
    [['disable'], /missing required argument/],
  ]
  for (const [args, words] of refusals.slice(0, amount({ short: 4, long: 9 }))) {
    const { code, stdout, stderr } = await svc(...args)
    t.equal(code, 1, args.join(' '))
    t.equal(stdout, '')
    t.match(stderr, words)
  }

  const socket = await server.connect('/agents/assistant/chat/ws', { token })
  t.strictSame((await svc('disable', 'ann')).stdout, 'ann is disabled\n')
  t.match(await socket.closed, { code: 4401 })
  t.match(await server.request('GET', '/auth/me', { token }), { status: 403 })
  t.strictSame(JSON.parse((await svc('list', '--json')).stdout), (await server.request('GET', '/users')).body)
  t.match(
    (await svc('list')).stdout,
    /^username .*\nadmin +admin +enabled +all +everyone +-\nann +user +disabled +users +everyone +Ann\n$/,
  )
  t.match(JSON.parse((await svc('enable', 'ann', '--json')).stdout), { username: 'ann', enabled: true })
  t.equal(
    (
      await runCommand(server.home, ['user', 'passwd', 'ann', '--password-stdin'], {
        input: 'changed-secret-2\nmore\n',
      })
    ).code,
    0,
  )
  t.ok(await server.login('ann', 'changed-secret-2'))
  t.equal(
    (await runCommand(server.home, ['user', 'passwd', 'ann', '--password-stdin'], { input: 'weak' })).code,
    1,
  )
  for (let attempt = 1; attempt <= 6; attempt++)
    await server.request('POST', '/auth/login', {
      token: null,
      body: { username: 'ann', password: 'wrong-1' },
    })
  t.match((await svc('list')).stdout, /\nann +user +locked /)
  t.same(await svc('unlock', 'Ann'), { code: 0, stdout: 'ann is not locked\n', stderr: '' })
  t.ok(await server.login('ann', 'changed-secret-2'), 'a running server heeds it')
  const { id } = (await server.request('GET', '/users/ann')).body
  t.match(JSON.parse((await svc('unlock', id, '--json')).stdout), { username: 'ann', login_locked: false })
  const [row] = (await server.request('GET', '/admin/audit-log?action=user.unlock_login')).body
  t.match(row, { actor: /^os:/, target: id })
})

t.test('an account created before the first start does not replace the first administrator', async (t) => {
  const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
  t.equal((await runCommand(home, ['user', 'create', 'ann'])).code, 0)
  const server = await startServer(t, { home })
  t.equal((await server.request('GET', '/users')).body.length, 2)
})

t.test('an administrator can be created before the first start of the server', async (t) => {
  const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
  const { code, stdout } = await runCommand(home, ['user', 'create', 'root', '--admin', '--json'])
  t.equal(code, 0)
  const { password, ...row } = JSON.parse(stdout)
  t.match(row, { username: 'root', role: 'admin', has_password: true })
  const server = await startServer(t, { home, signIn: false })
  t.ok(await server.login('root', password))
  t.strictSame(
    server.server.announcements.filter(({ label }) => label === 'administrator'),
    [],
  )
})
