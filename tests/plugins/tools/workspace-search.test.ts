import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readdir, readlink, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { countingTurns, createWorkspace, SECRET } from './workspace-calls.ts'

const TREE = {
  'README.md': '# Title\n',
  'src/main.ts': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n',
  'src/main.test.ts': 'two\n',
  'src/deep/er/util.ts': 'export const two = 2\r\n',
  'src/deep/data.json': '{}',
  'a b/[x].txt': 'brackets',
  'naïve/文件.txt': 'Grüße, 世界 🎉\n',
  '.env': 'TOKEN=two\n',
  '.git/config': 'two',
  'src/.hidden/x.ts': 'two',
}

t.test('Glob finds files by the parts of their paths, sorted', async (t) => {
  const { call, fill } = await createWorkspace(t)
  await fill(TREE)
  const table: [pattern: string, paths: string[], path?: string][] = [
    ['*', ['README.md']],
    ['**', ['README.md', 'a b/[x].txt', ...SRC, 'naïve/文件.txt'].sort()],
    ['**/*.ts', ['src/deep/er/util.ts', 'src/main.test.ts', 'src/main.ts']],
    ['./src//*.ts', ['src/main.test.ts', 'src/main.ts']],
    ['src/**/*.ts', ['src/deep/er/util.ts', 'src/main.test.ts', 'src/main.ts']],
    ['src/**', SRC],
    ['src/**/**/util.ts', ['src/deep/er/util.ts']],
    ['src/*/er/*', ['src/deep/er/util.ts']],
    ['**/deep/**', ['src/deep/data.json', 'src/deep/er/util.ts']],
    ['src/main.??', ['src/main.ts']],
    ['src/main.[a-t]*', ['src/main.test.ts', 'src/main.ts']],
    ['src/main.[!s]?', ['src/main.ts']],
    ['src/main.[^t]?', []],
    ['**/*.{md,json}', ['README.md', 'src/deep/data.json']],
    ['{README,src/{main,deep/data}}.{md,ts,json}', ['README.md', 'src/deep/data.json', 'src/main.ts']],
    ['a b/\\[x\\].txt', ['a b/[x].txt']],
    ['a b/[[]x[]].txt', ['a b/[x].txt']],
    ['a b/[x].txt', []],
    ['a b/[x', []],
    ['{a', []],
    ['{README.md}', []],
    ['**/??.txt', ['naïve/文件.txt']],
    ['na[à-ÿ]ve/*', ['naïve/文件.txt']],
    ['.*', ['.env']],
    ['.git/*', ['.git/config']],
    ['**/.hidden/*', ['src/.hidden/x.ts']],
    ['[.]env', []],
    ['?env', []],
    ['*.ts', ['src/main.test.ts', 'src/main.ts'], 'src'],
    ['**/er/*', ['src/deep/er/util.ts'], 'src/deep'],
    ['*', ['src/.hidden/x.ts'], 'src/.hidden'],
    ['nothing', []],
    ['~/*', []],
    ['README.md/*', []],
  ]
  for (const [pattern, paths, path] of table)
    t.equal(
      await call('glob', path === undefined ? { pattern } : { pattern, path }),
      paths.join('\n') || '(no file matches)',
      `${pattern} in ${path ?? 'the workspace'}`,
    )
})

const SRC = ['src/deep/data.json', 'src/deep/er/util.ts', 'src/main.test.ts', 'src/main.ts']

t.test('No pattern leaves the workspace, and links are not followed', async (t) => {
  const { workspace, outside, call, fill, refused } = await createWorkspace(t)
  await fill({ 'real/file.txt': SECRET.slice(0, 4) })
  await symlink(outside, join(workspace, 'link'))
  await symlink(join(outside, 'secret.txt'), join(workspace, 'secret.txt'))
  await symlink('.', join(workspace, 'self'))
  await symlink('real', join(workspace, 'alias'))
  const table: [pattern: string, message: RegExp][] = [
    ['../*', /has "\.\."/],
    ['real/../../agent-outside/*', /has "\.\."/],
    ['{..,real}/*', /has "\.\."/],
    ['{.,}./*', /has "\.\."/],
    ['\\.\\./*', /has "\.\."/],
    ['.\\./*', /has "\.\."/],
    ['**/../*', /has "\.\."/],
    ['/etc/*', /is absolute/],
    ['{/etc,real}/*', /is absolute/],
    [`${workspace}/*`, /is absolute/],
    ['real/', /ends with a slash/],
    ['a\0b', /NUL/],
    ['.', /names nothing/],
    ['{,.}', /names nothing/],
  ]
  for (const [pattern, message] of table) {
    await refused('glob', { pattern }, message, `glob refuses ${JSON.stringify(pattern)}`)
    await refused('grep', { glob: pattern, pattern: '.' }, message, `grep refuses ${JSON.stringify(pattern)}`)
  }
  for (const pattern of [
    '[.][.]/*',
    '.?/*',
    '{.}{.,x}/*',
    '.*/**',
    '?./*',
    '*/*',
    '**',
    'link/*',
    'self/**',
    'secret.txt',
  ])
    t.notMatch(await call('glob', { pattern }), /secret|link|self|alias/, `${pattern} leads nowhere`)
  t.equal(await call('glob', { pattern: '**/*' }), 'real/file.txt')
  t.equal(await call('glob', { path: 'alias', pattern: '*' }), 'real/file.txt', 'a link inside may be named')
  t.equal(await call('grep', { pattern: '.' }), `real/file.txt:1: ${SECRET.slice(0, 4)}`)
})

