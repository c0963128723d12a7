import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { CLI, environment } from '../support/kernel.ts'
import { readRecipe } from '../support/readme.ts'
import { startServer } from '../support/server.ts'

t.test('the commands of the README make an account, an invite and a whole audit log', async (t) => {
  const server = await startServer(t)
  // `npx svc` runs the program of the clone that it is called in.
  const folder = mkdtempSync(join(tmpdir(), 'svc-npx-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${CLI}" "$@"\n`
  writeFileSync(join(folder, 'npx'), npx, { mode: 0o755 })
  const env = environment(server.home, {
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    URL: `${server.url}/api`,
    TOKEN: server.admin.token,
  })
  const { stdout } = await promisify(execFile)('sh', ['-ec', readRecipe('people.sh')], { env })
  t.match(stdout, /^ann was created, password \S+$/m)
  t.match(stdout, /^ann +user +enabled +users +Ann$/m)
  t.match(stdout, /"note":"for Ben"/)
  t.match(stdout, /user\.create/)

  const code = /"code":"([^"]+)"/.exec(stdout)![1]
  const body = { code, username: 'ben', password: 'battery-staple-9' }
  t.match(await server.request('POST', '/auth/invite/redeem', { token: null, body }), { status: 200 })
})
