import { readWebPage } from '../../../plugins/tools/documents/reading/html-web-page.ts'
import { readDocument } from '../../../plugins/tools/documents/reading/reader.ts'
import t from '../../run/file-test.ts'

const read = async (source: string) => (await readDocument(Buffer.from(source), 'html')).text
/** The lines of a page, without the empty ones between paragraphs. */
const linesOf = async (source: string) => (await read(source)).split(/\n+/)

t.test('Cells are under their heads, whatever they cover', async (t) => {
  const table = (rows: string) => linesOf(`<table>${rows}</table>`)
  t.strictSame(
    await table(
      '<tr><th>Dept<th>Name<th>Pay<tr><td rowspan=2>Harbour<td>Ann<td>51<tr><td>Bob<td>67<tr><td rowspan=0>Dock<td>Cy<td>1<tr><td>Di<td>2',
    ),
    [
      'Dept: Harbour | Name: Ann | Pay: 51',
      'Dept: Harbour | Name: Bob | Pay: 67',
      'Dept: Dock | Name: Cy | Pay: 1',
      'Dept: Dock | Name: Di | Pay: 2',
    ],
  )
  t.strictSame(
    await table(
      '<caption>Fares</caption><colgroup><col span=3></colgroup><tfoot><tr><td>Sum<td>19<td>8</tfoot><thead><tr><th rowspan=2>To<th colspan=2>Fare<tr><th>adult<th>child</thead><tr><td>Ostrava<td>12<td>6<tr><td>Brno<td>7<td>2',
    ),
    [
      'Fares',
      'To: Ostrava | Fare › adult: 12 | Fare › child: 6',
      'To: Brno | Fare › adult: 7 | Fare › child: 2',
      'To: Sum | Fare › adult: 19 | Fare › child: 8',
    ],
  )
  t.strictSame(
    await table('<tr><th>Name<th>Languages<tr><td><p>Ann</p><td><ul><li>Czech</li><li>Greek</li></ul>'),
    ['Name: Ann | Languages: Czech Greek'],
  )
  const wide = await table(`<tr><th>A<th>B${'<tr><td colspan=1000000 rowspan=1000000>x</td>'.repeat(300)}`)
  t.ok(wide.length <= 301)
})

t.test('Tables that only lay out a page are read as its paragraphs', async (t) => {
  t.strictSame(await linesOf('<table><tr><td><p>one</p><p>two</p></td><td>side</td></tr></table>'), [
    'one',
    'two',
    'side',
  ])
  t.strictSame(
    await linesOf(
      `<table width=600><tr><td><table><tr><td><h1>News</h1>${'Word '.repeat(90)}</td></tr></table></td></tr>
      <tr><td><table><tr><th>Day<th>Price</tr><tr><td>Mon<td>3</table></td></tr></table>`,
    ),
    ['News', 'Word '.repeat(90).trim(), 'Day: Mon | Price: 3'],
  )
  t.strictSame(await linesOf('<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>'), [
    'a',
    'b',
    'c',
    'd',
  ])
})

t.test('Items of lists keep their numbers', async (t) => {
  t.strictSame(
    await linesOf(
      '<ol start=3><li>three<li><p>four</p><p>more</p></li><li value=9>nine<ul><li>deep</ul></li><li>ten</ol><ol type=a><li>A<li>B</ol><ol type=I start=4><li>IV</ol><ol reversed><li>two<li>one</ol>',
    ),
    [
      '3. three',
      '4. four',
      'more',
      '9. nine',
      '- deep',
      '10. ten',
      'a. A',
      'b. B',
      'IV. IV',
      '2. two',
      '1. one',
    ],
  )
  t.strictSame(await linesOf('<ol><li><h3>Head</h3>text<li><h3>Next</h3></ol><ul><li><h3>Dot</h3></ul>'), [
    '1. Head',
    'text',
    '2. Next',
    'Dot',
  ])
  t.strictSame(await linesOf('<dl><dt>Term<dd>Meaning<dt>Other<dd>Second</dl>'), [
    'Term',
    'Meaning',
    'Other',
    'Second',
  ])
})

