import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listPluginFolders } from './plugin-folders.ts'

/** The folder of the compiled declarations. */
const DIST = fileURLToPath(new URL('../..', import.meta.url))

/** The path of the report that the test compares. */
export const API_REPORT = join(DIST, '..', 'plugin-api', 'api-report.md')

/** The public entry points: import specifier and declaration file. */
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

/** The declaration that a name of another file refers to. */
interface Origin {
  file: string
  name: string
}

const START = /^(?=(?:export|import|declare|interface|type)\b)/m
const DECLARED =
  /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:interface|type|const|function|class) (\w+)/
const CLAUSE = /^(?:import|export) (?:type )?\{([^}]*)\} from '([^']+)'/
const STAR = /^export \* from '([^']+)'/

/** The interfaces that plugins extend by declaration merging. */
const SHARED_INTERFACES = ['Services', 'Events', 'GuardContexts', 'ExtensionPoints']

const cache = new Map<string, Statement[]>()

function readStatements(file: string): Statement[] {
  const cached = cache.get(file)
  if (cached) return cached
  const source = readFileSync(join(DIST, file), 'utf8')
    .replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, '')
    .replace(/^ *\/\/.*\n/gm, '')
  const statements = source
    .split(START)
    .map((text) => ({ file, text: text.trim(), name: DECLARED.exec(text)?.[1] }))
  cache.set(file, statements)
  return statements
}

/** The files of specifiers such as `#kernel`. */
const IMPORTS: Record<string, string> = JSON.parse(
  readFileSync(join(DIST, '../package.json'), 'utf8'),
).imports

/** Returns the declaration file of this repository for a specifier; undefined for an installed package. */
function resolve(specifier: string, from: string): string | undefined {
  const own = IMPORTS[specifier]
  if (own) return own.replace('./dist/', '').replace(/\.js$/, '.d.ts')
  if (!specifier.startsWith('.')) return undefined
  return join(from, '..', specifier).replace(/\.ts$/, '.d.ts')
}

/** Lists the names that a statement imports or re-exports, with their origins. */
function listOrigins({ file, text }: Statement): [alias: string, Origin][] {
  const star = resolve(STAR.exec(text)?.[1] ?? '', file)
  if (star) return listExports(star).map((name) => [name, { file: star, name }])
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

/** Lists the names that a file exports. */
function listExports(file: string): string[] {
  return readStatements(file)
    .filter(({ text }) => text.startsWith('export'))
    .flatMap((statement) => statement.name ?? listOrigins(statement).map(([alias]) => alias))
}

/** Finds the statement that declares a name of a file, through imports and re-exports. */
function findDeclaration({ file, name }: Origin): Statement | undefined {
  const own = readStatements(file).find((statement) => statement.name === name)
  if (own) return own
  const [, origin] =
    readStatements(file)
      .flatMap(listOrigins)
      .find(([alias]) => alias === name) ?? []
  return origin && findDeclaration(origin)
}

/** Collects these statements and all statements that they refer to, directly or indirectly. */
function collectReferenced(statements: readonly Statement[]): Statement[] {
  const reachable = new Set(statements)
  for (const { file, text } of reachable)
    for (const [, name] of text.matchAll(/\b(?:typeof )?((?<=typeof )\w+|[A-Z]\w*)/g)) {
      const declared = findDeclaration({ file, name: name! })
      if (declared) reachable.add(declared)
    }
  return [...reachable]
}

/** Reads a plugin's additions to the shared interfaces of the API; `folder` is below `plugins`. */
function readAdditions(folder: string): Statement[] {
  const files = readdirSync(join(DIST, 'plugins', folder), { recursive: true, encoding: 'utf8' })
  return files
    .filter((name) => name.endsWith('.d.ts'))
    .sort()
    .flatMap((name) => readStatements(join('plugins', folder, name)))
    .filter(({ text }) => text.startsWith('declare module'))
    .flatMap(({ file, text }) =>
      text
        .split(/^(?= {4}interface )/m)
        .slice(1)
        .filter((part) => SHARED_INTERFACES.some((name) => part.startsWith(`    interface ${name} {`)))
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

/** Returns the public surface of the plugin API as Markdown, read from the compiled declarations. */
export function describeApi(): string {
  const entries = Object.entries(ENTRIES).filter(([, file]) => existsSync(join(DIST, file)))
  const additions = listPluginFolders()
    .map(({ name, folder }) => ({ plugin: name, statements: readAdditions(folder) }))
    .filter(({ statements }) => statements.length > 0)
  const roots = entries.flatMap(([, file]) =>
    listExports(file).flatMap((name) => findDeclaration({ file, name }) ?? []),
  )
  // Services are listed without the types that they refer to, which would be half of the server.
  const all = collectReferenced([
    ...roots,
    ...additions.flatMap(({ statements }) =>
      statements.filter(({ text }) => !/^interface Services/.test(text)),
    ),
  ])
  const files = [...new Set(all.map(({ file }) => file))].sort()
  const readPosition = (statement: Statement) => readStatements(statement.file).indexOf(statement)
  return [
    '# The public surface of the plugin API',
    'Written by `npm run api-report` from the compiled declarations; a test compares it, so that a change is seen in review.',
    ...entries.flatMap(([specifier, file]) => [
      `## Exports of \`${specifier}\``,
      [...new Set(listExports(file))]
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
        block(statements.sort((a, b) => readPosition(a) - readPosition(b))),
      ]
    }),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n')
}

// `npm run api-report`
if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(API_REPORT, describeApi())
