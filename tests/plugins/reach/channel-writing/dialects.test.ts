import type { Dialect } from '../../../../plugin-api/channel-kind.ts'
import { splitMarkdown } from '../../../../plugins/reach/channels/writing/cutter.ts'
import { render } from '../../../../plugins/reach/channels/writing/rendering.ts'
import t from '../../../run/file-test.ts'
import { onlyLong } from '../../../run/tier.ts'

const SAMPLES: [what: string, markdown: string, rendered: Partial<Record<Dialect, string>>][] = [
  [
    'marks',
    '**bold *both* bold** _it_ ~~gone~~ `a<b`',
    {
      html: '<b>bold <i>both</i> bold</b> <i>it</i> <s>gone</s> <code>a&lt;b</code>',
      mrkdwn: '*bold _both_ bold* _it_ ~gone~ `a&lt;b`',
      plain: 'bold both bold it gone a<b',
    },
  ],
  [
    'a heading, whose words are bold already',
    '# A **b** & c',
    { html: '<b>A b &amp; c</b>', mrkdwn: '*A b &amp; c*', whatsapp: '*A b & c*', plain: 'A b & c' },
  ],
  [
    'links, and what is none that people may be sent to',
    '[**a**](https://x.y/?a=1&b=2) ![i](http://i.j/k) [j](javascript:alert) <a@b.cd>',
    {
      html: '<a href="https://x.y/?a=1&amp;b=2">a</a> <a href="http://i.j/k">i</a> j <a href="mailto:a@b.cd">a@b.cd</a>',
      mrkdwn: '<https://x.y/?a=1&amp;b=2|a> <http://i.j/k|i> j <mailto:a@b.cd|a@b.cd>',
      whatsapp: 'a (https://x.y/?a=1&b=2) i (http://i.j/k) j a@b.cd',
      plain: 'a (https://x.y/?a=1&b=2) i (http://i.j/k) j a@b.cd',
    },
  ],
  [
    'links that are defined elsewhere',
    '[a][b]\n\n[b]: http://x.y',
    { html: '<a href="http://x.y">a</a>', plain: 'a (http://x.y)' },
  ],
  [
    'lists in lists',
    '- a\n- [x] b\n  1. c\n  2. d\n\n     e\n- f',
    { html: '• a\n☑ b\n  1. c\n  2. d\n\n     e\n• f', plain: '• a\n☑ b\n  1. c\n  2. d\n\n     e\n• f' },
  ],
  [
    'quotes in quotes',
    '> a\n> > b',
    { html: '<blockquote>a\n\nb</blockquote>', mrkdwn: '> a\n>\n> > b', plain: '> a\n>\n> > b' },
  ],
  [
    'code that is not closed, in a list',
    '- a\n  ```js\n  x < 1',
    {
      html: '• a\n<pre><code class="language-js">x &lt; 1</code></pre>',
      mrkdwn: '• a\n```\nx &lt; 1\n```',
      whatsapp: '• a\n```\nx < 1\n```',
      plain: '• a\n  x < 1',
    },
  ],
  [
    'a table',
    '| 名 | n |\n|---|--:|\n| 重点 | **1** |',
    {
      markdown: '| 名 | n |\n|---|--:|\n| 重点 | **1** |',
      'markdown-without-tables': '```\n名   |   n\n-----+----\n重点 |   1\n```',
      html: '<pre>名   |   n\n-----+----\n重点 |   1</pre>',
      mrkdwn: '```\n名   |   n\n-----+----\n重点 |   1\n```',
      plain: '名   |   n\n-----+----\n重点 |   1',
    },
  ],
  [
    'a table that is too wide for a phone',
    `| a | b |\n|---|---|\n| ${'x'.repeat(90)} | **y** |`,
    {
      'markdown-without-tables': `- a: ${'x'.repeat(90)}\n  - b: **y**`,
      html: `• a: ${'x'.repeat(90)}\n  b: <b>y</b>`,
    },
  ],
  [
    'tables in quotes and lists',
    '> | a |\n> |---|\n\n1. x\n   | a |\n   |---|',
    { 'markdown-without-tables': '> ```\n> a\n> ---\n> ```\n\n1. x\n   ```\n   a\n   ---\n   ```' },
  ],
  [
    'text around a table, which stays as it was written',
    '7)  x\n\n\n    * | a | \n      |---|\n      | 1 |\n\n    * y\n8) z',
    {
      'markdown-without-tables':
        '7)  x\n\n\n    * ```\n      a\n      ---\n      1\n      ```\n\n    * y\n8) z',
    },
  ],
  [
    'HTML, which is not taken for any',
    '<b>a</b> &lt;i&gt; &#42;c\n\n<div>x</div>',
    {
      html: '&lt;b&gt;a&lt;/b&gt; &lt;i&gt; *c\n\n&lt;div&gt;x&lt;/div&gt;',
      mrkdwn: '&lt;b&gt;a&lt;/b&gt; &lt;i&gt; *c\n\n&lt;div&gt;x&lt;/div&gt;',
      plain: '<b>a</b> <i> *c\n\n<div>x</div>',
    },
  ],
  [
    'Slack has marks at the ends of words only, and of lines',
    'a**b**c **d\ne** `x`y',
    { mrkdwn: 'a\u200b*b*\u200bc *d*\n*e* `x`\u200by' },
  ],
  [
    'Slack has nobody called by a text',
    'a <!channel> <@U1> \\`\\`\\`',
    { mrkdwn: 'a &lt;!channel&gt; &lt;@U1&gt; `\u200b`\u200b`' },
  ],
  [
    'emphasis without spaces',
    '**注意：**请看**“重点”**。2**3**4',
    { html: '<b>注意：</b>请看<b>“重点”</b>。2<b>3</b>4' },
  ],
]

