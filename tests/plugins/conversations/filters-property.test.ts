import t from '../../run/file-test.ts'
import { amount, chooseSeed } from '../../run/tier.ts'
import { startChat, textOf } from '../../support/chat.ts'
import { type Chance, createChance } from '../../support/random.ts'
import { acts, FILTERS } from './filter-calls.ts'

const ROUNDS = amount({ short: 25, long: 500 })
/** The longest paragraph that a filter sees, as the documentation says. */
const MAX_PARAGRAPH_CHARS = 4000
const seed = chooseSeed(55)

const chat = await startChat(t, { plugins: { filters: FILTERS }, env: { SVC_TITLE_MODEL: 'off' } })
const socket = await chat.connect()

const PIECES = [
  'An apple a day. ',
  'apple',
  '\n',
  '\n\n',
  '\n \t\n',
  '\r\n\r\n',
  '```\n',
  '```js\napple()\n\napple()\n```\n',
  '~~~\n',
  '    indented\n',
  '苹果。',
  '😀',
  `${'x'.repeat(700)} `,
  '12345678 '.repeat(90),
]

/** Writes a text with something in it, as models write them. */
const writeText = ({ list, pick }: Chance) => `Well, ${list(1, 25, () => pick(PIECES)).join('')}.`

/** Cuts a text into deltas anywhere, also within characters. */
function cut(text: string, { int }: Chance): string[] {
  const deltas = []
  const most = int(1, 400)
  for (let start = 0; start < text.length; ) {
    const end = start + int(1, most)
    deltas.push(text.slice(start, end))
    start = end
  }
  return deltas
}

t.test(`a reply passes the same, wherever it is cut (seed ${seed})`, async (t) => {
  const chance = createChance(seed)
  let paragraphs: string[] = []
  acts.strict.reply = ({ text }) => {
    paragraphs.push(text)
    return { text: text.replaceAll('apple', 'pear') }
  }
  const ask = async (deltas: string[]) => {
    paragraphs = []
    chat.fake.next({ text: deltas })
    const { frames, end } = await socket.ask({ text: 'go' })
    t.match(end, { type: 'done', stop_reason: 'end' })
    return { text: textOf(frames), paragraphs }
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const text = writeText(chance)
    const whole = await ask([text])
    t.strictSame(await ask(cut(text, chance)), whole, `the text ${JSON.stringify(text)}`)
    t.equal(whole.text, text.replaceAll('apple', 'pear'), 'nothing is lost')
    t.ok(
      whole.paragraphs.every(({ length }) => length <= MAX_PARAGRAPH_CHARS),
      'a filter sees a bounded text',
    )
  }
})
