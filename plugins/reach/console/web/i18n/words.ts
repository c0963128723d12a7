import type appWords from './en/app.ts'
import type pageWords from './en/pages.ts'
import type startWords from './en/start.ts'
import { language } from './language.ts'

type Catalog = typeof startWords & typeof appWords & typeof pageWords
/** Forms of a text for counts, by the categories of `Intl.PluralRules`. */
type Forms = { one?: string; other: string }

/** The key of a text: its file, a dot and its name. */
export type WordKey = {
  [File in keyof Catalog]: `${File}.${Extract<keyof Catalog[File], string>}`
}[keyof Catalog]

const words = new Map<string, string | Forms>()
const plurals = new Intl.PluralRules(language)

/** Adds the texts of some files to those that `t` knows. */
export function addWords(catalog: Record<string, Record<string, string | Forms>>): void {
  for (const [file, texts] of Object.entries(catalog))
    for (const [name, text] of Object.entries(texts)) words.set(`${file}.${name}`, text)
}

/** Returns a text in the language of the page, with its `{name}` replaced by values; `count` chooses its form. */
export function t(key: WordKey, values: Record<string, string | number> = {}): string {
  const word = words.get(key) ?? key
  const text = typeof word === 'string' ? word : selectForm(word, Number(values.count))
  return text.replace(/\{(\w+)\}/g, (_, name) => format(values[name] ?? ''))
}

/** Joins names to a list. */
export const joinNames = (names: readonly string[]): string => names.join(t('common.list_separator'))

/** Returns a text that only some things have, for example a field of a form; undefined if there is none. */
export function findWord(key: string): string | undefined {
  const word = words.get(key)
  return typeof word === 'string' ? word : undefined
}

/** Lists the names of the texts of a file. */
export const namesIn = (file: string): string[] =>
  [...words.keys()].filter((key) => key.startsWith(`${file}.`)).map((key) => key.slice(file.length + 1))

const selectForm = (forms: Forms, count: number) =>
  (plurals.select(count) === 'one' && forms.one) || forms.other

const numbers = new Intl.NumberFormat(language)
const format = (value: string | number) => (typeof value === 'number' ? numbers.format(value) : value)
