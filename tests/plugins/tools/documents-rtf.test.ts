import { findKind } from '../../../plugins/tools/documents/reading/document-kind.ts'
import { readDocument } from '../../../plugins/tools/documents/reading/reader.ts'
import t from '../../run/file-test.ts'

const read = async (body: string, head = '\\ansi\\deff0') =>
  (await readDocument(Buffer.from(`{\\rtf1${head}${body}}`, 'latin1'), 'rtf')).text

t.test('Text in RTF is decoded by its fonts, its code page and its numbers', async (t) => {
  const fonts =
    '{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset128 MS Mincho;}{\\f2\\fcharset204 Times;}{\\f3\\fcharset2 Symbol;}{\\f4\\fcharset134 SimSun{\\*\\falt x};}}'
  const texts: [body: string, text: string, head?: string][] = [
    ["Gr\\'fc\\'dfe f\\'fcr 10 \\'80", 'Grüße für 10 €'],
    [
      'Gr\xfc\xdfe\\rquote s \\emdash  \\ldblquote x\\rdblquote\\~y\\_z\\-a \\{b\\}\\\\',
      'Grüße’s — “x” y-za {b}\\',
    ],
    [`${fonts}{\\f1 \\'93\\'fa\\'96{}{\\f2 \\'e4\\'e0} {\\f3\\'b7}\\f4\\'d6\\'d0\\'ce\\'c4}`, '日да •中文'],
    [`${fonts}\\f1\\'83\\\\\\'83A`, 'ソア'],
    ["\\'ef\\'f0\\'e8", 'при', '\\ansi\\ansicpg1251'],
    ["\\'84\\'94", 'äö', '\\pc'],
    ["\\'84\\'94", 'äö', '\\pca'],
    ['\\u26085?\\u26412?\\uc2\\u-10179 xx\\u-8704 xx!\\uc0\\u228 b', '日本😀!äb'],
    ['{\\upr{A?}{\\*\\ud{A\\u955 ?}}}', 'Aλ'],
    ["\\uc1\\u228\\'e4x", 'äx'],
  ]
  for (const [body, text, head] of texts) t.equal(await read(body, head), text, body)
})

t.test('Only what people see is text', async (t) => {
  const texts: [body: string, text: string][] = [
    [
      '{\\info{\\title no}}{\\*\\generator no;}{\\colortbl;\\red0;}{\\pict\\pngblip 8950}{\\pict\\bin5 }{{}}}a{\\v hidden}{\\deleted gone}b\\v x\\v0 c\\par',
      'abc',
    ],
    [
      'Page {\\field{\\*\\fldinst PAGE}{\\fldrslt 1}} of {\\field{\\*\\fldinst{HYPERLINK "x"}}{\\fldrslt{\\ul two}}}',
      'Page 1 of two',
    ],
    ['{\\object{\\*\\objdata 0102}{\\result{\\pard cell}}}', 'cell'],
    [
      '{\\shp{\\*\\shpinst{\\sp{\\sn a}{\\sv b}}{\\shptxt\\pard boxed\\par}}{\\shprslt{\\*\\do x}}}text\\par',
      'text\n\nboxed',
    ],
    ['one{\\super\\chftn}{\\footnote\\pard a note\\par} two\\par three', 'one two\n\na note\n\nthree'],
    [
      '{\\header\\pard Depot\\par}{\\footer Foot}first\\sect{\\header\\pard Depot\\par}second',
      'Depot\n\nFoot\n\nfirst\n\nsecond',
    ],
    [
      '{\\mmath{\\*\\moMath{\\mf{\\mfPr x}{\\mnum{\\mr a+b}}{\\mden{\\mr 2}}}}{\\mmathPict z}}=c',
      '(a+b)/(2)=c',
    ],
    ['first\\line second\\page third', 'first\nsecond\n\nthird'],
    ['{\\listtext\\bullet\\tab}one\\par{\\listtext 2.\\tab}two\\par', '- one\n\n2. two'],
  ]
  for (const [body, text] of texts) t.equal(await read(body), text, body)
})

t.test('Headings and tables keep their structure', async (t) => {
  const styles = '{\\stylesheet{\\s0 Normal;}{\\s1\\outlinelevel0 Chapter;}{\\s2 heading 2;}}'
  const { text, segments } = await readDocument(
    Buffer.from(
      `{\\rtf1${styles}\\pard\\s1 One\\par\\pard\\s2 Two\\par\\pard\\outlinelevel2 Three\\par\\pard text\\par}`,
    ),
    'rtf',
  )
  t.strictSame(segments.at(-1)!.heading, 'One › Two › Three')
  t.match(text, /text$/)
  const cells = (edges: number[], texts: string[], marks = edges.map(() => '')) =>
    `\\trowd${edges.map((edge, index) => `${marks[index]}\\cellx${edge}`).join('')}\\pard\\intbl ${texts.map((each) => `${each}\\cell `).join('')}\\row\n`
  t.equal(
    await read(
      `before\\par${cells([1000, 3000], ['Dept', 'Fare'], ['\\trhdr', ''])}${cells([1000, 2000, 3010], ['', 'adult', 'child'], ['\\trhdr', '', ''])}${cells([1000, 2000, 3000], ['Harbour', '12', '6'], ['\\clvmgf', '', ''])}${cells([1000, 2000, 3000], ['', 'line one\\par line two', '2'], ['\\clvmrg', '', ''])}\\pard after\\par`,
    ),
    'before\n\nDept: Harbour | Fare › adult: 12 | Fare › child: 6\nDept: Harbour | Fare › adult: line one line two | Fare › child: 2\n\nafter',
  )
  t.equal(
    await read(
      `${cells([1000, 2000], ['A', 'B'])}${cells([1000, 2000], ['x', '1'])}${cells([1000, 2000], ['y', '2'], ['\\clvmrg', ''])}`,
    ),
    'A: x | B: 1\nA: y | B: 2',
  )
  t.equal(
    await read(
      `${cells([1, 2000, 3000], ['A', '', 'B'], ['\\clmgf', '\\clmrg', ''])}${cells([1000, 2000, 3000], ['1', '2', '3'])}`,
    ),
    'A: 1 | A: 2 | B: 3',
  )
})

t.test('A damaged or hostile file is refused or bounded', async (t) => {
  await t.rejects(readDocument(Buffer.from('no RTF at all'), 'rtf'), { message: 'DOCUMENT_DAMAGED' })
  await t.rejects(read('{'.repeat(20_000)), { message: 'DOCUMENT_TOO_LARGE' })
  t.equal(findKind('a.rtf', 'application/rtf', Buffer.from('{\\rtf1 a}')), 'rtf')
  t.equal(findKind('a', '', Buffer.from('{\\rtf1 a}')), 'rtf')
  const wide = [
    `${'\\cellx1'.repeat(100_000)}x`,
    `${'\\trowd\\cellx1 x\\cell\\row'.repeat(20_000)}`,
    `x${'\\u228'.repeat(100_000)}`,
    `x${'}'.repeat(10_000)}${'{'.repeat(10)}`,
    `x\\bin99999999 ${'x'.repeat(1000)}`,
    `\\uc999999999\\u228 ${'{'.repeat(100)}x`,
  ]
  for (const body of wide) t.match(await read(body), /x/, body.slice(0, 30))
})