t.test('What is not seen is not read, and everything else is', async (t) => {
  const seen: [source: string, text: string][] = [
    ['<p>a<span hidden>x</span><i style="color:red; display: none">x</i><b aria-hidden=true>x</b>b', 'ab'],
    ['<p>Tokyo <ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>です', 'Tokyo 東京です'],
    [
      '<p>Donau&shy;dampf<wbr>schiff &amp; &euro;&#8364;&#128; &lt;b&gt;&nbsp;x',
      'Donaudampfschiff & €€€ <b> x',
    ],
    ['<p>H<sub>2</sub>O, 10<sup>3</sup>, 1<sup>st</sup>, a<sup>2</sup>', 'H2O, 10^3, 1st, a2'],
    [
      '<p>So <math><mi>E</mi><mo>=</mo><msup><mi>c</mi><mn>2</mn></msup><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac><annotation>x</annotation></math>',
      'So E=c^2(a+b)/2',
    ],
    ['<p>one<br>two<details><summary>More</summary>inside</details>', 'one\ntwo\n\nMore\n\ninside'],
    ['<p><img src=a alt="A chart of sales"> <img src=b alt=""></p>', 'A chart of sales'],
    ['<svg><title>x</title><text x=1>Label</text><path d="M0"/></svg>', 'Label'],
    [
      '<form>Name <input value="Ann"><input type=hidden value=x> <select><option>A<option selected>B</select> <input type=checkbox checked> yes <textarea>long</textarea><button>Send</button></form>',
      'Name Ann B [x] yes long',
    ],
    ['<h3><button>What is it?</button></h3><div>An answer.</div>', 'What is it?\n\nAn answer.'],
    ['<pre>a\n  b</pre><style>p{}</style><script>evil()</script><template>x</template>', 'a\n  b'],
    ['<title>Only a title</title><p>Text', 'Only a title\n\nText'],
    ['<head><title>T</title><p>No body was opened', 'T\n\nNo body was opened'],
    ['<body style="visibility:hidden"><p>shown by a script', 'shown by a script'],
    ['<div role=heading aria-level=2>Head</div>text', 'Head\n\ntext'],
  ]
  for (const [source, text] of seen) t.equal(await read(source), text, source)
})

t.test('The main part of a page is read, but never the shell of one', async (t) => {
  const long = 'A sentence of the page. '.repeat(20).trim()
  const pages: [source: string, text: string][] = [
    [`<nav>menu</nav><header>top</header><main>${long}</main><aside>side</aside><footer>foot</footer>`, long],
    [`<main><p>Loading</p></main><div id=root>${long}</div>`, `Loading\n\n${long}`],
    [`<div role=main>${long}</div><footer>foot</footer>`, long],
    ['<header>top</header><p>plain</p><nav>links</nav><footer>foot</footer>', 'top\n\nplain\n\nfoot'],
    ['<article><header>head</header>one<aside>note</aside></article><aside>x</aside>', 'head\n\none\n\nnote'],
    ['<div id=app></div><noscript><p>The text without scripts.</p></noscript>', 'The text without scripts.'],
    ['<frameset><frame src=a><noframes><body>Without frames</body></noframes></frameset>', 'Without frames'],
    ['<nav><a href=a>Only</a> <a href=b>links</a></nav>', 'Only links'],
  ]
  for (const [source, text] of pages) t.equal(await read(source), text, source.slice(0, 80))
})