t.test('Grep returns matching lines with path and number, and those around them', async (t) => {
  const { call, fill } = await createWorkspace(t)
  await fill(TREE)
  const table: [input: object, lines: string[]][] = [
    [
      { pattern: 'two' },
      ['src/deep/er/util.ts:1: export const two = 2', 'src/main.test.ts:1: two', 'src/main.ts:2: two'],
    ],
    [{ pattern: '^t' }, ['src/main.test.ts:1: two', 'src/main.ts:2: two', 'src/main.ts:3: three']],
    [{ pattern: '2$' }, ['src/deep/er/util.ts:1: export const two = 2']],
    [{ pattern: 'TWO', ignore_case: true, path: 'src/main.ts' }, ['src/main.ts:2: two']],
    [{ pattern: '[x]', literal: true }, ['(no line matches; searched: 7 files)']],
    [{ pattern: 'grüße, 世', ignore_case: true }, ['naïve/文件.txt:1: Grüße, 世界 🎉']],
    [{ pattern: '🎉$' }, ['naïve/文件.txt:1: Grüße, 世界 🎉']],
    [{ pattern: 'two', glob: '*.test.ts' }, ['src/main.test.ts:1: two']],
    [{ pattern: 'two', glob: 'deep/**', path: 'src' }, ['src/deep/er/util.ts:1: export const two = 2']],
    [{ pattern: 'two', glob: '{.env,.git/*}' }, ['.env:1: TOKEN=two', '.git/config:1: two']],
    [{ pattern: 'two', path: '.git' }, ['.git/config:1: two']],
    [
      { pattern: 'three|six', path: 'src/main.ts', before: 1, after: 1 },
      ['two', 'three', 'four', 'five', 'six', 'seven'].map(
        (word, i) => `src/main.ts${['three', 'six'].includes(word) ? `:${i + 2}: ` : `-${i + 2}- `}${word}`,
      ),
    ],
    [
      { pattern: 'one|seven', path: 'src/main.ts', before: 2, after: 1 },
      [
        'src/main.ts:1: one',
        'src/main.ts-2- two',
        '--',
        'src/main.ts-5- five',
        'src/main.ts-6- six',
        'src/main.ts:7: seven',
      ],
    ],
    [
      { pattern: 'two', path: 'src', glob: 'main*', after: 1 },
      ['src/main.test.ts:1: two', '--', 'src/main.ts:2: two', 'src/main.ts-3- three'],
    ],
    [
      { pattern: 'e', path: 'src/main.ts', max_matches: 2 },
      ['src/main.ts:1: one', 'src/main.ts:3: three', '[cut after 2 matching lines]'],
    ],
    [
      { pattern: 'two', max_matches: 1, glob: 'main.ts', after: 1 },
      ['src/main.ts:2: two', 'src/main.ts-3- three'],
    ],
  ]
  const results = await Promise.all(table.map(([input]) => call('grep', input)))
  for (const [index, [input, lines]] of table.entries())
    t.equal(results[index], lines.join('\n'), JSON.stringify(input))
})

