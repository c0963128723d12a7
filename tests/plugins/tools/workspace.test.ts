import { execFileSync } from 'node:child_process'
import { constants } from 'node:fs'
import { link, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createFile } from '../../../plugins/tools/workspace/files/file-replacement.ts'
import {
  findPlace,
  inParent,
  openFileIn,
  openFolder,
  type Place,
} from '../../../plugins/tools/workspace/files/workspace-path.ts'
import t from '../../run/file-test.ts'
import { amount, onlyLong } from '../../run/tier.ts'
import { anySize, createWorkspace, SECRET, startSwapping, tools } from './workspace-calls.ts'

t.test('The tools have descriptions, and some of them always stay on', async (t) => {
  t.strictSame(
    tools.map(({ name, disableable }) => [name, disableable]),
    [
      ['ls', false],
      ['read_file', false],
      ['glob', false],
      ['grep', false],
      ['write_file', true],
      ['edit_file', true],
    ],
  )
  for (const { input_schema, label } of tools) {
    t.equal(input_schema.additionalProperties, false)
    t.ok(label.en && label.zh)
  }
})

t.test('A written file is read back, listed and attached', async (t) => {
  const { workspace, attached, call } = await createWorkspace(t)
  t.equal(await call('ls', {}), '(an empty folder)')
  t.match(
    await call('write_file', { path: 'notes/到/plan.md', content: '# Plän\n' }),
    /^8 bytes were written to "notes\/到\/plan\.md"$/,
  )
  t.equal(await readFile(join(workspace, 'notes/到/plan.md'), 'utf8'), '# Plän\n')
  t.equal(await call('read_file', { path: 'notes/到/plan.md' }), '# Plän\n')
  await call('write_file', { path: './notes/到/../到/plan.md', content: 'short' })
  t.equal(
    await call('read_file', { path: join(workspace, 'notes/到/plan.md') }),
    'short',
    'an absolute path inside is good',
  )
  await call('write_file', { path: 'main.ts', content: '' })
  t.equal(await call('read_file', { path: 'main.ts' }), '(an empty file)')
  await call('write_file', { path: 'pic.png', content: '' })
  await call('write_file', { path: 'Makefile', content: '' })
  t.equal(await call('ls', {}), 'Makefile\t0 bytes\nmain.ts\t0 bytes\nnotes/\npic.png\t0 bytes')
  t.equal(await call('ls', { path: 'notes/到/' }), 'plan.md\t5 bytes')
  t.strictSame(attached, [
    { path: 'notes/到/plan.md', media_type: 'text/markdown' },
    { path: 'notes/到/plan.md', media_type: 'text/markdown' },
    { path: 'main.ts', media_type: 'text/plain' },
    { path: 'pic.png', media_type: 'image/png' },
    { path: 'Makefile', media_type: 'text/plain' },
  ])
})

t.test('A stopped turn reads no file', async (t) => {
  const { call } = await createWorkspace(t)
  await call('write_file', { path: 'a.txt', content: 'text' })
  await t.rejects(call('read_file', { path: 'a.txt' }, AbortSignal.abort()), { name: 'AbortError' })
})