t.test('Pages that Word and mail programs write are read', async (t) => {
  t.strictSame(
    await linesOf(`<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><!--[if gte mso 9]><xml><o:x>no</o:x></xml><![endif]-->
      <style>p.MsoNormal {margin:0}</style></head><body><div class=WordSection1><p class=MsoTitle>Plan<o:p></o:p></p>
      <p class=MsoListParagraph><![if !supportLists]><span style='mso-list:Ignore'>1.<span style='font:7.0pt'>&nbsp;&nbsp; </span></span><![endif]>First</p>
      <p class=MsoListParagraph><span style='mso-list:Ignore'>·<span>&nbsp; </span></span>Point</p>
      <p class=MsoNormal><span style='mso-hide:all;display:none'>secret</span>Text<o:p>&nbsp;</o:p></p></div></body></html>`),
    ['Plan', '1. First', '- Point', 'Text'],
  )
  t.strictSame(
    await linesOf(
      '<div style="display:none;font-size:0">preview</div><table><tr><td><table><tr><td>Hello,</td></tr><tr><td>your order</td></tr></table></td></tr></table>',
    ),
    ['Hello,', 'your order'],
  )
})

t.test('Of a page of the web, the links and pictures are read too', (t) => {
  const base = 'https://example.org/docs/page?q=1'
  const lines = (source: string) => {
    const { title, blocks } = readWebPage(source, base)
    return [title, ...blocks.map(({ text }) => text.replace(/\s+/g, ' ').trim())]
  }
  t.strictSame(
    lines(
      `<title> A &lt;page&gt; </title><main><h1><a href="#top">Heading</a></h1><p>with <a href="other#part">a link</a>, <a href="/top?x=1&amp;y=2">another</a>,
      <a href="https://example.com/">https://example.com</a>, <a href="javascript:alert(1)">a script</a>, <a href="mailto:a@example.com">mail</a> <a href=x><img src=c alt="A cat"></a></p></main>`,
    ),
    [
      'A <page>',
      'Heading',
      'with a link (https://example.org/docs/other#part), another (https://example.org/top?x=1&y=2), https://example.com, a script, mail [image: A cat] (https://example.org/docs/x)',
    ],
  )
  t.strictSame(lines('<base href="http://elsewhere.example/a/"><a href="b">x</a>'), [
    undefined,
    'x (http://elsewhere.example/a/b)',
  ])
  t.strictSame(lines('<table><tr><th>Name<th>Price<tr><td>Tea<td><a href=/tea>3</a>'), [
    undefined,
    'Name: Tea | Price: 3 (https://example.org/tea)',
  ])
  t.end()
})

t.test('A hostile page is bounded', async (t) => {
  const deep = [`${'<div>'.repeat(6000)}x`, `${'<table><tr><td>'.repeat(30)}x`]
  for (const source of deep) await t.rejects(read(source), { message: 'DOCUMENT_TOO_LARGE' })
  const wide = [
    `<table>${'<tr><td rowspan=999999 colspan=999999>x</td></tr>'.repeat(2000)}</table>`,
    `<table><tr>${'<td>x</td>'.repeat(20_000)}`,
    '<a href="/x">x</a> '.repeat(20_000),
    `<p ${'a=b '.repeat(100_000)}>x`,
    `<ol reversed>${'<li>x'.repeat(4000)}`,
    '<ruby>x<rt>'.repeat(2000),
    `x${'<'.repeat(100_000)}`,
  ]
  for (const source of wide) t.match(await read(source), /x/, source.slice(0, 40))
  const long = [
    `<p>${'x without an end '.repeat(20_000)}`,
    `<p>${'x'.repeat(300_000)}`,
    `<p>${'x<br>'.repeat(50_000)}`,
    `<p>${'x <img alt=y> '.repeat(20_000)}`,
    `<p>${'不间断的文字'.repeat(20_000)}x`,
    `<p>x</p>${'<style>'.repeat(50_000)}`,
    `<p>x</p>${'<script application/ld+json'.repeat(20_000)}`,
  ]
  for (const source of long) {
    const { blocks } = readWebPage(source, 'https://example.org/')
    t.match(blocks[0]!.text, /x/, source.slice(0, 40))
    t.ok((blocks[0]!.places?.length ?? 0) <= 1 + source.length / 400)
  }
})
