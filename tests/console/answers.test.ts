import { readFileSync } from 'node:fs'
import type { Locator } from 'playwright-core'
import t from '../run/file-test.ts'
import { ALL_RULES, chooseTheme, findBarriers } from '../support/axe.ts'
import { createHold, startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'

const TABLE = `
| Name | Amount | Note |
|:--|--:|---|
| Ann, "the first" | -1,200.50 | =HYPERLINK("https://example.com") |
| 小明 | +3 % | @cmd \\| x |
| $x^2$ | 007 | one<br>two |
| -1+cmd | − | [link](https://example.com) **bold** |
`

const RICH = `### Part *one*

Text with a note[^1], another[^long], and the first again[^1].

# Part two

## Part three

- [ ] open task
- [x] done **task**
  - [ ] below

  - [ ] loose

\`\`\`
code without a language
\`\`\`

\`\`\`py
print(1)
\`\`\`
${TABLE}
> #### Quoted

[^1]: The first note.
[^long]: The second note.
`

/** An element of a page. */
// biome-ignore lint/suspicious/noExplicitAny: its type is known to browsers only
type PageElement = any
const listHeadings = (all: PageElement[]) =>
  all.map(({ tagName, textContent }) => `${tagName} ${textContent}`)
const listIds = (all: PageElement[]) => all.map(({ id }) => id)
const textAfter = (link: PageElement) => link.closest('sup').nextSibling?.textContent
const isWiderThanShown = ({ scrollWidth, clientWidth }: PageElement) => scrollWidth > clientWidth
const readBackground = (body: PageElement) =>
  (globalThis as PageElement).getComputedStyle(body).backgroundColor
const readAddition = (link: PageElement) =>
  (globalThis as PageElement).getComputedStyle(link, '::after').content
const listEnds = (all: PageElement[]): number[] => all.map((one) => one.getBoundingClientRect().bottom)
/** Has the page remember the answers that it would print. */
const recordPrint = () => {
  const page = globalThis as PageElement
  page.print = () => {
    const answers: PageElement[] = [...page.document.querySelectorAll('article')]
    page.printed = answers.map(({ textContent }) => textContent)
  }
}
const readPrinted = (): string[] => (globalThis as PageElement).printed
const startPrinting = () => (globalThis as PageElement).dispatchEvent(new Event('beforeprint'))
const endPrinting = () => (globalThis as PageElement).dispatchEvent(new Event('afterprint'))
const isLoaded = (image: PageElement) => image.decode().then(() => image.naturalWidth > 0)
const isFocusScrolled = () => (globalThis as PageElement).document.activeElement.scrollLeft > 0

/** Diagrams that would run or load something. */
const HOSTILE: Record<string, string> = {
  'HTML in labels':
    '%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true}}}%%\nflowchart LR\n  A["<img src=https://foreign.test/a onerror=alert(1)>"] --> B["<<b>script>alert(1)</script>"]',
  'no links': 'flowchart LR\n  A --> B',
  links: 'flowchart LR\n  A --> B\n  click A href "https://foreign.test/b"\n  click B call alert(1)',
  styles:
    '---\nconfig:\n  themeCSS: "@import url(https://foreign.test/c); * { fill: url(https://foreign.test/d) }"\n---\nflowchart LR\n  A --> B',
  menus: 'sequenceDiagram\n  participant A\n  links A: {"x": "javascript:alert(1)"}\n  A->>A: go',
}
/** Diagrams that are shown as code. */
const NOT_DRAWN: Record<string, string> = {
  mistakes: 'flowchart LR\n  A[open --> B',
  'another language': 'digraph { a -> b }',
  pictures: 'flowchart LR\n  A@{ img: "https://foreign.test/e.png", w: 60, h: 60 } --> B',
  'foreign styles': 'flowchart LR\n  A --> B\n  style A fill:url(https://foreign.test/f)',
  'many edges': `flowchart LR\n${Array.from({ length: 200 }, (_, index) => `  a${index} --> b`).join('\n')}`,
  'many lines': `sequenceDiagram\n${'  A->>B: x\n'.repeat(1000)}`,
  'a long line': `flowchart LR\n  A["${'x'.repeat(20_000)}"]`,
  'a wide packet': 'packet-beta\n0-9999999: "All"',
  'a long task': 'gantt\n  dateFormat YYYY-MM-DD\n  excludes weekends\n  A :2026-01-01, 9999999d',
}

t.test('answers in a browser', { skip: noChromium }, async (t) => {
  const chat = await startChat(t)
  const { server, fake, agent_id } = chat
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url, { path: `/chat/${agent_id}` })

  /** Sends a message in a new conversation. */
  const ask = async (): Promise<Locator> => {
    await page.getByRole('link', { name: 'New conversation with assistant' }).click()
    await page.getByRole('textbox', { name: 'Message assistant…' }).fill('Go on')
    await page.keyboard.press('Enter')
    return page.getByRole('article')
  }
  /** Lets the model answer with a text; resolves with the whole answer on the page. */
  const answer = async (text: string | string[]): Promise<Locator> => {
    fake.next({ text })
    const reply = await ask()
    await reply.getByRole('button', { name: 'Continue in a new conversation' }).waitFor()
    return reply
  }

  await t.test('headings continue the outline of the page', async (t) => {
    const reply = await answer(RICH)
    await reply.getByRole('heading', { name: 'Quoted' }).waitFor()
    const headings = await reply.getByRole('heading').evaluateAll(listHeadings)
    t.strictSame(headings, ['H2 Part one', 'H2 Part two', 'H3 Part three', 'H4 Quoted'])
  })

  await t.test('footnotes and their places lead to each other', async (t) => {
    const reply = await answer(RICH)
    const notes = reply.getByRole('group', { name: 'Footnotes' })
    await reply.getByRole('link', { name: 'Footnote 2', exact: true }).click()
    const focused = page.locator(':focus')
    t.match(await focused.textContent(), /^\s*The second note/)
    await notes.getByRole('link', { name: 'Back to the text of footnote 1-2' }).click()
    t.equal(await focused.getAttribute('aria-label'), 'Footnote 1')
    t.equal(await focused.evaluate(textAfter), '.', 'the second place of the footnote')
    const ids = await page.locator('[id]').evaluateAll(listIds)
    t.equal(new Set(ids).size, ids.length, 'each name is there once')
    t.strictSame(faults, [])
  })

  await t.test('check boxes are named by their tasks', async (t) => {
    const reply = await answer(RICH)
    for (const [name, checked] of [
      ['open task', false],
      ['done task', true],
      ['below', false],
      ['loose', false],
    ] as const)
      t.equal(await reply.getByRole('checkbox', { name, exact: true }).isChecked(), checked)
  })

  await t.test('code has a row with its language, and its lines wrap', async (t) => {
    const long = 'word '.repeat(100)
    const reply = await answer(`\`\`\`\n${long}\n\`\`\`\n\n\`\`\`py\nprint(1)\n\`\`\``)
    const block = reply.getByRole('figure', { name: 'Code' })
    await reply.getByRole('figure', { name: 'Python' }).waitFor()
    const code = block.locator('pre')
    const copy = block.getByRole('button', { name: 'Copy', exact: true })
    const [codeBox, copyBox] = [await code.boundingBox(), await copy.boundingBox()]
    t.ok(copyBox!.y + copyBox!.height <= codeBox!.y, 'the button covers no code')
    const isCut = () => code.evaluate(isWiderThanShown)
    t.equal(await isCut(), true)
    await code.focus()
    await page.keyboard.press('ArrowRight')
    await page.waitForFunction(isFocusScrolled)
    const wrap = block.getByRole('button', { name: 'Wrap lines' })
    await wrap.click()
    t.equal(await wrap.getAttribute('aria-pressed'), 'true')
    t.equal(await isCut(), false)
  })

  await t.test('code is coloured while it is written', async (t) => {
    const hold = createHold()
    fake.next({ text: ['```js\nconst answer = 42\n', '\nlet more\n```'], holdAfter: 1, hold: hold.hold })
    const reply = await ask()
    await reply.locator('pre code span span', { hasText: 'const' }).waitFor()
    hold.release()
    await reply.locator('pre code span span', { hasText: 'let' }).waitFor()
    t.strictSame(faults, [])
  })

  await t.test('a table is taken along as CSV without formulas', async (t) => {
    const reply = await answer(TABLE)
    const table = reply.getByRole('figure', { name: '4 rows' })
    t.equal(await table.locator('td').nth(1).getAttribute('style'), 'text-align: right;')
    const downloading = page.waitForEvent('download')
    await table.getByRole('button', { name: 'Download CSV' }).click()
    const download = await downloading
    t.equal(download.suggestedFilename(), 'table.csv')
    t.strictSame(readFileSync(await download.path(), 'utf8').split('\r\n'), [
      '\ufeffName,Amount,Note',
      `"Ann, ""the first""","-1,200.50","'=HYPERLINK(""https://example.com"")"`,
      `小明,+3 %,'@cmd | x`,
      'x^2,007,"one\ntwo"',
      `'-1+cmd,−,link bold`,
    ])
    await table.getByRole('button', { name: 'Copy as CSV' }).waitFor()
    t.strictSame(faults, [])
  })

  await t.test('a diagram is drawn when its code is whole, and its code is one click away', async (t) => {
    await page.reload()
    const loads: string[] = []
    page.on('request', (request) => loads.push(request.url()))
    const hold = createHold()
    fake.next({
      text: ['Before\n\n```mermaid\nflowchart LR\n  A[Begin] --> B', '\n```\n\nAfter'],
      holdAfter: 1,
      hold: hold.hold,
    })
    const reply = await ask()
    await reply.locator('pre', { hasText: 'A[Begin] --> B' }).waitFor()
    t.strictSame(
      loads.filter((address) => /mermaid|diagram/.test(address)),
      [],
      'nothing of Mermaid is loaded before',
    )
    hold.release()
    const picture = reply.getByRole('button', { name: 'Enlarge Diagram' }).getByRole('img')
    await picture.waitFor()
    t.ok(await picture.evaluate(isLoaded))
    await reply.getByRole('button', { name: 'Show code' }).click()
    await reply.locator('pre', { hasText: 'A[Begin] --> B' }).waitFor()
    await reply.getByRole('button', { name: 'Show diagram' }).click()
    const downloading = page.waitForEvent('download')
    await reply.getByRole('button', { name: 'Download SVG' }).click()
    t.match(readFileSync(await (await downloading).path(), 'utf8'), /^<svg .*Begin.*<\/svg>$/s)
    await picture.click()
    await page.getByRole('dialog').getByRole('img', { name: 'Diagram' }).waitFor()
    await page.keyboard.press('Escape')
    t.strictSame(faults, [])
  })

  await t.test('a diagram runs and loads nothing', async (t) => {
    const foreign: string[] = []
    const placed = new Map<string, number>()
    page.on('request', (request) => {
      if (request.url().includes('foreign.test')) foreign.push(request.url())
    })
    for (const [name, code] of Object.entries(HOSTILE)) {
      const reply = await answer(`\`\`\`mermaid\n${code}\n\`\`\``)
      const picture = reply.getByRole('button', { name: 'Enlarge Diagram' }).getByRole('img')
      await picture.waitFor()
      const svg = decodeURIComponent((await picture.getAttribute('src')) ?? '')
      // Labels may contain such words, wherever their lines break.
      const tags = svg.replaceAll(/>[^<]*</g, '><')
      t.notMatch(tags, /<(?:script|img|image|a|foreignObject)\b|\son\w+=|href|javascript:/i, name)
      t.notMatch(svg, /url\((?!["']?#)/i, name)
      t.ok(await picture.evaluate(isLoaded), name)
      placed.set(name, svg.split('translate(').length)
    }
    t.equal(placed.get('links'), placed.get('no links'), 'what was linked keeps its place')
    t.strictSame([...foreign, ...faults], [])
  })

  await t.test('a diagram that cannot be drawn is code, with a sentence', async (t) => {
    for (const [name, code] of Object.entries(NOT_DRAWN)) {
      const reply = await answer(`\`\`\`mermaid\n${code}\n\`\`\``)
      await reply.getByText('This diagram cannot be drawn.').waitFor()
      t.equal((await reply.locator('pre').textContent())?.trimEnd(), code.trimEnd(), name)
    }
    const body = await page.locator('body > *').evaluateAll(listIds)
    t.notOk(
      body.some((id) => id.startsWith('ddiagram')),
      'nothing of a drawing is left on the page',
    )
    t.strictSame(faults, [])
  })

  await t.test('the end of an answer is announced once, in words', async (t) => {
    const hold = createHold()
    fake.next({
      text: [
        '## Quarterly numbers\n\n| Quarter | Sum |\n|---|--:|\n| Q1 | **1,200** |\n\n',
        '- [x] Read `sales.csv`[^1]\n- See [the report](report.md) or https://example.com/a?b=1\n\n> ~~Old~~ *new*: $x^2$\n\n```py\nx = 1\n```\n\n![A chart](chart.png)<br>**完成。**好\n\n[^1]: note',
      ],
      holdAfter: 1,
      hold: hold.hold,
    })
    const reply = await ask()
    const region = page.locator('[aria-live=polite]').last()
    await reply.getByRole('heading', { name: 'Quarterly numbers' }).waitFor()
    t.equal(await region.textContent(), '', 'nothing is announced while it is written')
    hold.release()
    await region.filter({ hasText: /./ }).waitFor({ state: 'attached' })
    t.equal(
      await region.textContent(),
      'Quarterly numbers. Quarter, Sum. Q1, 1,200. Read sales.csv. See the report or example.com. Old new: formula. Code in Python. A chart 完成。好.',
    )
    await answer(`${'long '.repeat(5_000)}**end**`)
    await region.filter({ hasText: /^(long ){58}long…$/ }).waitFor({ state: 'attached' })

    await page.evaluate('globalThis.requestAnimationFrame = (draw) => setTimeout(draw, 1000)')
    await answer('All within one display frame.')
    await region.filter({ hasText: /^All within one display frame\.$/ }).waitFor({ state: 'attached' })
    t.strictSame(faults, [])
  })

  await t.test('a whole conversation is printed, on light paper and without what is pressed', async (t) => {
    const socket = await chat.connect()
    const thread_id = await chat.createThread()
    for (let number = 1; number <= 30; number += 1) {
      fake.next({ text: number === 1 ? '[The docs](https://example.com/docs)' : `Answer ${number}` })
      await socket.ask({ thread_id, text: `Question ${number}` })
    }
    await page.goto(`/chat/${agent_id}/${thread_id}`)
    await page.getByText('Answer 30').waitFor()
    t.ok((await page.getByRole('article').count()) < 20, 'others are not rendered')

    await page.evaluate(recordPrint)
    await page.getByRole('button', { name: 'Conversation menu' }).click()
    await page.getByRole('menuitem', { name: 'Print' }).click()
    await page.waitForFunction(readPrinted)
    const printed = await page.evaluate(readPrinted)
    t.equal(printed.length, 30)
    t.match(printed[0], /The docs/)
    t.match(printed[29], /Answer 30/)
    await page.getByText('Answer 2', { exact: true }).waitFor({ state: 'detached' })

    await chooseTheme(page, 'dark')
    await page.emulateMedia({ media: 'print' })
    await page.evaluate(startPrinting)
    t.equal(await page.getByRole('article').count(), 30, 'all that was loaded is there')
    for (const hidden of [
      page.getByRole('textbox', { name: 'Message assistant…' }),
      page.getByRole('complementary'),
      page.getByRole('button', { name: 'Conversation menu' }),
      page.getByRole('button', { name: 'Copy', exact: true }).first(),
    ])
      t.equal(await hidden.isVisible(), false)
    t.equal(await page.locator('body').evaluate(readBackground), 'rgb(255, 255, 255)')
    t.equal(
      await page.getByRole('link', { name: 'The docs' }).evaluate(readAddition),
      '" (https://example.com/docs)"',
      'links have their addresses',
    )
    const ends = await page.getByRole('article').evaluateAll(listEnds)
    t.strictSame(
      ends,
      ends.toSorted((one, other) => one - other),
      'answers follow each other',
    )
    await page.evaluate(endPrinting)
    await page.emulateMedia({ media: null })
    await chooseTheme(page, 'light')
    t.strictSame(faults, [])
  })

  await t.test('answers have no barriers, in both themes, and while they are written', async (t) => {
    const hold = createHold()
    fake.next({ text: [`${RICH}\n- [ ]`, ' last\n\n## ', 'End'], holdAfter: 2, hold: hold.hold })
    const reply = await ask()
    await reply.getByText('last').waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    hold.release()
    await reply.getByRole('heading', { name: 'End' }).waitFor()
    for (const theme of ['dark', 'light'] as const) {
      await chooseTheme(page, theme)
      t.strictSame(await findBarriers(page, ALL_RULES), [], theme)
    }
    t.strictSame(faults, [])
  })
})
