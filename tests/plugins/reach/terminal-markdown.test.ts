import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { countColumns } from '../../../plugins/reach/terminal/columns.ts'
import { createLiveMarkdown, paintMarkdown } from '../../../plugins/reach/terminal/markdown/live-markdown.ts'
import { createScreen } from '../../../plugins/reach/terminal/screen.ts'
import t from '../../run/file-test.ts'
import { createFakeService } from '../../support/fake-service.ts'
import { showOnTerminal } from '../../support/terminal.ts'
import { start } from './terminal-run.ts'

const createTerminal = ({ columns = 40, rows = 24 } = {}) => {
  let written = ''
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns, rows })
  stream.on('data', (chunk) => {
    written += chunk
  })
  const screen = createScreen({ stream: stream as never, env: {} })
  return {
    screen,
    get written() {
      return written
    },
    get rows() {
      return showOnTerminal(written, { columns })
    },
  }
}

const ANSWER = `# Report

Sales **rose** by *8 %* in \`Q3\`, see [the sheet](https://example.org/q3). Prices like $5 and $10 stay, and so does $a_1*b*c$.

| Region | Sales | 备注 |
|:--|--:|:-:|
| North | 1,200 | 很好 |
| 华东地区 | 80 | 🎉 |

1. First
2. Second with a longer text that has to go on in the next row
   - nested

   \`\`\`sh
   ls   -l

   \`\`\`
3. Third

- [x] done
- [ ] open

> A quote
> goes on.

\`\`\`python
def f(x):
    return "&amp; **x**"

print(f(1))
\`\`\`
Last line &amp; end.
`

const LAID_OUT = [
  'Report',
  '',
  'Sales rose by 8 % in Q3, see the sheet',
  '<https://example.org/q3>. Prices like $5',
  'and $10 stay, and so does $a_1*b*c$.',
  '',
  'Region   │ Sales │ 备注',
  '─────────┼───────┼─────',
  'North    │ 1,200 │ 很好',
  '华东地区 │    80 │  🎉',
  '',
  '1. First',
  '2. Second with a longer text that has to',
  '   go on in the next row',
  '',
  '   • nested',
  '',
  '   │ sh',
  '   │ ls   -l',
  '3. Third',
  '',
  '☑ done',
  '☐ open',
  '',
  '▌ A quote goes on.',
  '',
  '│ python',
  '│ def f(x):',
  '│     return "&amp; **x**"',
  '│',
  '│ print(f(1))',
  '',
  'Last line & end.',
  '',
]

t.test('Markdown is laid out in rows, in whatever pieces it arrives', async (t) => {
  for (const size of [1, 3, 17, 100_000]) {
    const terminal = createTerminal()
    const live = createLiveMarkdown(terminal.screen)
    for (let at = 0; at < ANSWER.length; at += size) live.write(ANSWER.slice(at, at + size))
    live.end()
    t.same(terminal.rows, LAID_OUT, `pieces of ${size}`)
  }
  const { screen } = createTerminal()
  const painted = paintMarkdown(screen, '**bold** and `code`')
  t.ok(painted.includes('\x1b[1mbold\x1b[22m'))
  t.ok(painted.includes('\x1b[36mcode\x1b[39m'))
})

t.test('The running block is shown as it comes, and remarks go above it', async (t) => {
  const terminal = createTerminal()
  const live = createLiveMarkdown(terminal.screen)
  live.write('Done.\n\nThis is **impor')
  t.same(terminal.rows, ['Done.', '', 'This is **impor'])
  live.interrupt()
  terminal.screen.writeLine('a remark')
  live.write('tant**')
  t.same(terminal.rows, ['Done.', '', 'a remark', 'This is **important**'])
  live.end()
  t.same(terminal.rows, ['Done.', '', 'a remark', 'This is important', ''])
})