t.test('Grep reports what it skips', async (t) => {
  const { workspace, call, fill } = await createWorkspace(t)
  await fill({
    'text.txt': 'find me\n',
    'zeros.bin': Buffer.from('find me\0'),
    'latin.txt': Buffer.from('find m\xe9\n', 'latin1'),
    'one-line.txt': `${'x'.repeat(70_000)}find me`,
    'middle.txt': `${'界'.repeat(30_000)}find me${'🎉'.repeat(3000)}`,
    'new\nline.txt': 'find me',
  })
  await writeFile(join(workspace, 'large.txt'), Buffer.alloc(16 * 1024 * 1024 + 1, 'find me\n'))
  execFileSync('mkfifo', [join(workspace, 'pipe')])
  const lines = (await call('grep', { pattern: 'find m' })).split('\n')
  t.equal(lines[0], 'latin.txt:1: find m\ufffd')
  t.match(lines[1], /^middle\.txt:1: …界{100}find me🎉+…$/u, 'a long line is shown around its match')
  t.ok(lines[1]!.length < 500)
  t.strictSame(lines.slice(2), [
    '"new\\nline.txt":1: find me',
    'text.txt:1: find me',
    '[searched only in the first 65536 characters: 1 line]',
    '[left out: 1 file with bytes that are not text]',
    '[left out: 1 file of more than 16777216 bytes]',
  ])
  t.equal(
    await call('grep', { pattern: 'find', path: 'zeros.bin' }),
    '(no line matches; searched: 0 files)\n[left out: 1 file with bytes that are not text]',
  )
  await fill({ 'closed/x.txt': 'find me' })
  await chmod(join(workspace, 'closed'), 0)
  t.teardown(() => chmod(join(workspace, 'closed'), 0o700))
  const result = await call('glob', { pattern: '**/x.txt' })
  if (process.getuid?.() === 0) t.equal(result, 'closed/x.txt')
  else t.equal(result, '(no file matches)\n[left out: 1 folder that may not be opened]')
})

t.test('Output is bounded in bytes of UTF-8, notes included', { skip: onlyLong }, async (t) => {
  const { workspace, call, fill } = await createWorkspace(t)
  await mkdir(join(workspace, 'many'))
  await Promise.all(
    Array.from({ length: 1001 }, (_, i) => writeFile(join(workspace, 'many', `${'汉'.repeat(30)}${i}`), '')),
  )
  await fill({ 'lines.txt': `${'汉字🎉'.repeat(60)}\n`.repeat(900) })
  const result = await call('glob', { pattern: 'many/*' })
  t.match(
    result,
    /\n\[cut: only the first part of \d+ bytes is shown\]\n\[cut: only the first 1000 files are listed\]$/,
  )
  const lines = await call('grep', { pattern: '汉', path: 'lines.txt', max_matches: 900 })
  t.match(lines, /\n\[cut after \d+ matching lines: the output is full\]$/)
  for (const text of [result, lines]) {
    t.ok(Buffer.byteLength(text) <= 65_536)
    t.notMatch(text, '\ufffd', 'no character was divided')
  }
  const short = await call('glob', { pattern: '**/*9' })
  t.equal(short.split('\n').length, 100)
})

t.test('A folder that is too deep is skipped and reported', async (t) => {
  const { workspace, call } = await createWorkspace(t)
  const deep = join(workspace, ...Array<string>(70).fill('d'))
  await mkdir(deep, { recursive: true })
  await writeFile(join(deep, 'x'), '')
  t.equal(
    await call('glob', { pattern: '**' }),
    '(no file matches)\n[left out: 1 folder more than 64 levels down]',
  )
})

t.test('Patterns built to run forever end, and do not block the server', { skip: onlyLong }, async (t) => {
  const { call, fill } = await createWorkspace(t)
  const evil = 'ab'.repeat(40_000)
  await fill({
    'a.txt': `${'a'.repeat(80_000)}\n${evil}\n${`${'ab'.repeat(100)}\n`.repeat(500)}`,
    [`${'a'.repeat(250)}`]: 'a',
    [`d/${'ab'.repeat(120)}`]: 'x',
  })
  const patterns = [
    '(a+)+$',
    '(a|a)*b',
    '(a|aa)+$',
    '(.*)*x',
    '(.*a){25}c',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    'a{1,1000}',
    'a{1,1000}{1,1000}',
    '((a{1,100}){1,100}){1,100}',
    '(?:a|b)*a(?:a|b){300}c',
    `${'a?'.repeat(500)}${'a'.repeat(500)}c`,
    '\\pL{1000}'.repeat(450),
    '('.repeat(2000) + ')'.repeat(2000),
    'x*'.repeat(2048),
    '.'.repeat(4096),
    '[a-z]'.repeat(800),
    '*'.repeat(4096),
    '('.repeat(4096),
  ]
  let allTurns = 0
  for (const pattern of patterns) {
    const work = () => call('grep', { pattern }).catch((error) => `refused: ${error.message}`)
    const { result, turns } = await countingTurns(work)
    t.match(result, /:\d+: |no line matches|refused: the pattern (cannot be used|is too large)/)
    allTurns += turns
  }
  t.ok(allTurns > 20 * patterns.length, 'the event loop goes on all the while')

  const globs = [
    '*'.repeat(4096),
    '*a'.repeat(2048),
    `${'*a'.repeat(100)}*c`,
    `${'?*'.repeat(120)}c`,
    '**/'.repeat(1300),
    `${'**/a*/'.repeat(600)}x`,
    '{a,b}'.repeat(800),
    '{'.repeat(4096),
    '{a,'.repeat(1000) + '}'.repeat(1000),
    `{${','.repeat(4000)}}`,
    `{${'a*b,'.repeat(200)}}{a,b}`,
    '[a-'.repeat(1300),
    '[!'.repeat(2000),
    `[${'a-z'.repeat(1300)}]*`,
    '\\'.repeat(4096),
    'a/'.repeat(2047),
  ]
  for (const pattern of globs) {
    const result = await call('glob', { pattern }).catch((error) => `refused: ${error.message}`)
    t.match(
      result,
      /^a+$|^\(no file matches\)$|^a\.txt|^d\/|refused: (the braces|the pattern has more|the pattern names|.* ends with a slash)/m,
      `${pattern.slice(0, 40)} ends`,
    )
    t.ok(Buffer.byteLength(result) < 2000)
  }
})

