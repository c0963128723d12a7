import { execFileSync } from 'node:child_process'
import { constants } from 'node:fs'
import { lstat, mkdir, mkdtemp, open, readdir, realpath, rename, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCursor, removeTree, type TreeEntry, walkTree } from '../../plugin-api/toolbox/index.ts'
import t, { type Test } from '../run/file-test.ts'
import { makeDeep } from '../support/deep-folders.ts'

const LONG = 'n'.repeat(200)

async function createFolder(t: Test): Promise<string> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'svc-trees-')))
  t.teardown(() => execFileSync('rm', ['-rf', base]))
  return base
}

async function walkAll(root: string, options: Partial<Parameters<typeof walkTree>[1]> = {}) {
  const entries: TreeEntry[] = []
  const unreadable: string[] = []
  const onUnreadable = (path: string, { code }: NodeJS.ErrnoException) => unreadable.push(`${code} ${path}`)
  for await (const entry of walkTree(root, { ...options, onUnreadable })) entries.push(entry)
  return { entries, paths: entries.map(({ path }) => path), unreadable }
}

for (const levels of [40, 3000])
  t.test(`a tree of ${levels} levels is walked to its end and removed`, async (t) => {
    const root = await createFolder(t)
    const name = levels === 40 ? LONG : 'n'
    makeDeep(root, { name, levels })
    const { entries, unreadable } = await walkAll(root)
    t.strictSame(unreadable, [])
    t.equal(entries.length, levels + 1)
    t.match(entries.at(-1), { path: `${Array(levels).fill(name).join('/')}/end.txt`, kind: 'file', bytes: 4 })
    await removeTree(join(root, name))
    t.strictSame(await readdir(root), [])
  })

t.test('a walk reports what it cannot read, and goes on', async (t) => {
  const root = await createFolder(t)
  await mkdir(join(root, 'a', 'b', 'c'), { recursive: true })
  await writeFile(join(root, 'a', 'b', 'c', 'file'), 'x')
  await writeFile(Buffer.concat([Buffer.from(`${root}/a/`), Buffer.from([0x66, 0xff])]), 'x')
  await symlink('/etc', join(root, 'a', 'link'))
  execFileSync('mkfifo', [join(root, 'pipe')])
  const { entries, unreadable } = await walkAll(root, { max_path_bytes: 4 })
  t.strictSame(unreadable.sort(), ['EILSEQ a/f\uFFFD', 'ENAMETOOLONG a/b/c', 'ENAMETOOLONG a/link'])
  t.strictSame(
    entries.map(({ path, kind }) => [path, kind]),
    [
      ['pipe', 'other'],
      ['a', 'folder'],
      ['a/b', 'folder'],
    ],
  )
  t.match(await walkAll(root, { isSkipped: (path) => path === 'a' }), { paths: ['pipe'], unreadable: [] })
  await t.rejects(walkAll(join(root, 'nowhere')), { code: 'ENOENT' })
})

t.test('without paths of descriptors, a tree is walked as far as its paths are short enough', async (t) => {
  const root = await createFolder(t)
  makeDeep(root, { name: LONG, levels: 40 })
  await writeFile(join(root, 'z'), 'x')
  const options = { descriptors: '/nowhere' }
  const { paths, unreadable } = await walkAll(root, options)
  t.ok(paths.includes('z'))
  t.ok(paths.length > 15)
  t.match(unreadable, [/^ENAMETOOLONG n/])
  await t.rejects(removeTree(root, options), { code: 'ENAMETOOLONG' })
  await mkdir(join(root, 'short', 'way'), { recursive: true })
  await removeTree(join(root, 'short'), options)
  t.strictSame((await readdir(root)).sort(), [LONG])
})

t.test('a removal follows no link, and does nothing for what does not exist', async (t) => {
  const root = await createFolder(t)
  await mkdir(join(root, 'kept', 'inner'), { recursive: true })
  await mkdir(join(root, 'gone', 'sub'), { recursive: true })
  await symlink('../../kept', join(root, 'gone', 'sub', 'link'))
  await symlink('kept', join(root, 'link'))
  await writeFile(Buffer.concat([Buffer.from(`${root}/gone/`), Buffer.from([0xff])]), 'x')
  for (const name of ['gone', 'link', 'nothing']) await removeTree(join(root, name))
  t.strictSame(await readdir(root), ['kept'])
  t.strictSame(await readdir(join(root, 'kept')), ['inner'])
})

t.test('folders whose modes forbid it are removed all the same', async (t) => {
  const root = await createFolder(t)
  const script = `
    import { chmod, mkdir, writeFile } from 'node:fs/promises'
    const { removeTree, walkTree } = await import(process.argv[2])
    // The folders above may be closed to other users.
    process.chdir(process.argv[1])
    if (process.getuid() === 0) process.setuid(65534)
    const top = 'top'
    for (const [name, mode] of [['closed', 0], ['listed', 0o400], ['fixed', 0o500]]) {
      await mkdir(top + '/' + name + '/in', { recursive: true })
      await writeFile(top + '/' + name + '/in/file', 'x')
      await chmod(top + '/' + name, mode)
    }
    const unreadable = []
    let files = 0
    for await (const { kind } of walkTree(top, { onUnreadable: (path) => unreadable.push(path) }))
      if (kind === 'file') files += 1
    await removeTree(top)
    console.log(JSON.stringify({ files, unreadable: unreadable.sort() }))`
  const toolbox = new URL('../../plugin-api/toolbox/index.js', import.meta.url).href
  execFileSync('chmod', ['777', root])
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script, root, toolbox], {
    encoding: 'utf8',
  })
  t.strictSame(JSON.parse(output), { files: 1, unreadable: ['closed', 'listed/in'] })
  t.strictSame(await readdir(root), [])
})

t.test('a walk and a removal survive folders that are moved meanwhile', async (t) => {
  const root = await createFolder(t)
  makeDeep(root, { name: 'd', levels: 60 })
  await mkdir(join(root, 'aside'))
  await writeFile(join(root, 'd', 'file'), 'x')
  const cursor = await openCursor(root)
  for (let depth = 0; depth < 40; depth += 1) await cursor.enter('d')
  const way = (levels: number) => join(root, ...Array(levels).fill('d'))
  await rename(way(20), join(root, 'aside', 'd'))
  await cursor.leave()
  t.equal(cursor.depth, 39)
  for (let depth = 39; depth > 19; depth -= 1) await cursor.leave()
  t.equal(cursor.depth, 19)
  const folder = await open(cursor.pathOf(), constants.O_RDONLY)
  t.equal((await folder.stat()).ino, (await lstat(way(19))).ino)
  await folder.close()
  await cursor.close()

  const other = await openCursor(root)
  for (let depth = 0; depth < 19; depth += 1) await other.enter('d')
  await rename(way(1), join(root, 'moved'))
  for (let depth = 19; depth > 0; depth -= 1) await other.leave()
  t.equal(other.depth, 0)
  await other.close()
  await t.rejects(openCursor(join(root, 'moved', 'file')), { code: 'ENOTDIR' })
})