t.test('A block that is higher than the terminal stays as it came, and nothing is lost', async (t) => {
  const terminal = createTerminal({ columns: 20, rows: 4 })
  const live = createLiveMarkdown(terminal.screen)
  const words = Array.from({ length: 40 }, (_, n) => `w${n}`)
  for (const word of words) live.write(`${word} `)
  live.write('\n\n**next**\n')
  live.end()
  const text = terminal.rows.join('')
  for (const word of words) t.equal(text.split(new RegExp(`${word}(?!\\d)`)).length, 2, word)
  t.equal(terminal.rows.at(-2), 'next')
})

t.test('Wide characters, accents and emoji are measured as terminals show them', async (t) => {
  const cases: [string, number][] = [
    ['abc', 3],
    ['华东', 4],
    ['「」，。', 8],
    ['한국어', 6],
    ['ﾊﾝｶｸ', 4],
    ['e\u0301', 1],
    ['🎉', 2],
    ['👩‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['✓ → …', 5],
    ['𝐀', 1],
  ]
  for (const [text, columns] of cases) t.equal(countColumns(text), columns, text)
})

t.test('No row of a table is wider than the terminal', async (t) => {
  const { screen } = createTerminal({ columns: 50 })
  const long = 'a cell with many words 和一些中文内容 that go on and on'
  const table = `| a | b | c |\n|---|---|---|\n| ${long} | short | ${long} |`
  for (const row of stripVTControlCharacters(paintMarkdown(screen, table)).split('\n'))
    t.ok(countColumns(row) <= 50, row)
})

t.test('Hostile texts take no long time and control nothing', async (t) => {
  const { screen } = createTerminal()
  for (const text of [
    '*'.repeat(5000),
    '['.repeat(5000),
    '$'.repeat(5000),
    '$a '.repeat(3000),
    '> '.repeat(500),
  ])
    t.type(paintMarkdown(screen, text), 'string')
})

t.test('svc chat shows Markdown on a terminal with colours, and plain text elsewhere', async (t) => {
  const service = await createFakeService({
    reply({ emit }) {
      for (const content of ['A **bold', '** \x1b[31mword', '\n'])
        emit({ type: 'content', message_id: 'm', content })
      emit({
        type: 'done',
        message_id: 'm',
        stop_reason: 'end',
        usage: { input_tokens: 0, output_tokens: 0 },
      })
    },
  })
  t.teardown(service.close)
  const options = { url: service.url, message: 'go' }
  const styled = start(t, { ...options, tty: true })
  t.equal(await styled.code, 0)
  t.ok(showOnTerminal(styled.written.stdout).includes('A bold word'), styled.written.stdout)
  t.ok(styled.written.stdout.includes('\x1b[1mbold'))
  t.notOk(styled.written.stdout.includes('\x1b[31m'))
  const plain = start(t, { ...options, tty: true, env: { NO_COLOR: '1' } })
  t.equal(await plain.code, 0)
  t.ok(plain.written.stdout.includes('A **bold** word'))
  const piped = start(t, options)
  t.equal(await piped.code, 0)
  t.equal(piped.written.stdout, 'A **bold** word\n')
})

t.test('A call and its result share one line on a terminal', async (t) => {
  const service = await createFakeService({
    reply({ emit }) {
      const call = (tool_call_id: string, input: object, output: string, is_error = false) => {
        emit({ type: 'tool_call', tool_call_id, name: 'grep', input })
        emit({ type: 'tool_result', tool_call_id, name: 'grep', output, is_error })
      }
      call('a', { pattern: 'owl' }, 'three\nhits')
      call('b', { pattern: 'x'.repeat(200), path: '/' }, 'y'.repeat(200), true)
      emit({ type: 'content', message_id: 'm', content: 'Done.' })
      emit({
        type: 'done',
        message_id: 'm',
        stop_reason: 'end',
        usage: { input_tokens: 0, output_tokens: 0 },
      })
    },
  })
  t.teardown(service.close)
  const run = start(t, { url: service.url, message: 'go', tty: true })
  t.equal(await run.code, 0)
  const rows = showOnTerminal(run.written.stdout).filter((row) => row !== '')
  t.equal(rows[0], '⚙ grep owl → three hits')
  t.match(rows[1], /^⚙ grep pattern: x+… → y+…$/)
  t.equal(rows.length, 3)
})
