import { readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readDocument } from './readme.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** The document that contains the tables. */
export const DOCUMENT = 'docs/plugins.md'

/** The interfaces that have a table in the document, with its column headings. */
export const TABLES = {
  Events: ['Event', 'Payload', 'Of', 'Meaning'],
  ExtensionPoints: ['Extension point', 'Entry', 'Of', 'Meaning'],
  GuardContexts: ['Guard', 'Adds to the request', 'Of', 'Lets in'],
} as const

/** The name of an interface that has a table. */
export type TableName = keyof typeof TABLES

/** One member of an interface that plugins extend by declaration merging. */
interface Member {
  name: string
  type: string
  /** The name of a plugin, or `kernel`. */
  owner: string
  /** Empty if it has no doc comment. */
  meaning: string
}

/** Lists the members that the kernel and the built-in plugins declare in an interface, sorted by name. */
export function listMembers(table: TableName): Member[] {
  const plugins = readdirSync(`${ROOT}plugins`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('/templates/'))
    .map((file) => ({ owner: file.split('/')[1]!, path: `plugins/${file}` }))
  return [
    ...['additions', 'cradle', 'extension-points'].map((name) => ({
      owner: 'kernel',
      path: `kernel/contract/${name}.ts`,
    })),
    ...plugins,
  ]
    .flatMap(({ owner, path }) =>
      [
        ...readDocument(path).matchAll(
          new RegExp(`^( *)(?:export )?interface ${table} \\{\\n([\\s\\S]*?)^\\1\\}`, 'gm'),
        ),
      ].flatMap(([, , body = '']) => parseMembers(body).map((member) => ({ ...member, owner }))),
    )
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** An optional doc comment and a member whose first line is indented no more than the following lines. */
const MEMBER = /(?:\/\*\*([\s\S]*?)\*\/\s*)?'?([\w.-]+)'?: (.*(?:\n .*)*)/g

function parseMembers(body: string): Omit<Member, 'owner'>[] {
  const indent = /^ */.exec(body)![0]
  const lines = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '').replaceAll(/^(?=[})\]>])/gm, ' ')
  return [...lines.matchAll(MEMBER)].map(([, comment = '', name = '', type = '']) => ({
    name,
    type: onOneLine(type.replaceAll(/(?<=[^{(<,|&])\n *(?=[\w'])/g, '; ')),
    meaning: onOneLine(comment.replaceAll(/^ *\*/gm, '')),
  }))
}

const onOneLine = (text: string) =>
  text
    .replaceAll(/(?<=<)\s+|\s+(?=>)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

const cell = (text: string) => text.replaceAll('|', '\\|')

/** Returns one of the tables as Markdown. */
function formatTable(table: TableName): string {
  const heads = TABLES[table]
  const rows = listMembers(table).map(({ name, type, owner, meaning }) =>
    [`\`${name}\``, `\`${cell(type)}\``, owner, cell(meaning)].join(' | '),
  )
  const divider = `|${'---|'.repeat(heads.length)}`
  return [`| ${heads.join(' | ')} |`, divider, ...rows.map((row) => `| ${row} |`)].join('\n')
}

const MARKED = /^<!-- table: (\w+) -->\n(?:\n\|.*(?:\n\|.*)*)?/gm

/** Returns the document with its tables generated from the sources. */
export const withTables = (text: string): string =>
  text.replaceAll(MARKED, (_, table) => `<!-- table: ${table} -->\n\n${formatTable(table)}`)

// `npm run docs`
if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(`${ROOT}${DOCUMENT}`, withTables(readDocument(DOCUMENT)))
