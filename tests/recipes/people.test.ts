import t from '../run/file-test.ts'
import { namesIn, tableOf } from '../support/readme.ts'
import { runRecipe } from '../support/recipe-shell.ts'
import { startServer } from '../support/server.ts'

t.test('the commands of docs/operators.md make an account, an invite and a whole audit log', async (t) => {
  const server = await startServer(t)
  const stdout = await runRecipe(t, 'people.sh', server)
  t.match(stdout, /^ann was created, password \S+$/m)
  t.match(stdout, /^ann +user +enabled +users +everyone +Ann$/m)
  t.match(stdout, /"note":"for Ben"/)
  t.match(stdout, /user\.create/)

  const code = /"code":"([^"]+)"/.exec(stdout)![1]
  const body = { code, username: 'ben', password: 'battery-staple-9' }
  t.match(await server.request('POST', '/auth/invite/redeem', { token: null, body }), { status: 200 })

  const { body: catalog } = await server.request('GET', '/users/permissions')
  t.strictSame(
    tableOf('docs/operators.md', 'Roles and permissions', 'Permission')
      .flatMap(([cell]) => namesIn(cell))
      .sort(),
    catalog.map(({ key }: { key: string }) => key).sort(),
    'the table of permissions has each of them',
  )
})
