import type { Dialect } from '../../kernel/channel-kind.ts'
import { createCutter } from '../../plugins/channels/writing/cutter.ts'
import { render } from '../../plugins/channels/writing/markdown.ts'
import { splitMarkdown } from '../../plugins/channels/writing/splitting.ts'
import t from '../run/file-test.ts'
import { amount, seedOf } from '../run/tier.ts'
import { createChance } from '../support/random.ts'
import { createSamples, findHtmlFaults, greekOf, mayLoseWords } from './markdown-samples.ts'

const CASES = amount({ short: 20, long: 2000 })
const seed = seedOf(1000)
const DIALECTS: Dialect[] = ['markdown', 'markdown-without-tables', 'html', 'mrkdwn', 'plain']

const lengthIn = (unit: string, text: string) => (unit === 'bytes' ? Buffer.byteLength(text) : text.length)

function findFaults(text: string, dialect: Dialect): string[] {
  if (dialect === 'html') return findHtmlFaults(text)
  if (dialect !== 'mrkdwn') return []
  const isOpen = text.split('```').length % 2 === 0
  const words = text
    .replace(/<(?:https?|mailto|tel):[^<>|\s]+\|[^<>|]*>/g, '')
    .replace(/^(?:[ •☐☑>]|\d+\. )+/gm, '')
  return [
    ...(isOpen ? ['code is open at the end'] : []),
    ...(/[<>]/.test(words) ? ['an angle that is not escaped'] : []),
  ]
}

t.test('Every beginning of every text is rendered, in balance and with all of its words', async (t) => {
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

t.test('Parts fit, cover the text, are whole by themselves, and stay when the text goes on', async (t) => {
  for (let number = 0; number < CASES; number += 1) {
    const random = createChance(-seed * 1000 - number)
    const samples = createSamples(random)
    const text = random.chance(0.8) ? samples.text(1, 8) : samples.noise(300)
    const dialect = random.pick(DIALECTS)
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

t.test('What is shown of a message that only goes on is a beginning of all that comes', async (t) => {
  for (let number = 0; number < CASES; number += 1) {
    const random = createChance(seed * 1000 + 500 + number)
    const samples = createSamples(random)
    const text = random.chance(0.8) ? samples.text(1, 8) : samples.noise(200)
    const dialect = random.pick(DIALECTS)
    const max_length = random.pick([random.int(60, 200), random.int(200, 400), random.int(400, 2000)])
    const options = { dialect, max_length, length_unit: 'characters', append_only: true } as const
    const cutter = createCutter(options)
    const faults: string[] = []
    let place = 0
    let shown = ''
    let words = ''
    for (let end = 0; place < text.length && faults.length === 0; ) {
      end = Math.min(text.length, end + random.int(1, 150))
      const is_whole = end === text.length
      const source = text.slice(0, end)
      const piece = random.chance(0.5)
        ? cutter.next(source, place, { is_whole })
        : createCutter(options).next(source, place, { is_whole })
      if (!piece.shown.startsWith(shown)) faults.push(`${shown} became ${piece.shown}`)
      if (piece.text.length > max_length) faults.push('too long')
      faults.push(...findFaults(piece.shown, dialect))
      shown = piece.shown
      if (piece.is_last && !is_whole) continue
      if (!piece.text.startsWith(shown)) faults.push(`${shown} became ${piece.text} in the end`)
      words += greekOf(piece.text)
      shown = ''
      if (piece.end <= place) faults.push('it does not go on')
      place = piece.end
    }
    if (words !== greekOf(text) && !mayLoseWords(text)) faults.push('the words are not the same')
    if (faults.length > 0) return t.strictSame(faults, [], `case ${number} of seed ${seed}`)
  }
})