t.test('No path leaves the workspace, whether the file exists or not', async (t) => {
  const { workspace, outside, attached, call, refused } = await createWorkspace(t)
  await mkdir(join(workspace, 'inside'))
  await symlink(outside, join(workspace, 'folder-link'))
  await symlink(join(outside, 'secret.txt'), join(workspace, 'file-link'))
  await symlink('../agent-outside', join(workspace, 'inside/../relative-link'))
  await symlink(join(outside, 'not-yet.txt'), join(workspace, 'dangling-file'))
  await symlink(join(outside, 'not-yet'), join(workspace, 'dangling-folder'))
  await symlink(join(workspace, 'folder-link'), join(workspace, 'inside/link-to-link'))
  await symlink('loop-b', join(workspace, 'loop-a'))
  await symlink('loop-a', join(workspace, 'loop-b'))
  const initialNames = await readdir(outside)

  const out = /outside the workspace/
  const linked = /leads out of the workspace through a link/
  const link = /is a link that cannot be followed|is not a folder|leads out/
  const table: [path: string, message: RegExp][] = [
    ['..', out],
    ['../', out],
    ['../agent-outside/secret.txt', out],
    ['inside/../../agent-outside/secret.txt', out],
    ['./././../agent-outside/secret.txt', out],
    ['../../../../../../../../etc/passwd', out],
    [`../${basename(outside)}`, out],
    ['/', out],
    ['/etc/passwd', out],
    [outside, out],
    [join(outside, 'secret.txt'), out],
    [`${workspace}-outside/secret.txt`, out],
    [`${workspace}/../agent-outside/secret.txt`, out],
    ['folder-link', linked],
    ['folder-link/secret.txt', linked],
    ['folder-link/new.txt', linked],
    ['folder-link/new/deeper/new.txt', linked],
    ['file-link', linked],
    ['relative-link/secret.txt', linked],
    ['inside/link-to-link/secret.txt', linked],
    ['dangling-file', link],
    ['dangling-folder/new.txt', link],
    ['loop-a', link],
    ['loop-a/new.txt', link],
    ['a\0b', /NUL character/],
    ['../agent-outside/secret.txt\0.md', /NUL character/],
    ['file-link/', linked],
    ['folder-link/.', linked],
    ['folder-link//secret.txt', linked],
    ['inside/..//../agent-outside/secret.txt', out],
    [`${'../'.repeat(1300)}etc/passwd`, out],
  ]
  for (const [path, message] of table) {
    const shown = JSON.stringify(path.replace(workspace, '<workspace>').replace(outside, '<outside>'))
    await refused('read_file', { path }, /./, `read_file refuses ${shown}`)
    await refused('ls', { path }, /./, `ls refuses ${shown}`)
    await refused('glob', { path, pattern: '**' }, /./, `glob refuses ${shown}`)
    await refused('grep', { path, pattern: '.' }, /./, `grep refuses ${shown}`)
    const edit = { path, old_string: SECRET, new_string: 'changed' }
    await refused('edit_file', edit, message, `edit_file refuses ${shown} and says why`)
    await refused('write_file', { path, content: 'x' }, message, `write_file refuses ${shown} and says why`)
  }
  t.strictSame(await readdir(outside), initialNames, 'nothing was made outside')
  t.equal(await readFile(join(outside, 'secret.txt'), 'utf8'), SECRET, 'nothing was changed outside')
  t.strictSame(attached, [])
  t.equal(
    await call('ls', { path: 'inside' }),
    'link-to-link\tlink',
    'a link is listed as one, without what it leads to',
  )
})

t.test('Names that only look dangerous stay inside', async (t) => {
  const { workspace, call } = await createWorkspace(t)
  const paths = [
    '..hidden',
    '...',
    '~/.ssh/config',
    '%2e%2e/x',
    '..\\..\\x',
    '-rf',
    'C:\\x',
    '\uff0e\uff0e/x',
    '..\uff0fx',
    '\u202e..',
    '\ufffd..',
    'caf\u00e9',
    'cafe\u0301',
    '..\n/x',
  ]
  for (const path of paths) {
    const shown = JSON.stringify(path)
    await call('write_file', { path, content: 'in' })
    t.equal(await readFile(join(workspace, path), 'utf8'), 'in', `${shown} is a name like any other`)
    await call('edit_file', { path, old_string: 'in', new_string: path })
    t.equal(await call('read_file', { path }), path, `${shown} is edited`)
  }
  const listed = (await call('glob', { pattern: '{{,.}*,{,.}*/{,.}*,~/.ssh/*}' })).split('\n')
  t.strictSame(listed.sort(), paths.map((path) => (path.includes('\n') ? JSON.stringify(path) : path)).sort())
})

t.test('Links that stay inside are followed', async (t) => {
  const { workspace, attached, call } = await createWorkspace(t)
  await mkdir(join(workspace, 'real'))
  await symlink('real', join(workspace, 'alias'))
  await call('write_file', { path: 'alias/deep/file.txt', content: 'here' })
  t.equal(await call('read_file', { path: 'real/deep/file.txt' }), 'here')
  t.strictSame(attached, [{ path: 'real/deep/file.txt', media_type: 'text/plain' }])
})

t.test('A workspace that is reached through a link can be used', async (t) => {
  const { workspace, outside } = await createWorkspace(t)
  await symlink(workspace, join(outside, 'shortcut'))
  const location = await findPlace(join(outside, 'shortcut'), join(outside, 'shortcut', 'a/b'))
  t.strictSame(location, { root: workspace, parts: ['a', 'b'] })
})

t.test('A folder swapped for a link between check and use leads nowhere', async (t) => {
  const { workspace, outside } = await createWorkspace(t)
  await mkdir(join(workspace, 'box/inner'), { recursive: true })
  await writeFile(join(workspace, 'box/secret.txt'), 'inside')
  const [file, created, folder] = await Promise.all(
    ['box/secret.txt', 'box/new.txt', 'box'].map((path) => findPlace(workspace, path)),
  )
  await rename(join(workspace, 'box'), join(workspace, 'moved'))
  await symlink(outside, join(workspace, 'box'))
  const openFile = (location: Place) =>
    inParent(location, (folder, name) => openFileIn(folder, name, constants.O_RDONLY))
  await t.rejects(openFile(file!))
  const bounds = { grow: anySize, signal: new AbortController().signal }
  await t.rejects(createFile(created!, Buffer.from('x'), bounds))
  await t.rejects(openFolder(folder!))
  await rm(join(workspace, 'moved/secret.txt'))
  await symlink(join(outside, 'secret.txt'), join(workspace, 'moved/secret.txt'))
  await t.rejects(openFile({ root: workspace, parts: ['moved', 'secret.txt'] }))
  t.strictSame(await readdir(outside), ['secret.txt'])
})

