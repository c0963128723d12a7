import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ChannelKind } from '#plugin-api'
import { receivedFrames, sentFrames } from '../../plugins/conversations/chat/frames.ts'
import t from '../run/file-test.ts'
import { runCommand } from '../support/kernel.ts'
import { namesIn, PAGES, readDocument, tableOf } from '../support/readme.ts'
import { createHome } from '../support/server.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const README_LINES = 250
const LINE_LENGTH = 120

const all = [...PAGES, 'CHANGELOG.md', 'SECURITY.md']
const isCode = /^ *```[\s\S]*?^ *```$/gm
const withoutCode = (text: string) => text.replaceAll(isCode, '')

/** The anchors of the headings of a page, as GitHub makes them. */
const anchorsIn = (page: string) =>
  [...withoutCode(readDocument(page)).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )

const home = createHome(t)
const list = async <Row>(...args: string[]): Promise<Row[]> =>
  JSON.parse((await runCommand(home, [...args, '--json'])).stdout)

t.test('every link between pages leads somewhere', (t) => {
  const links = all.flatMap((page) =>
    [...withoutCode(readDocument(page)).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].map(
      ([, path = '', anchor]) => ({ page, anchor, to: path ? normalize(join(dirname(page), path)) : page }),
    ),
  )
  t.ok(links.length > 150)
  for (const { page, to, anchor } of links) {
    t.ok(existsSync(join(ROOT, to)), `${page} links to ${to}`)
    if (anchor !== undefined) t.ok(anchorsIn(to).includes(anchor), `${page} links to ${to}#${anchor}`)
  }
  t.end()
})

t.test('every file that a page names exists', (t) => {
  const path = /^(?:kernel|plugin-api|plugins|channels|providers|tests|bench|docs|\.ci)\/[\w./-]+$/
  const named = PAGES.flatMap((page) =>
    namesIn(withoutCode(readDocument(page))).flatMap((name) => (path.test(name) ? [{ page, name }] : [])),
  )
  t.ok(named.length > 30)
  for (const { page, name } of named) t.ok(existsSync(join(ROOT, name)), `${page}: ${name}`)
  t.end()
})

t.test('pages are readable in the source', (t) => {
  t.ok(readDocument('README.md').trim().split('\n').length <= README_LINES, 'the README is short')
  for (const page of all) {
    // Some tables are written from the sources.
    const written = readDocument(page).replaceAll(/(?<=<!-- table: \w+ -->\n)(?:\n\|.*(?:\n\|.*)*)/g, '')
    const long = written.split('\n').filter((line) => line.length > LINE_LENGTH)
    t.strictSame(long, [], page)
  }
  t.end()
})

t.test('every example that is marked is run by a test', (t) => {
  const folder = join(ROOT, 'tests/recipes')
  const tests = readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readDocument(`tests/recipes/${file}`))
    .join('\n')
  const marked = PAGES.flatMap((page) =>
    [...readDocument(page).matchAll(/^<!-- recipe: (.*) -->$/gm)].map(([, name]) => name!),
  )
  t.ok(marked.length > 20)
  for (const name of new Set(marked)) {
    // Some tests take the folder of an example and name its files themselves.
    const [, folder = name] = /^(\w+\/[\w-]+)\/(?:src\/)?index\.[jt]s$/.exec(name) ?? []
    t.ok(tests.includes(`'${name}'`) || tests.includes(`'${folder}'`), name)
  }
  t.end()
})

t.test('the table of settings has every key, its variable and its default', async (t) => {
  const keys = await list<{ key: string; env?: string; value?: unknown; source: string }>('config')
  const shown = keys.filter(({ key }) => !key.startsWith('limits.') && !key.endsWith('.enabled'))
  const written = tableOf('docs/operators.md', 'Settings', 'Key')
  const asText = (key: string, value: unknown) => {
    if (value === undefined) return 'none'
    if (key === 'http.body_limit' || typeof value === 'object') return JSON.stringify(value)
    return String(value)
  }
  // The tests themselves set some by variables.
  const isSet = (key?: string) => keys.some((one) => one.key === key && one.source.startsWith('env '))
  const rowOf = (key: string, variable?: string, value?: string) => [key, variable, isSet(key) ? '' : value]
  t.strictSame(
    written
      .map(([cell, variable, value]) => rowOf(namesIn(cell)[0]!, variable, value?.replaceAll('`', '')))
      .sort(),
    shown.map(({ key, env, value }) => rowOf(key, env ? `\`${env}\`` : '', asText(key, value))).sort(),
  )
})

