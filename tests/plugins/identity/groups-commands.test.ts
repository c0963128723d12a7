import t from '../../run/file-test.ts'
import { runCommand } from '../../support/kernel.ts'
import { startServer } from '../../support/server.ts'

t.test('groups are managed from the command line while the server runs', async (t) => {
  const server = await startServer(t)
  const svc = (...args: string[]) => runCommand(server.home, args)
  const me = async (token: string) => (await server.request('GET', '/auth/me', { token })).body
  const refuse = async (args: string[], words: RegExp) => {
    const { code, stderr } = await svc(...args)
    t.equal(code, 1, args.join(' '))
    t.match(stderr, words)
  }

  t.match(await svc('group', 'add', 'Sales', '--permissions', 'channels'), {
    code: 0,
    stdout: 'Sales was created\n',
  })
  t.equal((await svc('group', 'add', 'Starters', '--default')).code, 0)
  await refuse(['group', 'add', 'SALES'], /already a group named "SALES"/)
  await refuse(['group', 'add', 'a;b'], /not valid/)
  await refuse(['group', 'add', 'Fliers', '--permissions', 'fly'], /not valid/)

  const eve = await server.createUser({ username: 'eve' })
  t.strictSame((await me(eve.token)).permissions, [])
  t.match(await svc('group', 'member', 'add', 'sales', 'eve'), { code: 0, stdout: 'eve is in Sales\n' })
  const { body: row } = await server.request('GET', '/groups/sales')
  t.equal(row.member_count, 1)
  const { body: log } = await server.request('GET', '/admin/audit-log?action=group.add_member')
  t.equal(log.length, 1)
  t.strictSame(
    JSON.parse((await svc('group', 'list', '--json')).stdout),
    (await server.request('GET', '/groups')).body,
  )
  t.match(
    (await svc('group', 'list')).stdout,
    /^name +members +default +permissions +description\neveryone +2 +yes +- +-\nSales +1 +no +channels +-\nStarters +1 +yes/,
  )
  t.match(await svc('group', 'member', 'remove', row.id, 'eve'), { code: 0, stdout: 'eve is not in Sales\n' })
  t.equal((await server.request('GET', '/groups/sales')).body.member_count, 0)
  await refuse(['group', 'member', 'add', 'Nobody', 'eve'], /does not exist/)
  await refuse(['group', 'member', 'add', 'Sales', 'nobody'], /does not exist/)

  t.equal((await svc('user', 'create', 'kim', '--groups', `Sales,${row.id}`)).code, 0)
  t.match((await svc('user', 'list')).stdout, /^kim +user +enabled +- +everyone,Starters,Sales +-$/m)
  await refuse(['user', 'create', 'lee', '--groups', 'Nobody'], /not valid/)
})
