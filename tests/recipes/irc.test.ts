import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from '../run/file-test.ts'
import { onlyLong } from '../run/tier.ts'
import { createHome } from '../support/home.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const SOURCE = join(ROOT, 'tests/recipes/irc/kind.ts')

t.test('a channel kind around a client takes at most 70 lines', async (t) => {
  const lines = readFileSync(SOURCE, 'utf8').trim().split('\n')
  t.ok(lines.length <= 70, `${lines.length} lines`)
})

t.test(
  'it passes the kit in a package of its own, by node --test and nothing else',
  { skip: onlyLong },
  async (t) => {
    const folder = createHome(t)
    cpSync(fileURLToPath(new URL('irc', import.meta.url)), folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'channel-irc', type: 'module' }))
    const modules = join(folder, 'node_modules')
    mkdirSync(modules)
    symlinkSync(ROOT, join(modules, 'agent-platform-service'))
    const child = spawn(process.execPath, ['--test', '--test-reporter=tap', 'suite.js'], {
      cwd: folder,
      env: { PATH: process.env.PATH },
    })
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    t.equal(child.exitCode, 0, `${output}\n${errors}`)
    t.match(output, /^# fail 0$/m)
    t.match(output, 'a call is approved with a button, or in words, by those who may')
  },
)