for (const [what, markdown, rendered] of SAMPLES)
  t.test(`Rendered: ${what}`, async (t) => {
    for (const [dialect, text] of Object.entries(rendered))
      t.equal(render(markdown, dialect as Dialect), text, dialect)
  })

t.test(
  'Text with extreme nesting or marks takes neither long nor the stack',
  { skip: onlyLong },
  async (t) => {
    const many = (text: string) => text.repeat(Math.ceil(60_000 / text.length))
    const texts = [
      ...[
        '>',
        '> - ',
        '- ',
        '1. ',
        '[',
        '![',
        '*a ',
        '**a **b',
        '_',
        '~~a ',
        '`a',
        '<a ',
        '[a](',
        '[a][',
        '<!--',
        '|a',
        '&a',
        '\\',
      ],
      ...[
        'a.',
        'http://a.',
        'a@',
        '```\n',
        '>>>>> a\nb\n',
        '> - a\nb\n',
        'a|b\n',
        '[a]: b\n',
        ' ',
        '\t',
        '\n',
        '**注',
      ],
    ].flatMap((piece) => [many(piece), `${many(piece)}@`, many(piece) + [...many(piece)].reverse().join('')])
    const dialects: Dialect[] = ['html', 'mrkdwn', 'markdown-without-tables']
    for (const text of texts)
      for (const dialect of dialects) {
        const begun = process.cpuUsage()
        t.type(render(text, dialect), 'string')
        const { user } = process.cpuUsage(begun)
        // Far above what any of them takes, and far below what one that is not linear does.
        if (user > 10_000_000) t.fail(`${text.slice(0, 20)} took ${user / 1e6} s`)
      }
  },
)

t.test('A text is cut at the best place', async (t) => {
  const split = (markdown: string, max_length: number, max_parts?: number) =>
    splitMarkdown(markdown, {
      dialect: 'markdown',
      max_length,
      length_unit: 'characters',
      ...(max_parts && { max_parts }),
    })
  const texts = (...args: Parameters<typeof split>) => split(...args).map(({ text }) => text)
  t.strictSame(texts('one two\n\nthree four\n\nfive six seven', 24), [
    'one two\n\nthree four',
    'five six seven',
  ])
  t.strictSame(texts('one two\nthree four\nfive six', 20), ['one two\nthree four', 'five six'])
  t.strictSame(texts('One two. Three four. Five six', 22), ['One two. Three four.', 'Five six'])
  t.strictSame(texts('一二三四五。六七八九十。一二三', 13), ['一二三四五。六七八九十。', '一二三'])
  t.strictSame(texts('one two three four', 15), ['one two three', 'four'])
  t.strictSame(texts('x'.repeat(15), 10).join(''), 'x'.repeat(15))
  for (const text of texts('👨‍👩‍👧‍👦'.repeat(8), 30)) t.match(text, /^(?:👨‍👩‍👧‍👦)+$/u)
  t.strictSame(texts('', 10), [])
  t.strictSame(texts(' \n\n ', 10), [])
  t.strictSame(texts('one two three four', 10, 1), ['one two…'])
  t.strictSame(split('one two three four five', 12, 2).at(-1), { text: 'three four…', start: 8, end: 23 })

  const code = `Look:\n\n\`\`\`js title\n${'let a = 1\n'.repeat(8)}\`\`\`\n\nDone.`
  const parts = texts(code, 60)
  t.ok(parts.length > 1)
  for (const part of parts) t.equal((part.match(/```/g) ?? []).length % 2, 0, part)
  t.match(parts[1], /^```js\nlet a/)
  t.match(texts(`- x\n  \`\`\`js\n${'  let a = 1\n'.repeat(8)}  \`\`\``, 60)[1], /^```js\nlet a = 1\nlet a/)
  t.match(
    splitMarkdown(`> \`\`\`js\n${'> let a = 1\n'.repeat(8)}> \`\`\``, {
      dialect: 'html',
      max_length: 100,
      length_unit: 'bytes',
    })[1]!.text,
    /^<pre><code class="language-js">let a = 1\nlet a/,
  )
})
