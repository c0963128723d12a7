import type { Dialect } from '../../../../plugin-api/channel-kind.ts'
import { createCutter, splitMarkdown } from '../../../../plugins/reach/channels/writing/cutter.ts'
import { render } from '../../../../plugins/reach/channels/writing/rendering.ts'
import t from '../../../run/file-test.ts'
import { amount, chooseSeed } from '../../../run/tier.ts'
import { createChance } from '../../../support/random.ts'
import { createSamples, findHtmlFaults, greekOf, mayLoseWords } from './markdown-samples.ts'

const CASES = amount({ short: 5, long: 2000 })
const seed = chooseSeed(1000)
const DIALECTS: Dialect[] = ['markdown', 'markdown-without-tables', 'html', 'mrkdwn', 'whatsapp', 'plain']

const lengthIn = (unit: string, text: string) => (unit === 'bytes' ? Buffer.byteLength(text) : text.length)

function findFaults(text: string, dialect: Dialect): string[] {
  if (dialect === 'html') return findHtmlFaults(text)
  if (dialect !== 'mrkdwn' && dialect !== 'whatsapp') return []
  const isOpen = text.split('```').length % 2 === 0
  if (dialect === 'whatsapp') return isOpen ? ['code is open at the end'] : []
  const words = text
    .replace(/<(?:https?|mailto|tel):[^<>|\s]+\|[^<>|]*>/g, '')
    .replace(/^(?:[ •☐☑>]|\d+\. )+/gm, '')
  return [
    ...(isOpen ? ['code is open at the end'] : []),
    ...(/[<>]/.test(words) ? ['an angle that is not escaped'] : []),
  ]
}

t.test('Every beginning of every text is rendered with closed marks and all of its words', async (t) => {
  for (let number = 0; number < CASES; number += 1) {
    const random = createChance(seed * 1000 + number)
    const samples = createSamples(random)
    const text = random.chance(0.8) ? samples.text(1, 3) : samples.noise(60)
    for (const dialect of DIALECTS)
      for (const end of [text.length, ...random.list(3, 3, () => random.int(0, text.length))]) {
        const source = text.slice(0, end)
        const rendered = render(source, dialect)
        const faults = findFaults(rendered, dialect)
        if (greekOf(rendered) !== greekOf(source) && !mayLoseWords(source))
          faults.push('the words are not the same')
        if (faults.length > 0) return t.strictSame(faults, [], `${dialect}, case ${number} of seed ${seed}`)
      }
  }
})

t.test('Parts fit, cover the text, close their marks, and stay when the text grows', async (t) => {
  for (let number = 0; number < CASES; number += 1) {
    const random = createChance(-seed * 1000 - number)
    const samples = createSamples(random)
    const text = random.chance(0.8) ? samples.text(1, 8) : samples.noise(300)
    const dialect = DIALECTS[number % DIALECTS.length]!
    const length_unit = random.pick(['characters', 'bytes'] as const)
    const max_length = random.pick([random.int(60, 200), random.int(200, 400), random.int(400, 2000)])
    const max_parts = random.chance(0.2) ? random.int(1, 4) : undefined
    const options = { dialect, max_length, length_unit, ...(max_parts && { max_parts }) }
    const parts = splitMarkdown(text, options)
    const faults = parts.flatMap((part) => findFaults(part.text, dialect))
    parts.forEach((part, index) => {
      if (lengthIn(length_unit, part.text) > max_length) faults.push(`part ${index} is too long`)
      if (part.start !== (parts[index - 1]?.end ?? 0)) faults.push(`part ${index} does not join`)
      if (part.text.trim() === '') faults.push(`part ${index} is empty`)
    })
    if (parts.length > 0 && parts.at(-1)!.end !== text.length) faults.push('the end is missing')
    const words = parts.map((part) => greekOf(part.text)).join('')
    const isCutOff = parts.length === max_parts && parts.at(-1)!.text.endsWith('…')
    const isWhole = isCutOff ? greekOf(text).startsWith(words) : greekOf(text) === words
    if (!isWhole && !mayLoseWords(text)) faults.push('the words are not the same')
    if (max_parts && parts.length > max_parts) faults.push('too many parts')
    for (const end of random.list(4, 4, () => random.int(0, text.length))) {
      const settled = splitMarkdown(text.slice(0, end), options).slice(0, -1)
      if (JSON.stringify(settled) !== JSON.stringify(parts.slice(0, settled.length)))
        faults.push(`the parts of the first ${end} do not stay`)
    }
    if (faults.length > 0) return t.strictSame(faults, [], `case ${number} of seed ${seed}`)
  }
})

t.test('The shown text of an append-only message is a beginning of all later ones', async (t) => {
  for (let number = 0; number < CASES; number += 1) {
    const random = createChance(seed * 1000 + 500 + number)
    const samples = createSamples(random)
    const text = random.chance(0.8) ? samples.text(1, 8) : samples.noise(200)
    const dialect = DIALECTS[number % DIALECTS.length]!
    const max_length = random.pick([random.int(60, 200), random.int(200, 400), random.int(400, 2000)])
    const options = { dialect, max_length, length_unit: 'characters', append_only: true } as const
    const cutter = createCutter(options)
    const faults: string[] = []
    let offset = 0
    let shown = ''
    let words = ''
    for (let end = 0; offset < text.length && faults.length === 0; ) {
      end = Math.min(text.length, end + random.int(1, 150))
      const is_whole = end === text.length
      const source = text.slice(0, end)
      const piece = random.chance(0.5)
        ? cutter.next(source, offset, { is_whole })
        : createCutter(options).next(source, offset, { is_whole })
      if (!piece.shown.startsWith(shown)) faults.push(`${shown} became ${piece.shown}`)
      if (piece.text.length > max_length) faults.push('too long')
      faults.push(...findFaults(piece.shown, dialect))
      shown = piece.shown
      if (piece.is_last && !is_whole) continue
      if (!piece.text.startsWith(shown)) faults.push(`${shown} became ${piece.text} in the end`)
      words += greekOf(piece.text)
      shown = ''
      if (piece.end <= offset) faults.push('it does not go on')
      offset = piece.end
    }
    if (words !== greekOf(text) && !mayLoseWords(text)) faults.push('the words are not the same')
    if (faults.length > 0) return t.strictSame(faults, [], `case ${number} of seed ${seed}`)
  }
})

