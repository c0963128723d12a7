import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_ROOT } from '../kernel/loading/package.ts'
import { readWebPage } from '../plugins/tools/documents/reading/html-web-page.ts'
import { toWords } from './corpus-words.ts'

/** Web pages of our own making, each beside the text that a reader comes for. */
const PAGES = join(PACKAGE_ROOT, 'bench/pages')

/** The text of a page that a reader comes for. */
export interface ExpectedText {
  language: string
  /** The feature of the page that is hard to read. */
  note: string
  text: string[]
  /** Texts that are not a part of it. */
  not: string[]
  /** Texts that may be read or left out: the main heading, descriptions of pictures, heads that each row repeats. */
  optional?: string[]
}

/** A page with its expected text. */
export interface TestPage {
  name: string
  source: string
  expected: ExpectedText
}

/** The shares of the words that were read rightly, and of the expected words that were read; both in one figure. */
export interface TextScore {
  precision: number
  recall: number
  f1: number
  missing: string[]
  surplus: string[]
}

/** Returns the pages. */
export const listPages = (): TestPage[] =>
  readdirSync(PAGES)
    .filter((name) => name.endsWith('.html'))
    .map((name) => ({
      name,
      source: readFileSync(join(PAGES, name), 'utf8'),
      expected: JSON.parse(readFileSync(join(PAGES, `${name}.json`), 'utf8')) as ExpectedText,
    }))

/** Returns the main text of a page as the server reads it, without the addresses of links and the marks of pictures. */
export function readMainText(source: string): string {
  const { blocks } = readWebPage(source, 'https://pages.example/folder/page')
  const text = blocks.map((block) => block.text).join('\n\n')
  return text.replace(/ \(https?:\/\/[^\s()]*\)/g, '').replace(/\[image: ([^\]]*)\]/g, '$1')
}

/** Compares the words of a text with the expected ones, each as often as it is there. */
export function scoreText({ text, optional = [] }: ExpectedText, read: string): TextScore {
  const expected = text.flatMap(toWords)
  const free = new Set(optional.flatMap(toWords))
  const left = new Map<string, number>()
  for (const word of expected) left.set(word, (left.get(word) ?? 0) + 1)
  const surplus: string[] = []
  let matched = 0
  for (const word of toWords(read)) {
    const count = left.get(word) ?? 0
    if (count > 0) {
      left.set(word, count - 1)
      matched += 1
    } else if (!free.has(word)) surplus.push(word)
  }
  const missing = [...left].flatMap(([word, count]) => Array<string>(free.has(word) ? 0 : count).fill(word))
  const precision = matched / Math.max(1, matched + surplus.length)
  const recall = 1 - missing.length / expected.length
  const f1 = (2 * precision * recall) / Math.max(Number.EPSILON, precision + recall)
  return { precision, recall, f1, missing, surplus }
}
