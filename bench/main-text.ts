import { createRequire } from 'node:module'
import { performance } from 'node:perf_hooks'
import type { Figure, Row } from './figure.ts'
import { listPages, readMainText, scoreText, type TestPage, type TextScore } from './pages.ts'

/** The least difference of two scores that counts. */
const SAME = 0.001

interface Reading {
  scores: TextScore[]
  ms: number
}

/** Measures how well the main text of web pages is read, beside Mozilla's Readability. */
export const measureMainText: Figure = async () => {
  const pages = listPages()
  const ours = readAll(pages, readMainText)
  const theirs = readAll(pages, createReadability())
  const better = pages.flatMap(({ name }, index) => {
    const [own, other] = [ours.scores[index]!.f1, theirs.scores[index]!.f1]
    return other - own > SAME ? [`${name} (${own.toFixed(3)}, Readability ${other.toFixed(3)})`] : []
  })
  const shares = (['precision', 'recall', 'f1'] as const).map((share): Row => {
    const mean = ({ scores }: Reading) =>
      (scores.reduce((sum, score) => sum + score[share], 0) / pages.length) * 100
    return {
      measure: `main text of web pages: ${share}`,
      value: mean(ours),
      unit: '%',
      note: `mean of ${pages.length} pages; Readability ${mean(theirs).toFixed(1)} %`,
    }
  })
  return [
    ...shares,
    {
      measure: 'pages that Readability reads better',
      value: better.length,
      unit: '',
      note: better.join(', ') || undefined,
    },
    {
      measure: 'time of a page',
      value: ours.ms,
      unit: 'ms',
      note: `mean, with parsing; Readability with linkedom ${theirs.ms.toFixed(2)} ms`,
    },
  ]
}

function readAll(pages: readonly TestPage[], read: (source: string) => string): Reading {
  for (const { source } of pages) read(source)
  const begun = performance.now()
  const texts = pages.map(({ source }) => read(source))
  const ms = (performance.now() - begun) / pages.length
  return { scores: pages.map(({ expected }, index) => scoreText(expected, texts[index]!)), ms }
}

const BLOCK_ENDS = /<\/(?!a\b|b\b|i\b|em\b|code\b|strong\b|span\b|su[bp]\b)|<br/g

/** The parts of both libraries that are used, whose types need the types of a browser. */
interface Libraries {
  Readability: new (document: object) => { parse(): { title?: string; content?: string } | null }
  parseHTML(source: string): { document: { body: { textContent: string } } }
}

/** Returns the reading by Readability: the title and the text of its elements, parted by spaces. */
function createReadability(): (source: string) => string {
  const require = createRequire(import.meta.url)
  const { Readability } = require('@mozilla/readability') as Libraries
  const { parseHTML } = require('linkedom') as Libraries
  return (source) => {
    const article = new Readability(parseHTML(source).document).parse()
    if (!article?.content) return ''
    const content = article.content.replace(BLOCK_ENDS, ' $&')
    const { document } = parseHTML(`<!doctype html><html><body>${content}</body></html>`)
    return `${article.title ?? ''}\n${document.body.textContent}`
  }
}
