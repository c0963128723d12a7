import { link, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from '../../run/file-test.ts'
import { createWorkspace, pathsIn, SECRET, startSwapping, tools } from './workspace-calls.ts'

/** A workspace in a server's home, a write area outside of it, and links between them. */
async function createArea(t: Test) {
  const made = await createWorkspace(t)
  const { base, outside } = made
  const [home, root] = [join(base, 'home'), join(base, 'root')]
  const workspace = join(home, 'agents', 'a')
  for (const folder of [workspace, join(home, 'agents', 'b'), join(root, 'project')])
    await mkdir(folder, { recursive: true })
  await rm(made.workspace, { recursive: true })
  await symlink(workspace, made.workspace)
  await writeFile(join(home, 'config.json'), SECRET)
  await writeFile(join(root, 'project/main.ts'), 'const a = 1\n')
  await writeFile(join(workspace, 'own.md'), 'mine\n')
  const links: [name: string, target: string][] = [
    [join(root, 'to-outside'), outside],
    [join(root, 'to-secret'), join(outside, 'secret.txt')],
    [join(root, 'to-home'), home],
    [join(root, 'to-config'), join(home, 'config.json')],
    [join(root, 'to-other'), join(home, 'agents/b')],
    [join(root, 'to-workspace'), workspace],
    [join(root, 'to-project'), 'project'],
    [join(root, 'dangling'), join(home, 'new.txt')],
    [join(root, 'chain'), 'to-home'],
    [join(workspace, 'to-root'), root],
    [join(base, 'root-link'), root],
    [join(base, 'home-link'), home],
  ]
  for (const [name, target] of links) await symlink(target, name)
  await link(join(home, 'config.json'), join(root, 'second-name'))
  return { ...made, workspace, home, root }
}

t.test('A write outside the workspace is limited to the write area, and needs approval', async (t) => {
  const { base, workspace, home, root, outside, judge, attached } = await createArea(t)
  const area = { root, except: home }
  const wide = { root: base, except: home }
  const linked = { root: join(base, 'root-link'), except: join(base, 'home-link') }
  const out = /outside the workspace/
  const leadsOut = /leads out of the folder for files outside the workspace through a link/
  const server = /in the server's own folder/
  const link = /is a link that cannot be followed/
  type Row = [path: string, area: typeof area | null, asks: boolean, outcome: string | RegExp]
  const table: Row[] = [
    ['new.md', area, false, 'new.md'],
    ['own.md', null, false, 'own.md'],
    [join(workspace, 'own.md'), area, false, 'own.md'],
    [join(base, 'agent', 'own.md'), area, false, 'own.md'],
    [join(workspace, 'deep/new.md'), wide, false, 'deep/new.md'],
    [join(root, 'project/main.ts'), area, true, join(root, 'project/main.ts')],
    [join(root, 'new/deep/file.md'), area, true, join(root, 'new/deep/file.md')],
    [join(root, 'project/../x.md'), area, true, join(root, 'x.md')],
    [join(root, 'to-project/y.md'), area, true, join(root, 'project/y.md')],
    [join(root, 'z.md'), linked, true, join(root, 'z.md')],
    [join(base, 'root-link/z.md'), linked, true, join(root, 'z.md')],
    [join(root, 'z.md'), wide, true, join(root, 'z.md')],
    [join(outside, 'w.md'), wide, true, join(outside, 'w.md')],
    [join(root, 'to-outside/w.md'), wide, true, join(outside, 'w.md')],
    [join(root, 'to-workspace/own.md'), wide, false, 'own.md'],

    [join(root, 'project/main.ts'), null, false, out],
    [join(outside, 'w.md'), area, false, out],
    [`${root}-not/x.md`, area, false, out],
    [join(root, '../agent-outside/w.md'), area, false, out],
    ['../../../root/x.md', area, false, out],
    ['~/x.md', area, false, '~/x.md'],
    ['to-root/x.md', area, false, /leads out of the workspace through a link/],
    [join(base, 'root-link/x.md'), area, false, out],
    [root, area, false, /names a folder/],
    [workspace, area, false, /names a folder/],
    [`${root}/`, area, false, /names a folder/],
    [join(root, 'project/'), area, false, /names a folder/],
    [join(root, 'to-outside/w.md'), area, false, leadsOut],
    [join(root, 'to-secret'), area, false, leadsOut],
    [join(root, 'to-home/x.md'), area, false, leadsOut],
    [join(root, 'to-workspace/own.md'), area, false, leadsOut],
    [join(root, 'chain/x.md'), area, false, leadsOut],
    [join(root, 'to-home/x.md'), wide, false, server],
    [join(root, 'to-config'), wide, false, server],
    [join(root, 'chain/agents/b/x.md'), wide, false, server],
    [join(root, 'to-other/x.md'), wide, false, server],
    [join(home, 'x.md'), wide, false, server],
    [join(home, 'agents/b/x.md'), wide, false, server],
    [join(home, 'agents/ab/x.md'), { root: '/', except: home }, false, server],
    [home, wide, false, server],
    [join(base, 'home-link/x.md'), wide, false, server],
    [join(home, 'agents/b/x.md'), { root: base, except: join(base, 'home-link') }, false, server],
    [join(base, 'none/x.md'), { root: join(base, 'none'), except: home }, false, /is missing/],
    [`${root}/a\0b`, area, false, /NUL/],
    [`${root}/a\udc00b`, area, true, `${root}/a\ufffdb`],
  ]
  const initialPaths = await pathsIn(home)
  for (const [path, write_area, asks, outcome] of table) {
    attached.length = 0
    const result = await judge('write_file', { path, content: 'x = 1' }, write_area)
    const title = `${JSON.stringify(path.replaceAll(base, '<base>'))} where ${write_area?.root.replace(base, '<base>') ?? 'nothing'} is open`
    t.equal(result.asks, asks, `${title} ${asks ? 'asks' : 'does not ask'}`)
    if (typeof outcome === 'string') {
      t.equal(result.text, `5 bytes were written to ${JSON.stringify(outcome)}`, title)
      t.strictSame(
        attached.map(({ path }) => path),
        asks ? [] : [outcome],
        'what is in the workspace is attached',
      )
      const edited = await judge('edit_file', { path, old_string: '1', new_string: '2' }, write_area)
      t.match(edited, { asks, text: `1 occurrence replaced in ${JSON.stringify(outcome)}` }, title)
    } else {
      t.match(result.error, outcome, title)
      const edited = await judge('edit_file', { path, old_string: 'a', new_string: 'b' }, write_area)
      t.match(edited, { asks, error: outcome }, title)
    }
  }
  for (const path of ['second-name', 'dangling'].map((name) => join(root, name))) {
    const result = await judge('write_file', { path, content: 'x' }, area)
    t.match(result, { asks: true, error: path.endsWith('dangling') ? link : /second name/ })
  }
  t.equal(await readFile(join(root, 'project/main.ts'), 'utf8'), 'x = 2')
  t.equal(await readFile(join(outside, 'secret.txt'), 'utf8'), SECRET)
  t.equal(await readFile(join(home, 'config.json'), 'utf8'), SECRET)
  const made = ['new.md', 'deep', 'deep/new.md', '~', '~/x.md'].map((name) => join('agents/a', name))
  t.strictSame(await pathsIn(home), [...initialPaths, ...made].sort(), 'nothing else was made in the home')
})

t.test('Only the tools that write accept a path of the write area', async (t) => {
  const { root, home, contextOf, run } = await createArea(t)
  const path = join(root, 'project')
  for (const [name, input] of [
    ['ls', { path }],
    ['read_file', { path: join(path, 'main.ts') }],
    ['glob', { path, pattern: '*' }],
    ['grep', { path, pattern: '.' }],
  ] as const) {
    const context = contextOf({ write_area: { root, except: home } })
    await t.rejects(run(name, input, context), { message: /outside the workspace$/ }, `${name} is refused`)
  }
})

t.test('The approved place is written, even if a link changes meanwhile', async (t) => {
  const { base, workspace, home, root, contextOf, run } = await createArea(t)
  const turning = join(base, 'turning')
  const write = { path: join(turning, 'turned.md'), content: 'x' }
  const context = contextOf({ workspace, write_area: { root: base, except: home } })
  const { needsApproval } = tools.find(({ name }) => name === 'write_file')!
  const turn = async (target: string) => {
    await rm(turning, { force: true })
    await symlink(target, turning)
  }
  await turn(workspace)
  t.equal(await needsApproval!(write as never, context), false)
  await turn(root)
  t.equal(await run('write_file', write, context), '1 bytes were written to "turned.md"')
  t.notOk((await readdir(root)).includes('turned.md'))

  await turn(home)
  t.equal(await needsApproval!(write as never, context), false, 'what will be refused need not ask')
  await turn(root)
  await t.rejects(run('write_file', write, context), { message: /server's own folder/ })
  t.notOk((await readdir(root)).includes('turned.md'))
})

t.test('While a folder of the area is swapped for a link, nothing outside is written', async (t) => {
  const { outside, root, home, judge } = await createArea(t)
  await mkdir(join(root, 'box'))
  await writeFile(join(root, 'box/secret.txt'), 'inside')
  const stopSwapping = startSwapping(root, outside)
  const seen = new Set<string>()
  const isMet = () => seen.has('written') && seen.has('refused')
  const area = { root, except: home }
  for (let attempt = 0; attempt < 200 || (!isMet() && attempt < 20_000); attempt++) {
    const results = await Promise.all([
      judge('write_file', { path: join(root, `box/${attempt}.txt`), content: 'x' }, area),
      judge('edit_file', { path: join(root, 'box/secret.txt'), old_string: 'outside', new_string: '' }, area),
    ])
    seen.add(results[0].error ? 'refused' : 'written')
  }
  await stopSwapping()
  t.ok(isMet(), 'both sides of the race were met')
  t.strictSame(await readdir(outside), ['secret.txt'])
  t.equal(await readFile(join(outside, 'secret.txt'), 'utf8'), SECRET)
})

t.test('A root whose path was redirected to another folder is not entered', async (t) => {
  const { base, outside, home, contextOf, run } = await createArea(t)
  const { needsApproval } = tools.find(({ name }) => name === 'write_file')!
  await mkdir(join(base, 'way/root'), { recursive: true })
  await mkdir(join(outside, 'root'))
  const context = contextOf({ write_area: { root: join(base, 'way/root'), except: home } })
  const write = { path: join(base, 'way/root/x.md'), content: 'x' }
  t.equal(await needsApproval!(write as never, context), true)
  await rename(join(base, 'way'), join(base, 'moved'))
  await symlink(outside, join(base, 'way'))
  await t.rejects(run('write_file', write, context), { message: /is a link that cannot be followed/ })
  t.strictSame(await readdir(join(outside, 'root')), [])
})
