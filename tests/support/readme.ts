import { readdirSync, readFileSync } from 'node:fs'

const ROOT = new URL('../../../', import.meta.url)

/** The pages for people: the README and the pages of `docs/`. */
export const PAGES: readonly string[] = [
  'README.md',
  ...readdirSync(new URL('docs/', ROOT))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
]

/**
 * Returns the code of the example that is marked with this name; an example in several parts is joined. Only `page` is
 * searched if it is set, otherwise all pages, of which exactly one must have the example.
 */
export function readRecipe(name: string, page?: string): string {
  const mark = `<!-- recipe: ${name} -->`
  const pages = page === undefined ? PAGES.filter((one) => readDocument(one).includes(mark)) : [page]
  if (pages.length !== 1)
    throw new Error(`the example "${name}" must be on one page and is on ${pages.join(', ') || 'none'}`)
  const marked = readDocument(pages[0]!).split(mark).slice(1)
  const parts = marked.map((text) => /^\n```\w+\n([\s\S]*?)\n```/.exec(text)?.[1])
  if (parts.length === 0 || parts.includes(undefined))
    throw new Error(`${pages[0]} has no example marked "${name}"`)
  return `${parts.join('\n')}\n`
}

/** Returns the text of a document of this repository. */
export const readDocument = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')

/** The rows of the table with this first column below a heading, each a list of cells. */
export function tableOf(page: string, heading: string, column: string): string[][] {
  const [, section = ''] = readDocument(page).split(new RegExp(`^#+ ${heading}$`, 'm'))
  const lines = section.split(/^#+ /m)[0]!.split('\n')
  const first = lines.findIndex((line) => line.startsWith(`| ${column} |`))
  if (first < 0) throw new Error(`${page} has no table "${column}" below "${heading}"`)
  const rows = lines.slice(first + 2)
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

/** The words in code style in a cell. */
export const namesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)
