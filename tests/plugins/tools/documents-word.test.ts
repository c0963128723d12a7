import type { ReadText } from '../../../plugins/tools/documents/reading/blocks.ts'
import { readDocument } from '../../../plugins/tools/documents/reading/reader.ts'
import { findProblem } from '../../../plugins/tools/documents/reading/reading-failure.ts'
import t from '../../run/file-test.ts'
import {
  cell,
  field,
  makeMargin,
  makeWord,
  makeWordEntries,
  paragraph as p,
  run as r,
  table,
  type WordSource,
} from '../../support/word-files.ts'
import { makeZip } from '../../support/zip.ts'

const read = (source: string | WordSource): Promise<ReadText> =>
  readDocument(makeWord(typeof source === 'string' ? { body: source } : source), 'docx')

/** Returns the text of a document, its blocks separated by single line ends. */
const textOf = async (source: string | WordSource): Promise<string> =>
  (await read(source)).text.replace(/\n\n/g, '\n')

/** Returns the headings of a document with the paths that end in them. */
const headingsOf = ({ segments, text }: ReadText): string[] =>
  segments.flatMap(({ kind, start, end, heading }) =>
    kind === 'heading' ? [`${heading} = ${text.slice(start, end)}`] : [],
  )

const style = (id: string, name: string, more = '') =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`
const styled = (text: string, id: string) => p(text, `<w:pStyle w:val="${id}"/>`)
const item = (text: string, numId: number, ilvl = 0) =>
  p(text, `<w:numPr><w:ilvl w:val="${ilvl}"/><w:numId w:val="${numId}"/></w:numPr>`)
const level = (ilvl: number, format: string, text: string, more = '') =>
  `<w:lvl w:ilvl="${ilvl}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`
const definition = (id: number, ...content: string[]) =>
  `<w:abstractNum w:abstractNumId="${id}">${content.join('')}</w:abstractNum>`
const list = (id: number, definitionId: number, more = '') =>
  `<w:num w:numId="${id}"><w:abstractNumId w:val="${definitionId}"/>${more}</w:num>`

t.test('Headings are known by their styles, in any language, and by outline levels', async (t) => {
  const styles = [
    style('1', 'heading 1'),
    style('berschrift2', 'Überschrift 2'),
    style('Own', 'Chapter mark', '<w:basedOn w:val="berschrift2"/>'),
    style('Level', 'Clause', '<w:pPr><w:outlineLvl w:val="2"/></w:pPr>'),
    style('Contents', 'TOC Heading', '<w:basedOn w:val="1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>'),
    style('Loop', 'Loop', '<w:basedOn w:val="Loop"/>'),
    style('a3', '标题 3'),
    style('T', 'Title'),
  ].join('')
  const body = [
    styled('Report', 'T'),
    styled('One', '1'),
    styled('Two', 'berschrift2'),
    styled('Three', 'Level'),
    styled('Also two', 'Own'),
    styled('第三', 'a3'),
    styled('Contents', 'Contents'),
    styled('Looping', 'Loop'),
    p('Direct', '<w:outlineLvl w:val="3"/>'),
    p('Plain'),
  ].join('')
  t.strictSame(headingsOf(await read({ styles, body })), [
    'Report = Report',
    'One = One',
    'One › Two = Two',
    'One › Two › Three = Three',
    'One › Also two = Also two',
    'One › Also two › 第三 = 第三',
    'One › Also two › 第三 › Direct = Direct',
  ])
  t.strictSame(headingsOf(await read(styled('Without styles', 'Heading1') + p('Text'))), [
    'Without styles = Without styles',
  ])
})

