import { readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readDocument } from './readme.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** The document that holds the tables. */
export const DOCUMENT = 'docs/plugins.md'

/** The interfaces of which there is a table, with the heads of its columns. */
export const TABLES = {
  Events: ['Event', 'Payload', 'Of', 'Meaning'],
  ExtensionPoints: ['Extension point', 'Entry', 'Of', 'Meaning'],
  GuardContexts: ['Guard', 'Adds to the request', 'Of', 'Lets in'],
} as const

/** The name of such an interface. */
export type TableName = keyof typeof TABLES

/** One member of an interface that plugins add to. */
interface Member {
  name: string
  type: string
  /** The plugin, or `kernel`. */
  owner: string
  /** Empty if it has no doc comment. */
  meaning: string
}

/** Lists what the kernel and the built-in plugins declare in one of these interfaces, by name. */
export function listMembers(table: TableName): Member[] {
  const plugins = readdirSync(`${ROOT}plugins`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('/templates/'))
    .map((file) => ({ owner: file.split('/')[0]!, path: `plugins/${file}` }))
  return [{ owner: 'kernel', path: 'kernel/types.ts' }, ...plugins]
    .flatMap(({ owner, path }) =>
      [
        ...readDocument(path).matchAll(
          new RegExp(`^( *)(?:export )?interface ${table} \\{\\n([\\s\\S]*?)^\\1\\}`, 'gm'),
        ),
      ].flatMap(([, , body = '']) => membersIn(body).map((member) => ({ ...member, owner }))),
    )
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** A doc comment, if there is one, and a member whose first line is indented by no more than the others. */
const MEMBER = /(?:\/\*\*([\s\S]*?)\*\/\s*)?'?([\w.-]+)'?: (.*(?:\n .*)*)/g

function membersIn(body: string): Omit<Member, 'owner'>[] {
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
export function writeTable(table: TableName): string {
  const heads = TABLES[table]
  const rows = listMembers(table).map(({ name, type, owner, meaning }) =>
    [`\`${name}\``, `\`${cell(type)}\``, owner, cell(meaning)].join(' | '),
  )
  const divider = `|${'---|'.repeat(heads.length)}`
  return [`| ${heads.join(' | ')} |`, divider, ...rows.map((row) => `| ${row} |`)].join('\n')
}

const MARKED = /^<!-- table: (\w+) -->\n(?:\n\|.*(?:\n\|.*)*)?/gm

/** Returns the document with its tables as the sources have them. */
export const withTables = (text: string): string =>
  text.replaceAll(MARKED, (_, table) => `<!-- table: ${table} -->\n\n${writeTable(table)}`)

/** Brings the tables of the document up to date. */
export const updateTables = (): void =>
  writeFileSync(`${ROOT}${DOCUMENT}`, withTables(readDocument(DOCUMENT)))