t.test('A message that begins within a line with three tildes is not code', async (t) => {
  const words = 'word '.repeat(10)
  for (const marks of ['~~~', '```', ' ~~~~'])
    for (const dialect of DIALECTS) {
      const parts = splitMarkdown(`${words}${marks}αβγδεζηθικλμ and more words`, {
        ...{ dialect, max_length: 60, length_unit: 'characters' },
      })
      t.match(
        parts.map(({ text }) => text),
        [/word$/, /^αβγδεζηθικλμ and more/],
        `${dialect} ${marks}`,
      )
    }
})

t.test('An append-only message shows finished words while no mark is open', async (t) => {
  const samples: [source: string, shown: string][] = [
    ['One two thr', 'One two'],
    ['One two three\nfo', 'One two three'],
    ['One **two thr', 'One'],
    ['One **two** thr', 'One **two**'],
    ['One **two *th', 'One'],
    ['***a** b* c d', '***a** b* c'],
    ['2 * 3 and 2 < 3 and so', '2 * 3 and 2 < 3 and'],
    ['use snake_case na', 'use snake_case'],
    ['fine ~ or fine~ ma', 'fine ~ or fine~'],
    ['call `a * b', 'call'],
    ['call `a * b` no', 'call `a * b`'],
    ['see [the page](http://a.b/c(', 'see'],
    ['see [the page](http://a.b/c(d)) no', 'see [the page](http://a.b/c(d))'],
    ['see ![it](http://a.b) or [1] or \\[2 no', 'see ![it](http://a.b) or [1] or \\[2'],
    ['see <https://a.b', 'see'],
    ['see <https://a.b> no', 'see <https://a.b>'],
    ['**never closed\nin its paragraph\n\nThe ne', '**never closed\nin its paragraph\n\nThe'],
    ['# A heading th', '# A heading'],
    ['## A *heading\nwords th', '## A *heading\nwords'],
    ['- one tw', '- one'],
    ['- one\n- ', '- one'],
    ['- one\n  1. [x] two th', '- one\n  1. [x] two'],
    ['> said he wh', '> said he'],
    ['12. ', ''],
    ['- **never closed\n- two th', '- **never closed\n- two'],
    ['Code:\n\n```js\nlet a = 1\n', 'Code:'],
    ['Code:\n```js\nlet a = 1\n```\nDone wi', 'Code:\n```js\nlet a = 1\n```\nDone'],
    ['~~~ js', ''],
    ['a table:\n| a | b |\n|---|', 'a table:'],
    ['| a | b |\n|---|---|\n| 1 | 2 |\n\nDone wi', '```\na   | b\n----+----\n1   | 2\n```\n\nDone'],
    ['words\n:---\nmore wo', 'words\n:---\nmore'],
    ['a | b\n---|---\n1 | 2 and', 'a | b\n---|---\n1 | 2'],
    ['你好，世界', '你好，世'],
    ['你好，**世界', '你好，'],
    ['你好，**世界**。再', '你好，**世界**。'],
    ['见https://a.b/中文', '见'],
    ['か\u3099き', 'か\u3099'],
    ['か', ''],
    ['好👍🏽好的', '好👍🏽好'],
  ]
  for (const [source, shown] of samples) {
    const cutter = createCutter({
      dialect: 'markdown-without-tables',
      max_length: 1800,
      length_unit: 'bytes',
      append_only: true,
    })
    t.equal(cutter.next(source, 0).shown, shown, JSON.stringify(source))
  }
})

t.test('The shown text is a beginning of the complete message', async (t) => {
  for (let number = 0; number < CASES; number += 1) {
    const random = createChance(seed * 1000 + 700 + number)
    const samples = createSamples(random)
    const text = (random.chance(0.8) ? samples.text(1, 3) : samples.noise(200)).slice(-2000)
    const limits = { max_length: 1_000_000, length_unit: 'bytes', append_only: true } as const
    for (const dialect of ['markdown', 'markdown-without-tables'] as const) {
      const cutter = createCutter({ dialect, ...limits })
      const whole = createCutter({ dialect, ...limits }).next(text, 0, { is_whole: true })
      const faults = whole.is_last ? [] : ['it is not one message']
      let longest = 0
      for (let end = 0; end < text.length; end += random.int(1, 40)) {
        const { shown } = cutter.next(text.slice(0, end), 0)
        if (!whole.text.startsWith(shown)) faults.push(`of the first ${end} it shows ${shown}`)
        if (shown.length < longest) faults.push(`of the first ${end} it shows less than before`)
        longest = shown.length
      }
      if (faults.length > 0)
        return t.strictSame(faults, [], `${dialect}, case ${number} of seed ${seed}: ${whole.text}`)
    }
  }
})
