import { listPages, readMainText, scoreText } from '../../../bench/pages.ts'
import { layOut } from '../../../plugins/tools/documents/reading/blocks.ts'
import { readWebPage } from '../../../plugins/tools/documents/reading/html-web-page.ts'
import { ReadingFailure } from '../../../plugins/tools/documents/reading/reading-failure.ts'
import t from '../../run/file-test.ts'
import { amount, chooseSeed } from '../../run/tier.ts'
import { type Chance, createChance } from '../../support/random.ts'

/** The least mean score of all pages, and the least score of each. */
const MIN_MEAN = 0.97
const MIN_SCORE = 0.9

const read = (source: string) => {
  const { title, blocks } = readWebPage(source, 'https://pages.example/a/b')
  return { title, lines: blocks.flatMap(({ text }) => text.split('\n')) }
}

t.test('The main text of pages is read, and little else', (t) => {
  const pages = listPages()
  t.equal(pages.length, 40)
  const scores = pages.map(({ name, source, expected }) => {
    const { f1, missing, surplus } = scoreText(expected, readMainText(source))
    t.ok(f1 >= MIN_SCORE, `${name} ${f1}: without ${missing.join(' ')}, with ${surplus.join(' ')}`)
    return f1
  })
  const mean = scores.reduce((sum, score) => sum + score, 0) / pages.length
  t.ok(mean >= MIN_MEAN, `mean ${mean}`)
  t.end()
})

t.test('Words that are missing, and words too many, lower a score', (t) => {
  const expected = { language: 'en', note: '', text: ['one two two three'], not: [], optional: ['Title'] }
  t.match(scoreText(expected, 'Title: one two two three'), { precision: 1, recall: 1, f1: 1 })
  t.match(scoreText(expected, 'one two four'), {
    precision: 2 / 3,
    recall: 0.5,
    missing: ['two', 'three'],
    surplus: ['four'],
  })
  t.match(scoreText(expected, ''), { precision: 0, recall: 0, f1: 0 })
  t.end()
})

t.test('Nothing hidden is read, and no box around the text', (t) => {
  const marks = [
    'hidden-injections.html',
    'news-cookie-banner.html',
    'paywall-teaser.html',
    'giant-menu.html',
  ]
  for (const { name, source, expected } of listPages().filter((page) => marks.includes(page.name)))
    for (const text of expected.not) t.notMatch(readMainText(source), text, name)
  t.end()
})

t.test('Styles of the page hide elements, unless all of it or only in some media', (t) => {
  const text = 'This sentence is what a person sees on the page.'
  const isRead = (css: string, attributes: string) =>
    read(`<style>${css}</style><p>${text}</p><p ${attributes}>order</p>`).lines.includes('order')
  const hiding: [css: string, attributes: string][] = [
    ['.a { color: red } .x, .y { display: none }', 'class="b y"'],
    ['#x{opacity:0}', 'id=x'],
    ['.x{position:absolute;left:-9999px}', 'class=x'],
    ['/* .x{} */ .x{visibility:hidden}', 'class=x'],
    ['', 'style="text-indent:-99999px"'],
    ['', 'style="max-height:0px;overflow:hidden"'],
  ]
  for (const [css, attributes] of hiding) t.notOk(isRead(css, attributes), css || attributes)
  const showing: [css: string, attributes: string][] = [
    ['@media print { .x { display: none } }', 'class=x'],
    ['.x .y { display: none }', 'class=y'],
    ['.x { display: none } .x { display: block }', 'class=x'],
    ['.x { opacity: 0.8 }', 'class=x'],
    ['', 'style="overflow:hidden;height:100px"'],
  ]
  for (const [css, attributes] of showing) t.ok(isRead(css, attributes), css || attributes)
  t.strictSame(read(`<style>.app{display:none}</style><div class=app><p>${text}</p></div>`).lines, [text])
  t.end()
})

t.test('An article that is only in the data of a page is read from there', (t) => {
  const article = {
    '@graph': [{ '@type': 'WebPage' }, { '@type': 'Article', articleBody: 'One.\n\nTwo & three.' }],
  }
  const page = (data: string, body = '') =>
    read(`<title>T</title><script type="application/ld+json">${data}</script>${body}`)
  t.strictSame(page(JSON.stringify(article)), { title: 'T', lines: ['One.', 'Two & three.'] })
  t.strictSame(page(JSON.stringify(article), '<p>A text that is longer than its data.').lines, [
    'A text that is longer than its data.',
  ])
  for (const broken of ['{', 'null', '{"articleBody": 3}', '['.repeat(50_000)])
    t.strictSame(page(broken).lines, [])
  t.end()
})

const PARTS = [
  '<table>',
  '<td rowspan=0>',
  '</div>',
  '<ul><li>',
  '<nav>',
  '<p class=comments>',
  '<h1>',
  '<noscript>',
  '<pre>',
  '<a href=x>',
  '<math>',
  '<select><option>',
  '<svg>',
  '<style>.x{',
  '<!--',
  '&#xfdd0;',
  '\ufdd1',
  '\0',
  '<script type="application/ld+json">',
]

/** Returns a page with some of its parts removed, repeated, moved or replaced. */
function damage(source: string, { int, pick, list }: Chance): string {
  let page = source
  const cut = () => {
    const start = int(0, page.length)
    return { start, end: start + int(1, pick([3, 40, 800])) }
  }
  const ways = [
    ({ start, end }: ReturnType<typeof cut>) => page.slice(0, start) + page.slice(end),
    ({ start, end }: ReturnType<typeof cut>) => page.slice(0, end) + page.slice(start),
    ({ start, end }: ReturnType<typeof cut>) => page.slice(end) + page.slice(0, start),
    ({ start }: ReturnType<typeof cut>) => page.slice(0, start) + pick(PARTS) + page.slice(start),
    ({ start, end }: ReturnType<typeof cut>) =>
      page.slice(0, start) + page.slice(start, end).replace(/</g, '</') + page.slice(end),
  ]
  for (const way of list(1, 6, () => pick(ways))) page = way(cut())
  return page
}

const seed = chooseSeed(57)
t.test(`Pages with damages are read or refused, seed ${seed}`, (t) => {
  const chance = createChance(seed)
  const pages = listPages()
  const count = amount({ short: 200, long: 5000 })
  let isRead = 0
  for (let round = 0; round < count; round += 1) {
    const { name, source } = chance.pick(pages)
    const page = damage(source, chance)
    try {
      const { text, segments } = layOut(readWebPage(page, 'https://pages.example/').blocks)
      let end = 0
      for (const segment of segments) {
        const isInOrder = segment.start >= end && segment.end > segment.start && segment.end <= text.length
        if (!isInOrder || /[\ufdd0\ufdd1]/.test(text)) throw new Error('the segments are wrong')
        end = segment.end
      }
      isRead += 1
    } catch (error) {
      if (!(error instanceof ReadingFailure)) throw new Error(`${name}, round ${round}`, { cause: error })
    }
  }
  t.ok(isRead > count / 2)
  t.end()
})