t.test('While a folder is repeatedly swapped for a link, nothing gets out', async (t) => {
  const { workspace, outside, call } = await createWorkspace(t)
  await mkdir(join(workspace, 'box'))
  await writeFile(join(workspace, 'box/secret.txt'), 'inside')
  const stopSwapping = startSwapping(workspace, outside)
  const seen = new Set<string>()
  const isMet = () => seen.has('refused') && seen.has('inside')
  for (
    let attempt = 0;
    attempt < amount({ short: 80, long: 400 }) || (!isMet() && attempt < 20_000);
    attempt++
  ) {
    const results = await Promise.allSettled([
      call('read_file', { path: 'box/secret.txt' }),
      call('write_file', { path: `box/${attempt}.txt`, content: 'x' }),
      call('ls', { path: 'box' }),
      call('edit_file', { path: 'box/secret.txt', old_string: SECRET, new_string: 'changed' }),
      call('glob', { path: 'box', pattern: '*' }),
      call('glob', { pattern: '**/*.txt' }),
      ...(attempt % 100 ? [] : [call('grep', { path: 'box', pattern: '.' }), call('grep', { pattern: 'o' })]),
    ])
    for (const result of results) seen.add(result.status === 'fulfilled' ? result.value : 'refused')
  }
  await stopSwapping()
  t.notOk(
    [...seen].some((text) => text.includes(SECRET)),
    'the secret was never read',
  )
  t.notOk(
    [...seen].some((text) => text.includes(`${SECRET.length} bytes`)),
    'the outside was never listed',
  )
  t.strictSame(await readdir(outside), ['secret.txt'], 'nothing was made outside')
  t.equal(await readFile(join(outside, 'secret.txt'), 'utf8'), SECRET, 'nothing was changed outside')
  t.ok(isMet(), 'both sides of the race were met')
})

t.test('Only regular files are read and written', async (t) => {
  const { workspace, outside, call, refused } = await createWorkspace(t)
  await mkdir(join(workspace, 'folder'))
  execFileSync('mkfifo', [join(workspace, 'pipe')])
  await link(join(outside, 'secret.txt'), join(workspace, 'second-name'))
  await refused('read_file', { path: 'folder' }, /"folder" is a folder/, 'a folder is not read')
  await refused(
    'write_file',
    { path: 'folder', content: 'x' },
    /"folder" is a folder/,
    'a folder is not written',
  )
  await refused('read_file', { path: '.' }, /is a folder/, 'the workspace is not a file')
  await refused('read_file', { path: 'pipe' }, /not a regular file/, 'a pipe is refused at once')
  await refused(
    'write_file',
    { path: 'pipe', content: 'x' },
    /not a regular file/,
    'a pipe is not written either',
  )
  await refused(
    'write_file',
    { path: 'second-name', content: 'x' },
    /second name/,
    'a hard link is not written through',
  )
  const edit = { old_string: SECRET, new_string: 'changed' }
  await refused('edit_file', { path: 'folder', ...edit }, /"folder" is a folder/, 'a folder is not edited')
  await refused('edit_file', { path: '.', ...edit }, /names a folder/, 'nor is the workspace')
  await refused('edit_file', { path: 'pipe', ...edit }, /not a regular file/, 'a pipe is not edited')
  await refused('grep', { path: 'pipe', pattern: '.' }, /not a regular file/, 'a pipe is not searched')
  await refused('edit_file', { path: 'second-name', ...edit }, /second name/, 'a hard link is not edited')
  for (const name of ['write_file', 'edit_file'])
    await refused(name, { path: 'folder/', content: '', ...edit }, /names a folder/, 'a slash at the end')
  t.equal(await call('glob', { pattern: '*' }), 'second-name', 'only regular files are found')
  t.equal(await readFile(join(outside, 'secret.txt'), 'utf8'), SECRET)
})

