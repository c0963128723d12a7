import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from '../run/file-test.ts'

const WEB = fileURLToPath(new URL('../../../plugins/reach/console/web', import.meta.url))

type Text = string | { one?: string; other: string }

/** Reads all texts of a language by their keys: the file, a dot and the name. */
function readCatalog(language: string): Map<string, Text> {
  const folder = join(WEB, 'i18n', language)
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return new Map(
    files.flatMap((file) => {
      const texts: Record<string, Text> = JSON.parse(readFileSync(join(folder, file), 'utf8'))
      return Object.entries(texts).map(([name, text]) => [`${file.slice(0, -5)}.${name}`, text] as const)
    }),
  )
}

const sources = readdirSync(WEB, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({ name, source: readFileSync(join(WEB, name), 'utf8') }))
const [en, zh] = [readCatalog('en'), readCatalog('zh')]

const formsOf = (text: Text) => (typeof text === 'string' ? [text] : Object.values(text))
const placeholdersOf = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort()

t.test('both languages have the same texts', async (t) => {
  t.ok(en.size > 300)
  t.strictSame([...zh.keys()].sort(), [...en.keys()].sort())
})

t.test('both languages have the same placeholders in each text', async (t) => {
  const differs = [...en].filter(([key, text]) => {
    const other = zh.get(key)!
    const expected = placeholdersOf(formsOf(text).at(-1)!).join()
    return (
      typeof other !== typeof text || formsOf(other).some((form) => placeholdersOf(form).join() !== expected)
    )
  })
  t.strictSame(differs, [])
})

t.test('no text is empty, and the Chinese ones are Chinese', async (t) => {
  /** Names, and words that both languages write the same. */
  const isCommon = (text: string) => !/[a-z]{3,} [a-z]{3,}/.test(text)
  const isChinese = (text: string) => /\p{Script=Han}/u.test(text) || isCommon(text)
  t.strictSame(
    [...en, ...zh].filter(([, text]) => formsOf(text).some((form) => form.trim() === '')),
    [],
  )
  t.strictSame(
    [...zh].filter(([, text]) => !formsOf(text).every(isChinese)),
    [],
  )
})

t.test('every text is used', async (t) => {
  const code = sources.map(({ source }) => source).join('\n')
  const starts = [...code.matchAll(/`([\w-]+\.\w*)\$\{/g)].map(([, start]) => start!)
  const unused = [...en.keys()].filter(
    (key) => !code.includes(`'${key}'`) && !starts.some((start) => key.startsWith(start)),
  )
  t.strictSame(unused, [])
})

t.test('the chat uses no text that only other pages load', async (t) => {
  const pages = readFileSync(join(WEB, 'i18n/en/pages.ts'), 'utf8')
  const files = [...pages.matchAll(/'\.\/([\w-]+)\.json'/g)].map(([, file]) => file!)
  t.ok(files.length > 10)
  const reached = new Set<string>()
  const visit = (path: string) => {
    if (reached.has(path) || !/\.tsx?$/.test(path)) return
    reached.add(path)
    const code = sources.find(({ name }) => name === path)?.source.replace(/withPageWords\(.*\)/g, '') ?? ''
    for (const [, imported] of code.matchAll(/(?:from |import\()'(\.[^']+)'/g))
      visit(join(path, '..', imported!))
  }
  visit('main.tsx')
  t.ok(reached.has(join('chat', 'composer', 'composer.tsx')))
  const uses = sources
    .filter(({ name }) => reached.has(name) && !name.startsWith('i18n'))
    .flatMap(({ name, source }) =>
      [...source.matchAll(/['`]([\w-]+)\.\w*/g)].flatMap(([key, file]) =>
        files.includes(file!) && /words\.ts'/.test(source) ? `${name}: ${key}` : [],
      ),
    )
  t.strictSame(uses, [])
})

t.test('every text of the page is in the catalogs', async (t) => {
  /** Text between tags, and attributes that are read to people; code has none of both. */
  const patterns = [
    /<\w[^<>{}=]*(?:=(?:"[^"]*"|\{[^{}]*\})[^<>{}=]*)*>\s*([^<>{}]*\p{L}{2}[^<>{}]*)<\//gu,
    /\s(?:label|title|placeholder|description|aria-label|alt|about)="([^"]*\p{L}[^"]*)"/gu,
  ]
  /** Addresses and paths are the same in all languages. */
  const isPath = (text: string) => /^\S*\/\S*$/.test(text)
  const literals = sources
    .filter(({ name }) => name.endsWith('.tsx'))
    .flatMap(({ name, source }) =>
      patterns.flatMap((pattern) =>
        [...source.matchAll(pattern)]
          .filter(([, text]) => !isPath(text!.trim()))
          .map(([, text]) => `${name}: ${text!.trim()}`),
      ),
    )
  t.strictSame(literals, [])
})
