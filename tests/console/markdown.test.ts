import type { Locator } from 'playwright-core'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import t from '../run/file-test.ts'
import { startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'

/** An answer, the elements that must show it, each as `selector: text`, and those that must not be there. */
interface Answer {
  name: string
  text: string
  shows: readonly string[]
  lacks?: readonly string[]
}

const ANSWERS: Answer[] = [
  {
    name: 'single tildes are text',
    text: '报名费 10~20 元，人数 30~40 人。About ~5 and ~6, but ~~not this~~ and ~~旧：~~新.',
    shows: ['p: 10~20 元，人数 30~40 人。About ~5 and ~6', 'del: not this', 'del: 旧：'],
  },
  {
    name: 'prices are text',
    text: [
      'It is $20, about A$ 30.',
      '价格 $20，约 A$ 30，即 ¥140',
      'From $5 to 6$, or $1,000 = HK$ 7,800',
      'Restaurants: $$ or $$$, $PATH and $HOME, **$5** or 6$.',
      '\\[1\\] \\[x\\] \\[sic\\] \\(see above\\) cost \\$5',
    ].join('\n\n'),
    shows: [
      'p: It is $20, about A$ 30.',
      'p: $20，约 A$ 30，即 ¥140',
      'p: From $5 to 6$, or $1,000 = HK$ 7,800',
      'p: $$ or $$$, $PATH and $HOME, $5 or 6$.',
      'p: [1] [x] [sic] (see above) cost $5',
    ],
    lacks: ['.katex'],
  },
  {
    name: 'formulas beside prices',
    text: 'It costs $20, about A$ 30, if $x^2 = 4$ and 公式$y$成立; $$ to $$$; `$z$` stays.',
    shows: ['p: It costs $20, about A$ 30, if ', '.katex: x^2', '.katex: y', 'p: $$ to $$$', 'code: $z$'],
  },
  {
    name: 'formulas in brackets',
    text: [
      'Let \\(a_1 < b\\) and \\( c \\) hold:\n\\[\na\n= b\n+ c\n\\]\nso \\[ d = 1 \\] holds.',
      '1. First\n   \\[\n   e = 1\n   - 2\n   \\]\n2. Second $$f$$',
      '> \\[ g = 1 \\]',
      '| x | y |\n|---|---|\n| \\(|h|\\) | $i$ |',
      '```tex\n\\[ raw \\]\n```',
    ].join('\n\n'),
    shows: [
      'p > .katex: a_1',
      '.katex-display: + c',
      '.katex: d = 1',
      'li .katex-display: - 2',
      'li: Second',
      'blockquote .katex-display: g = 1',
      'td .katex: \\vert h\\vert',
      'td .katex: i',
      'pre: \\[ raw \\]',
    ],
    lacks: ['.katex-error', 'ul'],
  },
  {
    name: 'emphasis beside Chinese punctuation',
    text: '**注意：**请看。这是**“重点”**内容，*（例）*也是。한국어**(강조)**입니다. 2**3 and snake_case_name',
    shows: [
      'strong: 注意：',
      'strong: “重点”',
      'em: （例）',
      'strong: (강조)',
      'p: 2**3 and snake_case_name',
    ],
  },
  {
    name: 'addresses end at Chinese punctuation',
    text: [
      '见https://example.com/docs，然后 www.example.com，ok 和（https://example.com/a）。',
      '《https://example.com/b》、https://example.com。然后 https://example.com看 http://localhost:3000看',
      '**https://example.com/f**，_https://example.com/g_。 **www.example.org**，~~https://example.com/h~~看',
      '公式https://my中国.com，$x^2$ 与（https://example.com/a_(b)），好',
      'https://zh.example.org/wiki/中国 与 http://例子.中国/x 与 https://my中国.com 与 <https://example.com/，c>',
    ].join('\n\n'),
    shows: [
      'a[href="https://example.com/docs"]: https://example.com/docs',
      'a[href="http://www.example.com/"]: www.example.com',
      'a[href="https://example.com/a"]: https://example.com/a',
      'a[href="https://example.com/b"]: https://example.com/b',
      'a[href="https://example.com/"]: https://example.com',
      'a[href="http://localhost:3000/"]: http://localhost:3000',
      'a[href="https://zh.example.org/wiki/%E4%B8%AD%E5%9B%BD"]: 中国',
      'a[href="http://xn--fsqu00a.xn--fiqs8s/x"]: 例子',
      'a[href="https://example.com/%EF%BC%8Cc"]: ，c',
      'strong > a[href="https://example.com/f"]: f',
      'em > a[href="https://example.com/g"]: g',
      'strong > a[href="http://www.example.org/"]: www.example.org',
      'del > a[href="https://example.com/h"]: h',
      'a[href="https://example.com/a_(b)"]: a_(b)',
      '.katex: x^2',
      'p: 然后',
    ],
    lacks: ['a[href*="xn--my"]', 'a[href*="xn--com"]', 'a[href*="my"]'],
  },
  {
    name: 'HTML is text',
    text: '<img src=x onerror=alert(1)> <b>raw</b>',
    shows: ['p: <b>raw</b>'],
    lacks: ['article img', 'article b'],
  },
]

/** Answers that cannot be rendered, or not in a moment: each is plain text. */
const UNBOUNDED: Record<string, string> = {
  '3,000 quotes': `${'>'.repeat(3000)} deep`,
  '3,000 items in a line': `${'- '.repeat(3000)}deep`,
  'a list of 300 levels': Array.from({ length: 300 }, (_, level) => `${'  '.repeat(level)}- deep`).join('\n'),
  'half-open emphasis': '*deep_ '.repeat(5000),
  'a long line': 'deep '.repeat(30_000),
  'a bomb of references': `deep ${'[a] '.repeat(6000)}\n[a]: https://example.com/${'x'.repeat(2000)}`,
  'nested emphasis': `deep ${'**'.repeat(10_000)}`,
  'open brackets': `deep ${'['.repeat(20_000)}`,
  'a line of 1 MB': 'deep'.repeat(250_000),
  'many cells': `|${'deep|'.repeat(6000)}\n|${'-|'.repeat(6000)}`,
}
/** Answers with much in them that are rendered. */
const BOUNDED: Record<string, { text: string; shows: string }> = {
  'a line of 100k letters': { text: `**b** ${'x'.repeat(99_000)}`, shows: 'strong: b' },
  'a list of 20 levels': {
    text: Array.from({ length: 20 }, (_, level) => `${'  '.repeat(level)}- level ${level}`).join('\n'),
    shows: 'li li li li: level 19',
  },
  'many paragraphs': { text: 'one **b**\n\n'.repeat(2_000), shows: 'strong: b' },
  'a formula of 2,000 brackets': { text: `$${'{'.repeat(2000)}$ and **b**`, shows: 'strong: b' },
  'emphasis in emphasis': { text: `${'*a **b '.repeat(800)}${'c** d* '.repeat(800)}`, shows: 'em: a' },
  'much code': { text: `\`\`\`\n${'x [*_$\n'.repeat(20_000)}\`\`\``, shows: 'pre: x [*_$' },
}

t.test('Markdown of answers', { skip: noChromium }, async (t) => {
  const { server, fake, agent_id } = await startChat(t)
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url, { path: `/chat/${agent_id}` })

  /** Lets the model answer with a text; resolves with the whole answer on the page. */
  const answer = async (text: string): Promise<Locator> => {
    fake.next({ text })
    await page.getByRole('link', { name: 'New conversation with assistant' }).click()
    await page.getByRole('textbox', { name: 'Message assistant…' }).fill('Go on')
    await page.keyboard.press('Enter')
    const reply = page.getByRole('article')
    await reply.getByRole('button', { name: 'Copy', exact: true }).last().waitFor()
    return reply
  }
  const sees = (reply: Locator, expected: string) => {
    const [, selector, hasText] = /^(.*?): (.*)$/s.exec(expected)!
    return reply.locator(selector!, { hasText: hasText! }).first().waitFor({ state: 'attached' })
  }

  for (const { name, text, shows, lacks = [] } of ANSWERS)
    await t.test(name, async (t) => {
      const reply = await answer(text)
      for (const expected of shows) await sees(reply, expected)
      for (const selector of lacks) t.equal(await reply.locator(selector).count(), 0, `no ${selector}`)
      t.strictSame(faults, [])
    })

  await t.test('each block runs in the direction of its first letter', async (t) => {
    const reply = await answer(
      'שלום עולם\n\nHello\n\n- مرحبا\n- אחת\n\n| שם |\n|---|\n| דנה |\n\n```\nconst שלום = 1\n```',
    )
    const directionOf = (hasText: string, selector: string) =>
      reply
        .locator(selector, { hasText })
        .first()
        // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
        .evaluate((element) => (globalThis as any).getComputedStyle(element).direction)
    t.equal(await directionOf('שלום עולם', 'p'), 'rtl')
    t.equal(await directionOf('Hello', 'p'), 'ltr')
    t.equal(await directionOf('مرحبا', 'ul'), 'rtl')
    t.equal(await directionOf('דנה', 'table'), 'rtl')
    t.equal(await directionOf('const', 'pre'), 'ltr')
  })

  await t.test('answers that cannot be rendered are plain text, and the page stays', async (t) => {
    for (const [name, text] of Object.entries(UNBOUNDED)) {
      const reply = await answer(`${text}\n\nAnd **this**.`)
      await sees(reply, 'strong: this')
      const plain = reply.locator('p', { hasText: 'deep' }).first()
      await eventually(name, async () => (await plain.textContent()) === text.trimEnd())
    }
    t.strictSame(faults, [])
  })

  await t.test('a long list that is being written is rendered to its end', async (t) => {
    const lines = Array.from({ length: 700 }, (_, index) => `- item **${index}** with \`code\`\n`)
    fake.next({
      text: Array.from({ length: 70 }, (_, index) => lines.slice(index * 10, index * 10 + 10).join('')),
    })
    await page.getByRole('link', { name: 'New conversation with assistant' }).click()
    await page.getByRole('textbox', { name: 'Message assistant…' }).fill('Go on')
    await page.keyboard.press('Enter')
    const reply = page.getByRole('article')
    await sees(reply, 'li > strong: 699')
    t.equal(await reply.locator('li').count(), 700)
    t.strictSame(faults, [])
  })

  await t.test('long answers are rendered', async (t) => {
    for (const { text, shows } of Object.values(BOUNDED)) await sees(await answer(text), shows)
    t.strictSame(faults, [])
  })
})