t.test('the tables of tools and kinds have those that come with the server', async (t) => {
  const plugins = await list<{
    source: string
    declares: Record<string, string[]>
    extends: { point: string; name: string }[]
  }>('plugins')
  const entries = (point: string) =>
    plugins
      .filter(({ source }) => source === 'built-in')
      .flatMap((plugin) => plugin.extends.filter((one) => one.point === point).map(({ name }) => name))
      .sort()
  const first = (page: string, heading: string, column: string) =>
    tableOf(page, heading, column)
      .flatMap(([cell]) => namesIn(cell))
      .sort()
  t.strictSame(first('docs/users.md', 'Tools', 'Tool'), entries('agents.tools'))
  t.strictSame(first('docs/users.md', 'Models', 'Kind'), entries('providers.kinds'))
  t.strictSame(first('docs/channels.md', 'Kinds', 'Kind'), entries('channels.kinds'))

  for (const [cell, longest, isLive, hasButtons] of tableOf(
    'docs/channels.md',
    'What each kind can do',
    'Kind',
  )) {
    const name = namesIn(cell)[0]!
    const { default: kind } = (await import(`../../channels/${name}/index.js`)) as { default: ChannelKind }
    const { max_length, length_unit, live, buttons } = kind.capabilities.direct
    t.equal(longest, `${max_length} ${length_unit}`, name)
    t.same([isLive !== 'no', !hasButtons!.startsWith('no')], [Boolean(live), Boolean(buttons)], name)
  }
})

t.test('the tables of frames have every frame', (t) => {
  const first = (column: string) =>
    tableOf('docs/api.md', 'Frames', column)
      .flatMap(([cell]) => namesIn(cell))
      .sort()
  t.strictSame(first('From the client'), Object.keys(receivedFrames).sort())
  t.strictSame(first('From the server'), [...Object.keys(sentFrames)].sort())
  t.end()
})

t.test('every path of the API belongs to an area, and each area has one', async (t) => {
  const { stdout } = await runCommand(home, ['openapi'])
  const paths = Object.keys(JSON.parse(stdout).paths)
  const areas = tableOf('docs/api.md', 'Paths', 'Paths below `/api`').flatMap(([cell]) => namesIn(cell))
  const isIn = (area: string) => (path: string) => path === area || path.startsWith(`${area}/`)
  t.strictSame(
    paths.filter((path) => !areas.some((area) => isIn(area)(path))),
    [],
  )
  for (const area of areas) t.ok(paths.some(isIn(area)), area)
})

t.test('the table of collections has every collection', (t) => {
  const sources = readdirSync(join(ROOT, 'plugins'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /^[\w-]+\/[\w-]+\/index\.ts$/.test(file))
    .map((file) => readDocument(`plugins/${file}`))
  const declared = sources.flatMap((source) => [
    ...[...source.matchAll(/host\.collection\('(\w+)'/g)].map(([, name]) => name!),
    ...[...source.matchAll(/for \(const \w+ of \[(.*)\] as const\)\n\s*host\.collection\(/g)].flatMap(
      ([, names]) => [...names!.matchAll(/'(\w+)'/g)].map(([, name]) => name!),
    ),
  ])
  const rows = tableOf('docs/architecture.md', 'What is stored where', 'Plugin')
  t.strictSame(
    rows.flatMap(([owner, names]) => (owner === 'kernel' ? [] : namesIn(names))).sort(),
    declared.sort(),
  )
  t.end()
})

t.test('the table of dependencies has every dependency', (t) => {
  const { dependencies, optionalDependencies } = JSON.parse(readDocument('package.json'))
  const rows = tableOf('docs/architecture.md', 'Dependencies', 'For')
  t.strictSame(
    rows.flatMap(([, packages]) => namesIn(packages)).sort(),
    Object.keys({ ...dependencies, ...optionalDependencies }).sort(),
  )
  t.end()
})
