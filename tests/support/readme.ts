import { readFileSync } from 'node:fs'

const ROOT = new URL('../../../', import.meta.url)

/** Returns the code of the example that is marked with this name, of several the parts joined, in a document of this repository. */
export function readRecipe(name: string, document = 'README.md'): string {
  const marked = readDocument(document).split(`<!-- recipe: ${name} -->`).slice(1)
  const parts = marked.map((text) => /^\n```\w+\n([\s\S]*?)\n```/.exec(text)?.[1])
  if (parts.length === 0 || parts.includes(undefined))
    throw new Error(`${document} has no example marked "${name}"`)
  return `${parts.join('\n')}\n`
}

/** Returns the text of a document of this repository. */
export const readDocument = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')
