import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openCursor, removeTree } from '../../../plugin-api/toolbox/index.ts'
import t from '../../run/file-test.ts'
import { createEmptyHome } from '../../support/backups.ts'
import { makeDeep } from '../../support/deep-folders.ts'
import { runCommand } from '../../support/kernel.ts'
import { startServer } from '../../support/server.ts'

const LONG = 'n'.repeat(200)
const env = { SVC_BACKUP_PASSPHRASE: 'correct horse battery' }

const server = await startServer(t)
const { body: agent } = await server.request('POST', '/agents', { body: { name: 'deep' } })
const workspace = join(server.home, 'agents', agent.id)
t.teardown(() => removeTree(workspace))

t.test('a home with folders of any depth and files of any kind is backed up and restored', async (t) => {
  makeDeep(workspace, { name: LONG, levels: 40 })
  makeDeep(workspace, { name: 'd', levels: 600 })
  const odd = ['line\nbreak', 'back\\slash', '\uFEFFmark', '..dots', ' space ', 'checksums']
  for (const name of odd) writeFileSync(join(workspace, name), name)
  symlinkSync('\uFEFFmark', join(workspace, '\uFEFFlink'))
  execFileSync('mkfifo', [join(workspace, 'pipe')])
  mkdirSync(join(workspace, 'fixed'))
  writeFileSync(join(workspace, 'fixed', 'file'), 'x', { mode: 0o400 })
  execFileSync('chmod', ['500', join(workspace, 'fixed')])
  writeFileSync(Buffer.concat([Buffer.from(`${workspace}/bytes`), Buffer.from([0xff])]), 'x')
  makeDeep(join(workspace, 'fixed'), { name: LONG, levels: 200 })

  const file = join(createEmptyHome(t), 'archive.tar')
  const written = await runCommand(server.home, ['backup', file], { env })
  t.match(written, { code: 0, stderr: '' }, written.stderr)
  t.match(written.stdout, /^Wrote [\s\S]*\nNot in the archive because they could not be read: 2\.\n/)
  t.match(written.stdout, /bytes\uFFFD": its name is not UTF-8\n/)
  t.match(written.stdout, /n…": its path has more than 32768 bytes\n/)
  t.match(execFileSync('tar', ['-xOf', file, 'end.json'], { encoding: 'utf8' }), '"unreadable_count": 2')
  const sums = execFileSync('sh', ['-c', `tar -xf ${file} --exclude='home/*' && cat checksums/*`], {
    cwd: createEmptyHome(t),
    encoding: 'utf8',
  })
  t.match(sums, /\n\\[0-9a-f]{64} {2}home\/agents\/\w+\/line\\nbreak\n/)

  const home = createEmptyHome(t)
  const restored = await runCommand(home, ['restore', file], { env })
  t.match(restored, { code: 0, stderr: '' }, restored.stderr)
  t.match(
    restored.stdout,
    /\nFiles and folders missing from the backup because they could not be read: 2\.\n/,
  )
  const copy = join(home, 'agents', agent.id)
  for (const name of odd) t.equal(readFileSync(join(copy, name), 'utf8'), name)
  t.equal(readlinkSync(join(copy, '\uFEFFlink')), '\uFEFFmark')
  t.equal(statSync(join(copy, 'fixed')).mode & 0o777, 0o500)
  t.equal(
    statSync(join(copy, 'fixed')).mtimeMs,
    Math.floor(statSync(join(workspace, 'fixed')).mtimeMs / 1000) * 1000,
  )
  for (const [name, levels] of [
    [LONG, 40],
    ['d', 600],
  ] as const) {
    const cursor = await openCursor(copy)
    for (let level = 0; level < levels; level += 1) await cursor.enter(name)
    t.equal(await readFile(cursor.pathOf('end.txt'), 'utf8'), 'deep')
    await cursor.close()
  }
})

t.test('a home behind a link is backed up', async (t) => {
  const link = join(createEmptyHome(t), 'link')
  symlinkSync(server.home, link)
  const file = join(createEmptyHome(t), 'archive.tar')
  const { code, stdout, stderr } = await runCommand(link, ['backup', file, '--json'], { env })
  t.equal(code, 0, stderr)
  t.ok(JSON.parse(stdout).files > 5)
  rmSync(file)
})
