import { execFileSync } from 'node:child_process'
import { constants } from 'node:fs'
import { mkdir, mkdtemp, readdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isWithin, openFolder } from '../../plugin-api/toolbox/index.ts'
import t, { type Test } from '../run/file-test.ts'

const SECRET = 'what only the outside holds'

/** Creates a folder and another folder outside of it. */
async function createFolders(t: Test) {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'svc-folder-')))
  t.teardown(() => rm(base, { recursive: true, force: true }))
  const [inside, outside] = [join(base, 'inside'), join(base, 'outside')]
  for (const folder of [inside, outside]) {
    await mkdir(join(folder, 'deep'), { recursive: true })
    await writeFile(join(folder, 'deep', 'file.txt'), folder === outside ? SECRET : 'inside')
  }
  return { inside, outside, base }
}

/** With paths relative to file descriptors, and on systems without them. */
const ways = [{}, { descriptors: '/nowhere' }]

for (const options of ways)
  t.test(`files in a folder are opened from it ${JSON.stringify(options)}`, async (t) => {
    const { inside, base } = await createFolders(t)
    await symlink(inside, join(base, 'way'))
    await t.rejects(openFolder(join(base, 'way'), options), { code: /ENOTDIR|ELOOP/ })
    await t.rejects(openFolder(join(base, 'way', 'deep'), options), { code: 'ELOOP', message: /changed/ })
    const folder = await openFolder(inside, options)
    t.same(await readdir(folder.path), ['deep'])
    const deep = await folder.openFolder('deep')
    const file = await deep.openFile('file.txt')
    t.equal(await file.readFile('utf8'), 'inside')
    await file.close()
    const made = await deep.openFile('new', constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
    t.equal((await made.stat()).mode & 0o777, 0o600)
    await made.close()
    t.same(await readdir(join(inside, 'deep')), ['file.txt', 'new'])
    await deep.close()
    await folder.close()
    await t.rejects(openFolder(join(base, 'nowhere'), options), { code: 'ENOENT' })
    await t.rejects(openFolder(join(inside, 'deep', 'file.txt'), options), { code: 'ENOTDIR' })
  })

for (const options of ways)
  t.test(`no symbolic link is followed and no pipe is waited for ${JSON.stringify(options)}`, async (t) => {
    const { inside, outside } = await createFolders(t)
    await symlink(outside, join(inside, 'folder-link'))
    await symlink(join(outside, 'deep', 'file.txt'), join(inside, 'file-link'))
    execFileSync('mkfifo', [join(inside, 'pipe')])
    const folder = await openFolder(inside, options)
    await t.rejects(folder.openFolder('folder-link'), { code: /ENOTDIR|ELOOP/ })
    await t.rejects(folder.openFile('file-link'), { code: 'ELOOP' })
    const pipe = await folder.openFile('pipe')
    t.ok((await pipe.stat()).isFIFO())
    await pipe.close()
    await folder.close()
  })

t.test('an open folder stays the same although its path becomes a symbolic link', async (t) => {
  const { inside, outside } = await createFolders(t)
  const folder = await openFolder(inside)
  await rename(inside, `${inside}-before`)
  await symlink(outside, inside)
  const deep = await folder.openFolder('deep')
  const file = await deep.openFile('file.txt')
  t.equal(await file.readFile('utf8'), 'inside')
  await file.close()
  await deep.close()
  await folder.close()
})

t.test('without descriptors, a path that has become a symbolic link is detected', async (t) => {
  const { inside, outside, base } = await createFolders(t)
  const folder = await openFolder(inside, { descriptors: '/nowhere' })
  await rename(inside, join(base, 'before'))
  await symlink(outside, inside)
  await t.rejects(folder.openFolder('deep'), { code: 'ELOOP', message: /changed/ })
  await t.rejects(folder.openFile('deep'), { code: 'ELOOP', message: /changed/ })
  await folder.close()
})

t.test('a path is inside a folder by its components, not by its leading characters', async (t) => {
  const cases: [folder: string, path: string, within: boolean][] = [
    ['/srv/data', '/srv/data', true],
    ['/srv/data', '/srv/data/a/b', true],
    ['/srv/data', '/srv/data/..a', true],
    ['/srv/data/', '/srv/data/a/', true],
    ['/', '/anything', true],
    ['/srv/data', '/srv/database', false],
    ['/srv/data', '/srv', false],
    ['/srv/data', '/srv/data/../other', false],
    ['/srv/data', '/etc/passwd', false],
  ]
  for (const [folder, path, within] of cases) t.equal(isWithin(folder, path), within, `${path} in ${folder}`)
})
