import t from '../../run/file-test.ts'
import { runCommand } from '../../support/kernel.ts'
import { startServer } from '../../support/server.ts'

t.test(
  'A command for an account that does not exist says so, and leaves no trace in the audit log',
  async (t) => {
    const server = await startServer(t)
    const { url } = server.server.runtime.blueprint.config.values.database
    const run = (...args: string[]) =>
      runCommand(server.home, args, { env: url ? { SVC_DATABASE_URL: url } : {} })
    const rows = server.db.collection('audit_log')
    const count = await rows.countDocuments()
    for (const verb of ['unlock', 'disable', 'enable', 'passwd', 'reset-two-factor'])
      t.match(
        await run('user', verb, 'nobody'),
        {
          code: 1,
          stderr: 'svc: The username "nobody" does not exist. "svc user list" shows those that do.\n',
        },
        verb,
      )
    t.equal(await rows.countDocuments(), count)
    t.match(await run('user', 'unlock', 'admin'), { code: 0 })
    t.equal(await rows.countDocuments(), count + 1)
    t.match(await run('user', 'unlock'), {
      code: 1,
      stderr: /missing required argument.*svc user unlock --help/s,
    })
    t.match(await run('user', 'frob'), {
      code: 1,
      stderr: /unknown command 'frob'.*svc user --help shows its commands/s,
    })
    t.match(await run('help'), { stdout: /^ {2}user +create, list, passwd, unlock, disable/m })
  },
)