t.test('Walking a large folder does not block the server', { skip: onlyLong }, async (t) => {
  const { call, fill } = await createWorkspace(t)
  const names = 100
  await fill(Object.fromEntries(Array.from({ length: names }, (_, i) => [`${'a'.repeat(240)}${i}`, 'x'])))
  const pattern = `*${'a'.repeat(120)}{${Array.from({ length: 50 }, (_, i) => `-${i}`)}}`
  const { result, turns } = await countingTurns(() => call('glob', { pattern }))
  t.equal(result, '(no file matches)')
  t.ok(turns > 0.3 * names, 'it yields about once for each name')
  const controller = new AbortController()
  const walking = call('glob', { pattern }, controller.signal)
  const searching = call('grep', { pattern: 'y' }, controller.signal)
  const isAborted = setImmediate().then(() => controller.abort())
  await Promise.all([walking, searching].map((work) => t.rejects(work, { name: 'AbortError' })))
  await isAborted
})

t.test('Unsupported syntax is explained', async (t) => {
  const { fill, refused } = await createWorkspace(t)
  await fill({ 'a.txt': 'aa' })
  for (const pattern of ['(?=a)', '(?!a)', '(?<=a)a', '(?<!a)a', '(a)\\1', '(?>a)', 'a++', '\\k<n>'])
    await refused(
      'grep',
      { pattern },
      /the pattern cannot be used: .*\. Regular expressions are those of RE2: no lookahead, lookbehind, backreferences/,
      pattern,
    )
  for (const pattern of ['(', '[a', 'a{2000}', '\\p{Foo}', '*'])
    await refused('grep', { pattern }, /the pattern cannot be used: /, pattern)
})

t.test('Many concurrent searches all succeed', async (t) => {
  const { call, fill } = await createWorkspace(t)
  await fill({ 'a.txt': Array.from({ length: 12 }, (_, i) => `line ${i};\n`).join('') })
  const controller = new AbortController()
  const aborted = Array.from({ length: 3 }, () => call('grep', { pattern: 'x' }, controller.signal))
  const results = Array.from({ length: 12 }, (_, i) => call('grep', { pattern: `line ${i};` }))
  controller.abort()
  await Promise.all(aborted.map((search) => t.rejects(search, { name: 'AbortError' })))
  t.strictSame(
    await Promise.all(results),
    Array.from({ length: 12 }, (_, i) => `a.txt:${i + 1}: line ${i};`),
  )
})

t.test('A search that is stopped leaves no file open', async (t) => {
  const { workspace, call, fill } = await createWorkspace(t)
  await fill(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${i % 9}/${i}/x.txt`, 'text'])))
  const openHere = async () => {
    const links = (await readdir('/proc/self/fd')).map((fd) =>
      readlink(`/proc/self/fd/${fd}`).catch(() => ''),
    )
    return (await Promise.all(links)).filter((path) => path.startsWith(workspace))
  }
  for (let round = 0; round < 4; round++) {
    const controller = new AbortController()
    const searching = call('grep', { pattern: 'none' }, controller.signal)
    const refused = t.rejects(searching, { name: 'AbortError' })
    while ((await openHere()).length === 0) await setImmediate()
    controller.abort()
    await refused
  }
  while ((await openHere()).length > 0) await setImmediate()
  t.same(await openHere(), [], 'all of them are closed')
})

t.test('A stopped turn searches nothing', async (t) => {
  const { call } = await createWorkspace(t)
  await t.rejects(call('glob', { pattern: '*' }, AbortSignal.abort()), { name: 'AbortError' })
  await t.rejects(call('grep', { pattern: '.' }, AbortSignal.abort()), { name: 'AbortError' })
})