t.test('Errors hold no machine paths', async (t) => {
  const { workspace, refused, call } = await createWorkspace(t)
  await call('write_file', { path: 'file', content: 'x' })
  await refused('read_file', { path: 'none.txt' }, /^"none.txt" does not exist$/, 'a missing file')
  await refused('ls', { path: 'none' }, /^"none" does not exist$/, 'a missing folder')
  await refused('ls', { path: 'file' }, /^"file" is not a folder/, 'a file is not listed')
  await refused(
    'write_file',
    { path: 'file/x', content: '' },
    /^"file\/x" is not a folder/,
    'a file has nothing below it',
  )
  await refused(
    'write_file',
    { path: 'n'.repeat(300), content: '' },
    /name that is too long/,
    'a name too long',
  )
  for (const path of ['none', 'file/x', '../x', 'a'.repeat(9000)]) {
    const message = await call('read_file', { path }).catch((error) => error.message as string)
    t.notMatch(message, workspace)
    t.notMatch(message, '/proc/')
    t.ok(message.length < 400)
  }
})

t.test('A file is read by lines', async (t) => {
  const { call } = await createWorkspace(t)
  await call('write_file', {
    path: 'ten',
    content: Array.from({ length: 10 }, (_, i) => `line ${i}\n`).join(''),
  })
  t.equal(await call('read_file', { path: 'ten', offset: 8 }), 'line 8\nline 9\n')
  t.equal(await call('read_file', { path: 'ten', offset: 7, limit: 3 }), 'line 7\nline 8\nline 9\n')
  t.equal(
    await call('read_file', { path: 'ten', offset: 2, limit: 2 }),
    'line 2\nline 3\n[cut at the limit; the file has 70 bytes; continue with offset 4]',
  )
  t.equal(await call('read_file', { path: 'ten', offset: 10 }), '(the file has no line after line 10)')
  await call('write_file', { path: 'open-end', content: 'a\r\nb' })
  t.equal(await call('read_file', { path: 'open-end', offset: 1 }), 'b')
})

t.test('Output is bounded in bytes and states its cut', { skip: onlyLong }, async (t) => {
  const { workspace, call } = await createWorkspace(t)
  const line = `${'汉'.repeat(333)}\n`
  await call('write_file', { path: 'long', content: line.repeat(200) })
  const first = await call('read_file', { path: 'long' })
  t.match(first, /\[cut at 65024 bytes; the file has 200000 bytes; continue with offset 65\]$/)
  t.ok(Buffer.byteLength(first) <= 65536)
  t.notMatch(first, '\ufffd', 'no character was divided')
  const next = await call('read_file', { path: 'long', offset: 65, limit: 1 })
  t.ok(next.startsWith(line), 'reading on starts with the line that was cut')

  await call('write_file', { path: 'one-line', content: 'x'.repeat(100_000) })
  t.match(await call('read_file', { path: 'one-line' }), /line 1 alone is longer than that\]$/)

  for (let i = 0; i < 1005; i++) await writeFile(join(workspace, `${i}`.padStart(100, '0')), '')
  const listed = await call('ls', {})
  t.match(
    listed,
    /\[cut: only the first part of \d+ bytes is shown\]\n\[cut: only 1000 entries are listed\]$/,
  )
  await mkdir(join(workspace, 'many'))
  for (let i = 0; i < 1001; i++) await writeFile(join(workspace, 'many', `${i}`), '')
  const lines = (await call('ls', { path: 'many' })).split('\n')
  t.equal(lines.length, 1001)
  t.equal(lines.at(-1), '[cut: only 1000 entries are listed]')
})

t.test('At most 4 MiB are written, and nothing of a larger content', async (t) => {
  const { call, refused, attached } = await createWorkspace(t)
  const limit = 4 * 1024 * 1024
  await call('write_file', { path: 'full', content: 'x'.repeat(limit) })
  await refused(
    'write_file',
    { path: 'full', content: '汉'.repeat(limit / 3 + 1) },
    /at most 4194304 can be written/,
    'bytes count',
  )
  await refused('read_file', { path: 'more' }, /does not exist/, 'nothing else is there')
  t.match(await call('ls', {}), `full\t${limit} bytes`)
  t.equal(attached.length, 1)
})

t.test('A name with control characters cannot forge lines of a listing', async (t) => {
  const { workspace, call } = await createWorkspace(t)
  await writeFile(join(workspace, 'a\nfake'), '')
  t.equal(await call('ls', {}), '"a\\nfake"\t0 bytes')
})

t.test('A stopped turn touches no file', async (t) => {
  const { call } = await createWorkspace(t)
  const stopped = AbortSignal.abort()
  await t.rejects(call('write_file', { path: 'late', content: 'x' }, stopped), { name: 'AbortError' })
  await t.rejects(call('ls', {}, stopped), { name: 'AbortError' })
  t.equal(await call('ls', {}), '(an empty folder)')
})