t.test('Lists have the numbers that are shown', async (t) => {
  const numbering = [
    definition(
      0,
      level(0, 'decimal', '%1.'),
      level(1, 'decimal', '%1.%2'),
      level(2, 'lowerLetter', '(%3)'),
      level(3, 'bullet', '\uf0b7'),
    ),
    definition(1, level(0, 'upperRoman', 'Article %1'), level(1, 'decimal', '%1.%2', '<w:isLgl/>')),
    definition(2, level(0, 'chineseCountingThousand', '第%1章', '<w:suff w:val="nothing"/>')),
    definition(3, level(0, 'decimalEnclosedCircle', '%1')),
    list(1, 0),
    list(2, 0, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>'),
    list(3, 1),
    list(4, 2),
    list(5, 3),
  ].join('')
  const body = [
    item('a', 1),
    item('b', 1),
    item('c', 1, 1),
    item('d', 1, 1),
    item('e', 1, 2),
    item('f', 1, 3),
    item('g', 1),
    item('h', 1, 1),
    item('i', 2),
    item('j', 2),
    item('k', 3),
    item('l', 3),
    item('m', 3, 1),
    ...Array.from({ length: 11 }, () => item('总则', 4)),
    item('n', 5),
    item('none', 0),
    item('unknown', 99),
  ].join('')
  t.equal(
    await textOf({ numbering, body }),
    [
      ...['1. a', '2. b', '2.1 c', '2.2 d', '(a) e', '- f', '3. g', '3.1 h', '7. i', '8. j'],
      ...['Article I k', 'Article II l', '2.1 m'],
      ...'一二三四五六七八九'.split('').map((number) => `第${number}章总则`),
      ...['第十章总则', '第十一章总则', '① n', 'none', 'unknown'],
    ].join('\n'),
  )
})

t.test('Levels of a list that are skipped count as begun', async (t) => {
  const patterns = ['%1.', '%1.%2', '%1.%2.%3']
  const numbering = definition(0, ...patterns.map((text, ilvl) => level(ilvl, 'decimal', text))) + list(1, 0)
  const body = [1, 1, 0, 2, 1, 2].map((ilvl) => item('x', 1, ilvl)).join('')
  t.equal(await textOf({ numbering, body }), '1.1 x\n1.2 x\n2. x\n2.1.1 x\n2.2 x\n2.2.1 x')
})

t.test('Numbers are written in the formats of many languages', async (t) => {
  const formats: Record<string, string> = {
    upperRoman: 'I IV IX XIV',
    lowerLetter: 'a d i n',
    decimalZero: '01 04 09 14',
    ordinal: '1st 4th 9th 14th',
    cardinalText: 'One Four Nine Fourteen',
    ordinalText: 'First Fourth Ninth Fourteenth',
    chineseCounting: '一 四 九 十四',
    ideographDigital: '一 四 九 一四',
    chineseLegalSimplified: '壹 肆 玖 壹拾肆',
    japaneseCounting: '一 四 九 十四',
    koreanCounting: '일 사 구 십사',
    ganada: '가 라 자 하',
    iroha: 'ｲ ﾆ ﾘ ｶ',
    decimalEnclosedCircle: '① ④ ⑨ ⑭',
    ideographTraditional: '甲 丁 壬 14',
    ideographZodiac: '子 卯 申 14',
    russianLower: 'а г и о',
    hebrew1: 'א ד ט יד',
    arabicAbjad: 'أ د ط ن',
    thaiNumbers: '๑ ๔ ๙ ๑๔',
    unheardOf: '1 4 9 14',
  }
  const numbering = Object.keys(formats)
    .map((format, index) => definition(index, level(0, format, '%1')) + list(index + 1, index))
    .join('')
  const body = Object.keys(formats)
    .flatMap((_, index) => Array.from({ length: 14 }, () => item(`#${index}`, index + 1)))
    .join('')
  const lines = (await textOf({ numbering, body })).split('\n')
  for (const [index, [format, expected]] of Object.entries(formats).entries()) {
    const labels = lines.filter((line) => line.endsWith(` #${index}`)).map((line) => line.split(' #')[0])
    t.equal([1, 4, 9, 14].map((number) => labels[number - 1]).join(' '), expected, format)
  }
})

t.test('Numbers come from styles too, and empty paragraphs of a column show theirs', async (t) => {
  const numbering = [
    definition(
      0,
      level(0, 'decimal', '%1', '<w:pStyle w:val="H1"/>'),
      level(1, 'decimal', '%1.%2', '<w:pStyle w:val="H2"/>'),
    ),
    list(1, 0),
    definition(1, '<w:numStyleLink w:val="Linked"/>'),
    list(2, 1),
    definition(2, level(0, 'decimalZero', '%1')),
    list(3, 2),
  ].join('')
  const numbered = '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'
  const styles = [
    style('H1', 'heading 1', numbered),
    style('H2', 'heading 2', `<w:basedOn w:val="H1"/>${numbered}`),
    '<w:style w:type="numbering" w:styleId="Linked"><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>',
  ].join('')
  const row = (name: string) => cell(item('', 2)) + cell(name)
  const body = [
    styled('Scope', 'H1'),
    styled('Terms', 'H2'),
    styled('Goods', 'H2'),
    styled('Price', 'H1'),
    table(cell('No.') + cell('Name'), row('Ada'), row('Bob')),
  ].join('')
  t.equal(
    await textOf({ numbering, styles, body }),
    '1 Scope\n1.1 Terms\n1.2 Goods\n2 Price\nNo.: 01 | Name: Ada\nNo.: 02 | Name: Bob',
  )
})

t.test('Code keeps its lines, and blank bullets are not shown', async (t) => {
  const styles = style('Code', 'HTML Preformatted') + style('Own', 'My code', '<w:basedOn w:val="Code"/>')
  const numbering = definition(0, level(0, 'bullet', ' ')) + list(1, 0)
  const body = styled('def f(x):', 'Code') + styled('    return x', 'Own') + item('Goes on.', 1)
  const { text, segments } = await read({ styles, numbering, body })
  t.equal(text, 'def f(x):\n    return x\n\nGoes on.')
  t.strictSame(
    segments.map(({ kind }) => kind),
    ['code', 'text'],
  )
})

t.test('Each piece of a paragraph is read', async (t) => {
  const sym = (font: string, char: string) => `<w:r><w:sym w:font="${font}" w:char="${char}"/></w:r>`
  for (const [content, text] of [
    [`${r('a')}<w:r><w:tab/></w:r>${r('b')}<w:r><w:br/></w:r>${r('c')}`, 'a b\nc'],
    [
      `${r('co')}<w:r><w:noBreakHyphen/></w:r>${r('op')}<w:r><w:softHyphen/></w:r>${r('er\u00adate')}`,
      'co-operate',
    ],
    [`${sym('Symbol', 'F061')}${sym('Wingdings', 'F0FC')}${sym('Wingdings', 'F0E0')}`, 'α✓→'],
    [`${r('x')}${sym('Unheard Of', 'F041')}${sym('Arial', '00D8')}`, 'xØ'],
    [r('\uf061\uf0a3 b', '<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/>'), 'α≤ β'],
    [`<w:smartTag><w:customXml>${r('tag')}</w:customXml></w:smartTag>`, 'tag'],
    [`<w:hyperlink r:id="x">${r('link')}</w:hyperlink>${r(' end')}`, 'link end'],
    [`${r('seen ')}${r('secret', '<w:vanish/>')}${r('too', '<w:vanish w:val="0"/>')}`, 'seen too'],
    [
      `<w:r><w:rPr><w:vanish/></w:rPr><w:ruby><w:rubyBase>${r('none')}</w:rubyBase></w:ruby></w:r>${r('x')}`,
      'x',
    ],
    [`${r('10')}${r('-6', '<w:vertAlign w:val="superscript"/>')}${r(' m')}`, '10⁻⁶ m'],
    [
      `<w:r><w:ruby><w:rubyPr/><w:rt>${r('かいじょう')}</w:rt><w:rubyBase>${r('会場')}</w:rubyBase></w:ruby></w:r>${r('は')}`,
      '会場は',
    ],
    [`<w:dir w:val="rtl">${r('שלום')}</w:dir>`, 'שלום'],
    ['<w:r><w:t>\n  pretty\n  </w:t></w:r>', 'pretty'],
    [
      `<w:r><mc:AlternateContent><mc:Choice Requires="w16"><w:t>new</w:t></mc:Choice><mc:Fallback><w:t>old</w:t></mc:Fallback></mc:AlternateContent></w:r>`,
      'new',
    ],
    [
      '<w:r><mc:AlternateContent><mc:Choice Requires="cx"><cx:chart/></mc:Choice><mc:Fallback><w:t>old</w:t></mc:Fallback></mc:AlternateContent></w:r>',
      'old',
    ],
  ] as const)
    t.equal(await textOf(p(content)), text)
})

t.test('Fields show their results, also within each other', async (t) => {
  const box = (state: string) => `<w:ffData><w:checkBox>${state}</w:checkBox></w:ffData>`
  const choices =
    '<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="Sea"/><w:listEntry w:val="Rail"/></w:ddList></w:ffData>'
  for (const [content, text] of [
    [
      `${r('No. ')}<w:fldSimple w:instr=" DOCPROPERTY Number ">${r('KV-4711')}</w:fldSimple>${r('.')}`,
      'No. KV-4711.',
    ],
    [`${r('See ')}${field(' REF a ', r('clause 4'))}${r('.')}`, 'See clause 4.'],
    [field(' IF 1 = 1 "yes" ', r('yes')), 'yes'],
    [
      `${r('a ')}${field(`IF </w:instrText></w:r>${field('PAGE', r('9'))}<w:r><w:instrText> = 9`, field('REF b', r('result')))}${r(' z')}`,
      'a result z',
    ],
    [field(' FORMCHECKBOX ', '', box('<w:checked/>')) + r(' Yes'), '☒ Yes'],
    [field(' FORMCHECKBOX ', '', box('<w:default w:val="0"/>')) + r(' No'), '☐ No'],
    [field(' FORMDROPDOWN ', '', choices), 'Rail'],
    [field(' FORMTEXT ', r('Ada'), '<w:ffData/>'), 'Ada'],
    [field(' SYMBOL 252 \\f "Wingdings" \\s 12', ''), '✓'],
    [field(' EQ \\o\\ac(○,7) ', '') + r(' is'), '7 is'],
    [field(' EQ \\f(a + b,\\r(3,c)) ', ''), 'a + b/√[3](c)'],
    [field(' XE "index" ', '') + r('word'), 'word'],
  ] as const)
    t.equal(await textOf(p(content)), text)
  const begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r>'
  t.equal(await textOf(p(begin + r('lost')) + p('The end is missing.')), 'The end is missing.')
  const [first, last] = field('TOC', '|').split('|')
  t.equal(await textOf(p(first + r('One')) + p(r('Two') + last) + p('Three')), 'One\nTwo\nThree')
})

t.test('Content controls show what was filled in', async (t) => {
  const control = (properties: string, content: string) =>
    `<w:sdt><w:sdtPr>${properties}</w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`
  const placeholder = '<w:showingPlcHdr/>'
  const body = [
    p(`${r('Name: ')}${control('', r('Ada'))}`),
    p(`${r('Date: ')}${control(placeholder, r('Click here.'))}${r('none')}`),
    p(`${control('<w14:checkbox><w14:checked w14:val="1"/></w14:checkbox>', r('☒'))}${r(' Yes')}`),
    p(`${control('<w14:checkbox><w14:checked w14:val="0"/></w14:checkbox>', '')}${r(' No')}`),
    control('<w:dropDownList/>', p('Rail')),
    control(placeholder, p('Choose one.')),
    table(
      cell('Name') + cell('Date'),
      cell('Ada') + control(placeholder, cell('Click here.')),
      control('', `<w:tr>${cell('Bob')}${cell('May')}</w:tr>`).replace(/^/, '<w:tr/>'),
    ),
  ].join('')
  t.equal(await textOf(body), 'Name: Ada\nDate: none\n☒ Yes\n☐ No\nRail\nName: Ada\nName: Bob | Date: May')
})

t.test('Tracked changes are read as the text will be', async (t) => {
  const deletedMark = '<w:rPr><w:del w:id="1"/></w:rPr>'
  const body = [
    p(`${r('in ')}<w:del w:id="2">${r('five')}</w:del><w:ins w:id="3">${r('six')}</w:ins>${r(' days')}`),
    p(r('First half '), deletedMark),
    p('second half.'),
    p(`<w:del w:id="4"><w:r><w:delText>gone</w:delText></w:r></w:del>`, deletedMark),
    p(`<w:moveFrom w:id="5">${r('Moved.')}</w:moveFrom>`, '<w:rPr><w:moveFrom w:id="6"/></w:rPr>'),
    p(`<w:moveTo w:id="7">${r('Moved.')}</w:moveTo>`),
    p(
      `<w:r><w:rPr><w:rPrChange w:id="8"><w:rPr><w:vanish/></w:rPr></w:rPrChange></w:rPr><w:t>Shown.</w:t></w:r>`,
    ),
    table(
      cell('Port') + cell('Fee'),
      `<w:tr><w:trPr><w:del w:id="9"/></w:trPr>${cell('Bonn')}${cell('1')}</w:tr>`,
      `<w:tr><w:trPr><w:ins w:id="10"/></w:trPr>${cell('Kiel')}${cell('2')}</w:tr>`,
    ),
  ].join('')
  t.equal(await textOf(body), 'in six days\nFirst half second half.\nMoved.\nShown.\nPort: Kiel | Fee: 2')
})

t.test('Text boxes, WordArt and large first letters are read once', async (t) => {
  const inside = `<w:txbxContent>${p('In the box.')}</w:txbxContent>`
  const both = `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor><wp:positionH><wp:align>center</wp:align></wp:positionH><wps:txbx>${inside}</wps:txbx></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox>${inside}</v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>`
  const art = '<w:r><w:pict><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict></w:r>'
  const drop = '<w:framePr w:dropCap="drop" w:lines="3"/>'
  const body = [p(r('Anchor') + both + r(' goes on.')), p(art), p('O', drop), p('nce upon a time.')].join('')
  t.equal(await textOf(body), 'Anchor goes on.\nIn the box.\nDRAFT\nOnce upon a time.')
})

t.test('Charts, diagrams and descriptions of pictures follow their paragraph', async (t) => {
  const drawing = (content: string, description = '') =>
    `<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="${description}"/><a:graphic><a:graphicData>${content}</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`
  const point = (index: number, value: string) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`
  const more = {
    c: {
      type: 'chart',
      file: 'charts/chart1.xml',
      content: `<c:chartSpace><c:chart><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache>${point(0, 'Tons')}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache>${point(0, 'Kiel')}${point(1, 'Bonn')}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache>${point(0, '7')}${point(1, '9')}</c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`,
    },
    d: {
      type: 'diagramData',
      file: 'diagrams/data1.xml',
      content:
        '<dgm:dataModel><dgm:ptLst><dgm:pt modelId="1"><dgm:t><a:p><a:r><a:t>Load</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>',
    },
  }
  const chart = drawing('<c:chart r:id="c"/>')
  const body = [
    p(r('Chart.') + chart),
    p(chart + drawing('<dgm:relIds r:dm="d"/>')),
    p(r('Picture.') + drawing('<pic:pic/>', 'The harbour at night') + drawing('<pic:pic/>', 'Bild 3')),
  ].join('')
  const text = await textOf({ body, more })
  t.match(text, /^Chart\.\n(?=.*Kiel)(?=.*7).*\n(?=.*Bonn)(?=.*9).*\nLoad\nPicture\.\nThe harbour at night$/)
})

t.test('Equations are read as one line', async (t) => {
  const m = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`
  const e = (content: string) => `<m:e>${content}</m:e>`
  const sup = (base: string, power: string) => `<m:sSup>${e(m(base))}<m:sup>${m(power)}</m:sup></m:sSup>`
  const fraction = (top: string, bottom: string) => `<m:f><m:num>${top}</m:num><m:den>${bottom}</m:den></m:f>`
  const root = (content: string) =>
    `<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>${e(content)}</m:rad>`
  for (const [content, text] of [
    [fraction(m('a'), m('b')), 'a/b'],
    [fraction(m('a+1'), m('2')), '(a+1)/2'],
    [sup('x', '2') + sup('y', 'n+1'), 'x^2y^(n+1)'],
    [`${m('x=')}${fraction(m('-b±') + root(sup('b', '2') + m('-4ac')), m('2a'))}`, 'x=(-b±√(b^2-4ac))/(2a)'],
    [`<m:rad><m:deg>${m('3')}</m:deg>${e(m('x'))}</m:rad>`, '∛(x)'],
    [
      `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${m('i=1')}</m:sub><m:sup>${m('n')}</m:sup>${e(m('i'))}</m:nary>`,
      '∑_(i=1)^n i',
    ],
    [
      `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>${e(`<m:m><m:mr>${e(m('1'))}${e(m('2'))}</m:mr><m:mr>${e(m('3'))}${e(m('4'))}</m:mr></m:m>`)}</m:d>`,
      '[1, 2; 3, 4]',
    ],
    [`<m:func><m:fName>${m('sin')}</m:fName>${e(m('x'))}</m:func>`, 'sin x'],
    [
      `<m:func><m:fName><m:limLow>${e(m('lim'))}<m:lim>${m('x→0')}</m:lim></m:limLow></m:fName>${e(m('f'))}</m:func>`,
      'lim_(x→0) f',
    ],
  ] as const)
    t.equal(await textOf(p(`${r('Let ')}<m:oMath>${content}</m:oMath>${r('.')}`)), `Let ${text}.`)
  t.equal(await textOf(`<m:oMathPara><m:oMath>${m('E=m')}${sup('c', '2')}</m:oMath></m:oMathPara>`), 'E=mc^2')
})

t.test('Notes and comments follow their paragraph, and their table', async (t) => {
  const note = (kind: string, id: number, text: string) => `<w:${kind} w:id="${id}">${p(text)}</w:${kind}>`
  const mark = (kind: string, id: number) => `<w:r><w:${kind}Reference w:id="${id}"/></w:r>`
  const source = {
    footnotes: [
      '<w:footnote w:type="separator" w:id="0"><w:p><w:r><w:t>line</w:t></w:r></w:p></w:footnote>',
      note('footnote', 1, 'Except Texel.'),
      note('footnote', 2, 'Gross.'),
    ].join(''),
    endnotes: note('endnote', 1, 'A source.'),
    comments: `<w:comment w:id="1" w:author="Ada">${p('Really?')}</w:comment>`,
    body: [
      p(r('Islands') + mark('footnote', 1) + r(' and ports.') + mark('endnote', 1)),
      p(r('A claim.') + mark('comment', 1)),
      table(cell('Port') + cell('Fee'), cell('Kiel') + cell(p(r('2') + mark('footnote', 2)))),
      p(r('Again.') + mark('footnote', 1)),
    ].join(''),
  }
  t.equal(
    await textOf(source),
    [
      'Islands[1] and ports.[i]',
      '[1] Except Texel.',
      '[i] A source.',
      'A claim.',
      'Comment (Ada): Really?',
      'Port: Kiel | Fee: 2[2]',
      '[2] Gross.',
      'Again.',
    ].join('\n'),
  )
})

t.test('Heads and feet of pages are read once, without mere page numbers', async (t) => {
  const margin = (root: 'hdr' | 'ftr', file: string, content: string) => ({
    type: root === 'hdr' ? 'header' : 'footer',
    file,
    content: makeMargin(root, content),
  })
  const pages = `${r('Page ')}${field('PAGE', r('1'))}${r(' of ')}${field('NUMPAGES', r('9'))}`
  const reference = (kind: string, type: string, id: string) =>
    `<w:${kind}Reference w:type="${type}" r:id="${id}"/>`
  const more = {
    h1: margin('hdr', 'header1.xml', p('Reg. no. HB-20418')),
    h2: margin('hdr', 'header2.xml', p('Reg. no. HB-20418') + p('Annex')),
    first: margin('hdr', 'header3.xml', p('Cover')),
    even: margin('hdr', 'header4.xml', p('Even pages')),
    f1: margin('ftr', 'footer1.xml', p(`${r('Account 0417')}<w:r><w:tab/></w:r>${pages}`)),
    f2: margin('ftr', 'footer2.xml', p(pages) + p(r('- ') + field('PAGE', r('2')) + r(' -'))),
  }
  const body = [
    p(
      'Body.',
      `<w:sectPr>${reference('header', 'default', 'h1')}${reference('header', 'even', 'even')}${reference('footer', 'default', 'f1')}</w:sectPr>`,
    ),
    p('More.'),
    `<w:sectPr>${reference('header', 'default', 'h2')}${reference('header', 'first', 'first')}${reference('footer', 'default', 'f2')}</w:sectPr>`,
  ].join('')
  t.equal(await textOf({ body, more }), 'Reg. no. HB-20418\nAnnex\nBody.\nMore.\nAccount 0417')
  const shown = {
    body: body
      .replace('</w:sectPr>', '<w:titlePg/></w:sectPr>')
      .replace(/<\/w:sectPr>$/, '<w:titlePg/></w:sectPr>'),
    more,
    settings: '<w:evenAndOddHeaders/>',
  }
  t.match(await textOf(shown), /^Reg. no. HB-20418\nEven pages\nAnnex\nCover\nBody\./)
})

t.test('Tables keep their cells under their heads', async (t) => {
  const span = (count: number) => `<w:gridSpan w:val="${count}"/>`
  const down = (value = '') => `<w:vMerge${value && ` w:val="${value}"`}/>`
  const restart = down('restart')
  t.equal(
    await textOf(
      table(
        cell('Dept') + cell('Name') + cell('Pay'),
        cell('Harbour', restart) + cell('Ann') + cell('51'),
        cell('', down()) + cell('Bob') + cell('67'),
        `<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>${cell('Sum')}${cell('118')}</w:tr>`,
      ),
    ),
    'Dept: Harbour | Name: Ann | Pay: 51\nDept: Harbour | Name: Bob | Pay: 67\nName: Sum | Pay: 118',
  )
  t.equal(
    await textOf(table(cell('From') + cell('Fare', span(2)), cell('Kiel') + cell('12') + cell('6'))),
    'From: Kiel | Fare: 12 | Fare: 6',
  )
  const header = (row: string) => `<w:tr><w:trPr><w:tblHeader/></w:trPr>${row}</w:tr>`
  t.equal(
    await textOf(
      table(
        header(cell('Port', restart) + cell('Fee', span(2))),
        header(cell('', down()) + cell('Day') + cell('Night')),
        cell('Kiel') + cell('7') + cell('9'),
      ),
    ),
    'Port: Kiel | Fee › Day: 7 | Fee › Night: 9',
  )
  const inner = table(cell('a') + cell('b'), cell('1') + cell('2'))
  t.equal(
    await textOf(table(cell('Name') + cell('Sizes'), cell('Box') + cell(p('in cm') + inner))),
    'Name: Box | Sizes: in cm a: 1 | b: 2',
  )
  t.equal(await textOf(table(cell(p('One.') + p('Two.')))), 'One.\nTwo.')
  t.equal(
    await textOf(table(cell(p('Firm') + p('Street 1')) + cell(p('Kiel') + p('1 May')))),
    'Firm\nStreet 1\nKiel\n1 May',
  )
})

t.test('Documents of other programs are read', async (t) => {
  t.equal(
    await textOf({ body: p('Found by its relation.'), main: 'office/main2.xml' }),
    'Found by its relation.',
  )
  const strict = makeZip([
    {
      name: '_rels/.rels',
      content:
        '<Relationships><Relationship Id="a" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    },
    {
      name: 'word/document.xml',
      content:
        '<n0:document xmlns:n0="http://purl.oclc.org/ooxml/wordprocessingml/main"><n0:body><n0:p><n0:r><n0:t>Strict.</n0:t></n0:r></n0:p></n0:body></n0:document>',
    },
  ])
  t.equal((await readDocument(strict, 'docx')).text, 'Strict.')
  const wide = (order: 'little' | 'big') =>
    makeWordEntries({ body: p('Größe 大') }).map(({ name, content }) => {
      const bytes = Buffer.from(`\ufeff${content}`, 'utf16le')
      return { name, content: order === 'big' ? bytes.swap16() : bytes }
    })
  for (const order of ['little', 'big'] as const)
    t.equal((await readDocument(makeZip(wide(order)), 'docx')).text, 'Größe 大')
  const chunk = (file: string, content: string | Buffer) => ({ type: 'aFChunk', file, content })
  const body = `${p('Before.')}${['a', 'b', 'c', 'd'].map((id) => `<w:altChunk r:id="${id}"/>`).join('')}${p('After.')}`
  const more = {
    a: chunk('a.html', '<p>Page.</p>'),
    b: chunk('b.txt', 'Text.'),
    c: chunk('c.docx', makeWord({ body: p('Document.') })),
    d: chunk(
      'd.docx',
      makeWord({ body: `<w:altChunk r:id="e"/>${p('Outer.')}`, more: { e: chunk('e.txt', 'Deep.') } }),
    ),
  }
  t.equal(await textOf({ body, more }), 'Before.\nPage.\nText.\nDocument.\nOuter.\nAfter.')
})

t.test('What a document repeats without end is bounded', async (t) => {
  const begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
  t.equal(await textOf(p(begin).repeat(20_000) + p('End.')), 'End.')
  const pattern = '%1.'.repeat(20_000)
  const numbering = definition(0, level(0, 'decimal', pattern)) + list(1, 0)
  t.ok((await textOf({ numbering, body: item('a', 1) })).length < 300)
  const base = (index: number) => style(`s${index}`, 'x', `<w:basedOn w:val="s${index + 1}"/>`)
  const styles = Array.from({ length: 500 }, (_, index) => base(index)).join('')
  t.equal(await textOf({ styles, body: styled('a', 's0') }), 'a')
  const chunk = { type: 'aFChunk', file: 'a.txt', content: 'Once.' }
  t.equal(await textOf({ body: '<w:altChunk r:id="a"/>'.repeat(1000), more: { a: chunk } }), 'Once.')
  const fractions = '<m:f><m:num>'.repeat(150) + '<m:r><m:t>a+</m:t></m:r>'.repeat(20_000)
  const equation = `<m:oMath>${fractions}${'</m:num></m:f>'.repeat(150)}</m:oMath>`
  t.match(await textOf(p(equation)), /^a\+ a\+ /)
  const versions = `<mc:AlternateContent>${'<mc:Fallback/>'.repeat(50_000)}</mc:AlternateContent>`
  t.equal(await textOf(table(versions, cell('b'))), 'b')
  const many = read(p('<w:r/>'.repeat(1_000_001)))
  t.equal(await many.then(() => 'read', findProblem), 'DOCUMENT_TOO_LARGE')
  const nested = '<w:tbl><w:tr><w:tc>'.repeat(21) + p('a') + '</w:tc></w:tr></w:tbl>'.repeat(21)
  t.equal(await read(nested).then(() => 'read', findProblem), 'DOCUMENT_TOO_LARGE')
})
