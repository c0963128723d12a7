import { readFileSync } from 'node:fs'

const README = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')

/** The code of the README's example that is marked with this name. */
export function readRecipe(name: string): string {
  const marked = README.split(`<!-- recipe: ${name} -->`)[1]
  const code = marked && /^\n```\w+\n([\s\S]*?)\n```/.exec(marked)?.[1]
  if (!code) throw new Error(`the README has no example marked "${name}"`)
  return `${code}\n`
}
