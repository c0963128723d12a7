import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The compiled declarations of this package. */
const DIST = fileURLToPath(new URL('../..', import.meta.url))

/** The text that is compared. */
export const API_REPORT = join(DIST, '..', 'plugin-api', 'api-report.md')

/** The files that outsiders import, by what they write. */
const ENTRIES = {
  'agent-platform-service/plugin-api': 'plugin-api/index.d.ts',
  'agent-platform-service/plugin-api/testing': 'plugin-api/testing/index.d.ts',
}

/** One statement of a declaration file, without comments, and the name that it declares. */
interface Statement {
  file: string
  text: string
  name: string | undefined
}

/** Where a name of one file comes from. */
interface Origin {
  file: string
  name: string
}

const START = /^(?=(?:export|import|declare|interface|type)\b)/m
const DECLARED =
  /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:interface|type|const|function|class) (\w+)/
const CLAUSE = /^(?:import|export) (?:type )?\{([^}]*)\} from '([^']+)'/
const STAR = /^export \* from '([^']+)'/

/** The interfaces that plugins add to and others may use. */
const SHARED = ['Services', 'Events', 'GuardContexts', 'ExtensionPoints']

const cache = new Map<string, Statement[]>()

function statementsIn(file: string): Statement[] {
  const known = cache.get(file)
  if (known) return known
  const source = readFileSync(join(DIST, file), 'utf8')
    .replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, '')
    .replace(/^ *\/\/.*\n/gm, '')
  const statements = source
    .split(START)
    .map((text) => ({ file, text: text.trim(), name: DECLARED.exec(text)?.[1] }))
  cache.set(file, statements)
  return statements
}

/** The declaration file of ours that a specifier means; undefined for a package's. */
function resolve(specifier: string, from: string): string | undefined {
  if (specifier === '#kernel') return 'kernel/index.d.ts'
  if (specifier === '#plugin-api') return 'plugin-api/index.d.ts'
  if (specifier.startsWith('#kernel/')) return `kernel/${specifier.slice('#kernel/'.length)}.d.ts`
  if (!specifier.startsWith('.')) return undefined
  return join(from, '..', specifier).replace(/\.ts$/, '.d.ts')
}

/** The names that a statement imports or passes on, with where they come from. */
function originsOf({ file, text }: Statement): [alias: string, Origin][] {
  const star = resolve(STAR.exec(text)?.[1] ?? '', file)
  if (star) return exportedBy(star).map((name) => [name, { file: star, name }])
  const [, names = '', specifier = ''] = CLAUSE.exec(text) ?? []
  const source = resolve(specifier, file)
  if (!source) return []
  return names.split(',').flatMap((part) => {
    const [name, alias = name] = part
      .trim()
      .replace(/^type /, '')
      .split(' as ')
    return name ? [[alias!, { file: source, name }]] : []
  })
}

/** The names that a file exports, as its importers write them. */
function exportedBy(file: string): string[] {
  return statementsIn(file)
    .filter(({ text }) => text.startsWith('export'))
    .flatMap((statement) => statement.name ?? originsOf(statement).map(([alias]) => alias))
}

/** The statement that declares what a file calls by this name. */
function declarationOf({ file, name }: Origin): Statement | undefined {
  const own = statementsIn(file).find((statement) => statement.name === name)
  if (own) return own
  const [, origin] =
    statementsIn(file)
      .flatMap(originsOf)
      .find(([alias]) => alias === name) ?? []
  return origin && declarationOf(origin)
}

/** All statements that these say something about, their own included, those of plugins left out. */
function closureOf(statements: readonly Statement[]): Statement[] {
  const found = new Set(statements)
  for (const { file, text } of found)
    for (const [, name] of text.matchAll(/\b(?:typeof )?((?<=typeof )\w+|[A-Z]\w*)/g)) {
      const declared = declarationOf({ file, name: name! })
      if (declared) found.add(declared)
    }
  return [...found]
}

/** The parts of a plugin's additions to the interfaces of the API that others may use. */
function additionsOf(plugin: string): Statement[] {
  const files = readdirSync(join(DIST, 'plugins', plugin), { recursive: true, encoding: 'utf8' })
  return files
    .filter((name) => name.endsWith('.d.ts'))
    .sort()
    .flatMap((name) => statementsIn(join('plugins', plugin, name)))
    .filter(({ text }) => text.startsWith('declare module'))
    .flatMap(({ file, text }) =>
      text
        .split(/^(?= {4}interface )/m)
        .slice(1)
        .filter((part) => SHARED.some((name) => part.startsWith(`    interface ${name} {`)))
        .map((part) => ({
          file,
          text: part
            .replace(/^}\s*$/m, '')
            .replaceAll(/^ {4}/gm, '')
            .trim(),
          name: '',
        })),
    )
}

const block = (statements: readonly Statement[]) =>
  ['```ts', ...statements.map(({ text }) => text), '```'].join('\n')

/** The public surface of the plugin API as Markdown, read from the compiled declarations. */
export function describeApi(): string {
  const entries = Object.entries(ENTRIES).filter(([, file]) => existsSync(join(DIST, file)))
  const additions = readdirSync(join(DIST, 'plugins'))
    .sort()
    .map((plugin) => ({ plugin, statements: additionsOf(plugin) }))
    .filter(({ statements }) => statements.length > 0)
  const roots = entries.flatMap(([, file]) =>
    exportedBy(file).flatMap((name) => declarationOf({ file, name }) ?? []),
  )
  // Services go by their names alone: all that they are made of would be half of the server.
  const all = closureOf([
    ...roots,
    ...additions.flatMap(({ statements }) =>
      statements.filter(({ text }) => !/^interface Services/.test(text)),
    ),
  ])
  const files = [...new Set(all.map(({ file }) => file))].sort()
  const orderOf = (statement: Statement) => statementsIn(statement.file).indexOf(statement)
  return [
    '# The public surface of the plugin API',
    'Written by `npm run api-report` from the compiled declarations; a test compares it, so that a change is seen in review.',
    ...entries.flatMap(([specifier, file]) => [
      `## Exports of \`${specifier}\``,
      [...new Set(exportedBy(file))]
        .sort()
        .map((name) => `\`${name}\``)
        .join(', '),
    ]),
    '## What the built-in plugins add to it',
    ...additions.flatMap(({ plugin, statements }) => [`### ${plugin}`, block(statements)]),
    '## Declarations',
    ...files.flatMap((file) => {
      const statements = all.filter((one) => one.file === file && one.name)
      if (statements.length === 0) return []
      return [
        `### ${file.replace(/\.d\.ts$/, '')}`,
        block(statements.sort((a, b) => orderOf(a) - orderOf(b))),
      ]
    }),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n')
}
