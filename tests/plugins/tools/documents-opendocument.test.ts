import { findKind } from '../../../plugins/tools/documents/reading/document-kind.ts'
import { readDocument } from '../../../plugins/tools/documents/reading/reader.ts'
import t from '../../run/file-test.ts'
import {
  makeContent,
  makeFlatOpenDocument,
  makeOpenDocument,
  type OpenDocumentKind,
  type OpenDocumentParts,
} from '../../support/opendocument.ts'
import { makeZip } from '../../support/zip.ts'

const read = async (kind: OpenDocumentKind, body: string, parts?: OpenDocumentParts) =>
  (await readDocument(makeOpenDocument(kind, body, parts), kind)).text
const problemOf = (bytes: Buffer, kind: OpenDocumentKind) =>
  readDocument(bytes, kind).then(
    () => 'is read',
    (error) => error.problem,
  )
const p = (text: string, style = 'Standard') => `<text:p text:style-name="${style}">${text}</text:p>`
const cell = (text: string, attributes = '') =>
  `<table:table-cell ${attributes}>${p(text)}</table:table-cell>`
const row = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`
const table = (...rows: string[]) => `<table:table table:name="T">${rows.join('')}</table:table>`
const style = (name: string, family: string, content: string, attributes = '') =>
  `<style:style style:name="${name}" style:family="${family}" ${attributes}>${content}</style:style>`

t.test('Every name of an OpenDocument file leads to its kind', (t) => {
  const extensions = { odt: ['odt', 'ott'], ods: ['ods', 'ots'], odp: ['odp', 'otp'] }
  for (const [kind, names] of Object.entries(extensions)) {
    const bytes = makeOpenDocument(kind as OpenDocumentKind, '')
    for (const name of [...names, 'zip', 'doc', 'txt']) t.equal(findKind(`a.${name}`, '', bytes), kind, name)
    const flat = makeFlatOpenDocument(kind as OpenDocumentKind, '')
    for (const name of [`f${kind}`, 'xml', 'bin']) t.equal(findKind(`a.${name}`, '', flat), kind, name)
  }
  t.equal(findKind('a', 'application/vnd.oasis.opendocument.text', Buffer.from('PK')), 'odt')
  t.end()
})

t.test('Headings, paragraphs, spaces and breaks', async (t) => {
  const body = `<text:h text:outline-level="1">Travel</text:h>${p('  Book<text:s text:c="-4"/>early\n   &amp; <text:span>che</text:span>ap<text:tab/>now<text:line-break/>or never.')}<text:section>${p('In a section.')}</text:section><text:h text:outline-level="2">Trains</text:h>${p('')}${p('By rail.')}`
  const { text, segments } = await readDocument(makeOpenDocument('odt', body), 'odt')
  t.equal(text, 'Travel\n\nBook early & cheap now\nor never.\n\nIn a section.\n\nTrains\n\nBy rail.')
  t.strictSame(
    segments.map(({ heading }) => heading),
    ['Travel', 'Travel', 'Travel', 'Travel › Trains', 'Travel › Trains'],
  )
  const flat = await readDocument(makeFlatOpenDocument('odt', body), 'odt')
  t.equal(flat.text, text)
  // A program may write other prefixes than the usual ones.
  const usual = makeFlatOpenDocument('odt', body).toString()
  const other = usual.replace(/text:(?!1\.0)/g, 'ns3:').replace('xmlns:text=', 'xmlns:ns3=')
  t.strictSame(await readDocument(Buffer.from(other), 'odt'), flat)
  const code = ['def f(x):', '<text:s text:c="4"/>return <text:s/>x', '', 'f(1)']
  const preformatted = code.map((line) => p(line, 'Preformatted_20_Text')).join('')
  t.equal(
    await read('odt', `${p('Code:')}${preformatted}${p('End.')}`),
    'Code:\n\ndef f(x):\n    return  x\n\nf(1)\n\nEnd.',
  )
  const titled = await readDocument(
    makeOpenDocument('odt', `${p('Handbook', 'P1')}${p('Words.')}`, {
      styles: style('P1', 'paragraph', '', 'style:parent-style-name="Title"'),
    }),
    'odt',
  )
  t.match(titled.segments, [{ kind: 'heading' }, { heading: 'Handbook' }])
})

t.test('Lists and headings have the numbers that are shown', async (t) => {
  const level = (n: number, format: string, shown = 1) =>
    `<text:list-level-style-number text:level="${n}" style:num-format="${format}" style:num-suffix="." text:display-levels="${shown}"/>`
  const styles = `<text:list-style style:name="L1">${level(1, '1')}${level(2, 'a')}${level(3, '1', 3)}</text:list-style><text:list-style style:name="L2"><text:list-level-style-bullet text:level="1" text:bullet-char="•"/></text:list-style><text:list-style style:name="L3">${level(1, 'I')}</text:list-style>`
  const list = (name: string, items: string, attributes = '') =>
    `<text:list text:style-name="${name}" ${attributes}>${items}</text:list>`
  const item = (text: string, attributes = '') => `<text:list-item ${attributes}>${text}</text:list-item>`
  const inner = `<text:list>${item(p('inner'))}${item(`${p('inner too')}<text:list>${item(p('deep'))}</text:list>`)}</text:list>`
  t.equal(
    await read(
      'odt',
      `${list('L1', `<text:list-header>${p('Steps')}</text:list-header>${item(p('one'))}${item(`${p('two')}${p('more of two')}${inner}`)}`)}${p('Between.')}${list('L1', item(p('three')), 'text:continue-numbering="true"')}${list('L1', item(p('again')))}${list('L2', item(p('dot')))}${list('L3', item(p('roman'), 'text:start-value="14"'))}`,
      { styles },
    ),
    [
      ...['Steps', '1. one', '2. two', 'more of two', 'a. inner', 'b. inner too', '2.b.1. deep', 'Between.'],
      ...['3. three', '1. again', '- dot', 'XIV. roman'],
    ].join('\n\n'),
  )
  const outline = (n: number) =>
    `<text:outline-level-style text:level="${n}" style:num-format="1" text:display-levels="${n}"/>`
  const h = (n: number, text: string, attributes = '') =>
    `<text:h text:outline-level="${n}" ${attributes}>${text}</text:h>`
  t.equal(
    await read(
      'odt',
      `${h(1, 'A')}${h(2, 'B')}${h(2, 'C')}${h(1, 'D')}${h(2, 'E')}${h(1, 'F', 'text:is-list-header="true"')}`,
      { documentStyles: `<text:outline-style>${outline(1)}${outline(2)}</text:outline-style>` },
    ),
    '1 A\n\n1.1 B\n\n1.2 C\n\n2 D\n\n2.1 E\n\nF',
  )
})

t.test('Tables keep their cells under their heads', async (t) => {
  t.equal(
    await read(
      'odt',
      table(
        `<table:table-header-rows>${row(cell('Dept', 'table:number-rows-spanned="2"'), cell('Pay', 'table:number-columns-spanned="2"'), '<table:covered-table-cell/>')}${row('<table:covered-table-cell/>', cell('base'), cell('bonus'))}</table:table-header-rows>`,
        row(cell('Harbour', 'table:number-rows-spanned="2"'), cell('51'), cell('3')),
        row('<table:covered-table-cell/>', cell('same', 'table:number-columns-repeated="2"')),
        `<table:table-row table:number-rows-repeated="2">${cell('Shop')}${cell('9')}<table:table-cell/></table:table-row>`,
        row(
          cell('Nested'),
          `<table:table-cell>${p('see')}${table(row(cell('x'), cell('y')), row(cell('1'), cell('2')))}</table:table-cell>`,
        ),
      ),
    ),
    [
      'Dept: Harbour | Pay › base: 51 | Pay › bonus: 3',
      'Dept: Harbour | Pay › base: same | Pay › bonus: same',
      'Dept: Shop | Pay › base: 9',
      'Dept: Shop | Pay › base: 9',
      'Dept: Nested | Pay › base: see x: 1 | y: 2',
    ].join('\n'),
  )
})

t.test('Notes, comments, frames, fields and ruby', async (t) => {
  const frame = (content: string) => `<draw:frame><svg:title>Alt</svg:title>${content}</draw:frame>`
  const note = `<text:note><text:note-citation>1</text:note-citation><text:note-body>${p('Except Texel.')}</text:note-body></text:note>`
  const comment = `<office:annotation><dc:creator>Ada</dc:creator><dc:date>2026-01-01</dc:date>${p('Really?')}</office:annotation>`
  t.equal(
    await read(
      'odt',
      [
        p(`The tariff${note} applies${comment} to <text:user-field-get>all</text:user-field-get>.`),
        p(`A box${frame(`<draw:text-box>${p('In the box.')}</draw:text-box>`)} here.`),
        p(
          '<text:ruby><text:ruby-base>東京</text:ruby-base><text:ruby-text>とうきょう</text:ruby-text></text:ruby>です',
        ),
        `<draw:custom-shape><svg:desc>An arrow</svg:desc>${p('On the arrow')}</draw:custom-shape>`,
        table(row(cell('Name'), cell('Age')), row(cell(`Bob${note}`), cell(`7${comment}`))),
      ].join(''),
    ),
    'The tariff[1] applies to all.\n\n[1] Except Texel.\n\nComment (Ada): Really?\n\nA box here.\n\nIn the box.\n\n東京です\n\nOn the arrow\n\nName: Bob[1] | Age: 7\n[1] Except Texel.\nComment (Ada): Really?',
  )
})

t.test('Deleted and hidden text is left out', async (t) => {
  const hidden = '<style:text-properties text:display="none"/>'
  t.equal(
    await read(
      'odt',
      [
        `<text:tracked-changes><text:changed-region><text:deletion>${p('deleted')}</text:deletion></text:changed-region></text:tracked-changes>`,
        p(
          'Shown<text:span text:style-name="T1"> secret</text:span> <text:hidden-text text:is-hidden="true">no</text:hidden-text><text:hidden-text text:is-hidden="false">yes</text:hidden-text>.',
        ),
        p('Hidden paragraph', 'P2'),
        p('Hidden by a field<text:hidden-paragraph text:is-hidden="true"/>'),
        `<text:section text:display="none">${p('hidden section')}</text:section>`,
        `<text:section text:display="condition" text:is-hidden="true">${p('hidden section')}</text:section>`,
      ].join(''),
      {
        styles: `${style('T1', 'text', hidden)}${style('P2', 'paragraph', '', 'style:parent-style-name="P1"')}${style('P1', 'paragraph', hidden)}`,
      },
    ),
    'Shown yes.',
  )
})

t.test('Heads and feet of pages are read once', async (t) => {
  const header = (text: string, attributes = '') => `<style:header ${attributes}>${p(text)}</style:header>`
  const masterStyles = `<style:master-page style:name="Standard">${header('Harbour office')}<style:footer>${p('Draft of May<text:tab/>Page <text:page-number>1</text:page-number>')}${p('<text:page-number>1</text:page-number>')}</style:footer></style:master-page><style:master-page style:name="First">${header('Harbour office')}${header('Not shown', 'style:display="false"')}</style:master-page>`
  const parts = { masterStyles }
  t.equal(await read('odt', p('Body.'), parts), 'Harbour office\n\nBody.\n\nDraft of May')
  t.equal(
    (await readDocument(makeFlatOpenDocument('odt', p('Body.'), parts), 'odt')).text,
    'Harbour office\n\nBody.\n\nDraft of May',
  )
  t.equal(await read('ods', table(row(cell('A'), cell('B'))), parts), 'T\n\nA | B')
})

t.test('Formulas are a line of text, and charts are tables', async (t) => {
  const formula =
    '<math:math><math:semantics><math:mrow><math:msubsup><math:mo>∫</math:mo><math:mn>0</math:mn><math:mn>1</math:mn></math:msubsup><math:mi>x</math:mi><math:mo>+</math:mo><math:mi>E</math:mi><math:mo>=</math:mo><math:mfrac><math:mrow><math:mi>a</math:mi><math:mo>+</math:mo><math:mn>1</math:mn></math:mrow><math:msup><math:mi>b</math:mi><math:mn>2</math:mn></math:msup></math:mfrac></math:mrow><math:annotation>E = {a+1} over b^2</math:annotation></math:semantics></math:math>'
  const object = (content: string) => `<draw:frame><draw:object ${content}</draw:object></draw:frame>`
  const chart = `<office:chart><chart:chart><chart:title>${p('Sales')}</chart:title><table:table table:name="local-table"><table:table-header-rows>${row(cell(''), cell('First half'))}</table:table-header-rows><table:table-rows>${row(cell('Kiel'), '<table:table-cell office:value-type="float" office:value="412"/>')}</table:table-rows></table:table></chart:chart></office:chart>`
  const body = `${p(`Let ${object('xlink:href="./Object 1">')} be.`)}${p(`Also ${object(`>${formula}`)}.`)}${p(object('xlink:href="./Object 2">'))}${p(object('xlink:href="./Object 2">'))}${p(object('xlink:href="../../etc">'))}`
  const files = [
    // Programs write each element on a line.
    { name: 'Object 1/content.xml', content: formula.replaceAll('<', '\n <') },
    { name: 'Object 2/content.xml', content: makeContent(chart) },
  ]
  t.equal(
    await read('odt', body, { files }),
    'Let ∫_0^1 x+E=(a+1)/(b^2) be.\n\nAlso ∫_0^1 x+E=(a+1)/(b^2).\n\nSales\n\nKiel | First half: 412',
  )
  const sheet = table(
    `<table:shapes>${object('xlink:href="./Object%202">')}</table:shapes>`,
    row(cell('City'), cell('Sold')),
    row(cell('Kiel'), cell('412')),
  )
  t.equal(
    await read('ods', sheet, { files }),
    'T\n\nCity: Kiel | Sold: 412\n\nSales\n\nKiel | First half: 412',
  )
})

t.test('Spreadsheets show values as they are shown, without what is hidden', async (t) => {
  const value = (type: string, attributes: string, text = '') =>
    `<table:table-cell office:value-type="${type}" ${attributes}>${text && p(text)}</table:table-cell>`
  const sheet = `<table:table table:name="Prices"><table:table-column table:number-columns-repeated="2"/><table:table-column table:visibility="collapse"/><table:table-column table:number-columns-repeated="16381"/>${[
    row(cell('Item'), cell('Price'), cell('Hidden'), cell('Since'), cell('Paid'), cell('Rate')),
    row(
      cell('Hinge'),
      value('float', 'office:value="1234.5"', '1,234.50'),
      cell('secret'),
      value('date', 'office:date-value="2026-03-14"', '14.03.26'),
      value('boolean', 'office:boolean-value="true"'),
      value('percentage', 'office:value="0.0617"', '6.17%'),
    ),
    `<table:table-row table:visibility="filter">${cell('filtered')}</table:table-row>`,
    row(
      cell(`Bolt<office:annotation><dc:creator>Ada</dc:creator>${p('Sold out')}</office:annotation>`),
      value('float', 'office:value="0.08"'),
      cell('secret'),
      value('date', 'office:date-value="2026-03-14T09:30:00"', 'today'),
      '<table:table-cell/>',
      value('time', 'office:time-value="PT09H00M00S"', '09:00'),
    ),
    `<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>`,
  ].join('')}</table:table>`
  const concealed = table(row(cell('nothing'))).replace('name="T"', 'name="Old" table:style-name="ta2"')
  t.equal(
    await read('ods', `${sheet}${concealed}${table('<table:table-row/>')}`, {
      styles: style('ta2', 'table', '<style:table-properties table:display="false"/>'),
    }),
    [
      'Prices\n\nItem: Hinge | Price: 1,234.50 | Since: 2026-03-14 | Paid: TRUE | Rate: 6.17%',
      '\nItem: Bolt | Price: 0.08 | Since: 2026-03-14 09:30:00 | Rate: 09:00\nComment (Ada): Sold out',
    ].join(''),
  )
  const hiddenRow = `<table:table-row table:visibility="collapse">${cell('x')}${cell('y')}</table:table-row>`
  t.equal(
    await read(
      'ods',
      table(
        row(cell('Dept'), cell('Name')),
        row(cell('Harbour', 'table:number-rows-spanned="3"'), cell('Ann')),
        hiddenRow.replace('<table:table-cell >', '<table:covered-table-cell/><table:table-cell >'),
        row('<table:covered-table-cell/>', cell('Bob')),
        row(cell('Shop'), cell('Cy')),
      ),
    ),
    'T\n\nDept: Harbour | Name: Ann\nDept: Harbour | Name: Bob\nDept: Shop | Name: Cy',
  )
})

t.test('Slides are pages with titles and notes, without prompts', async (t) => {
  const box = (kind: string, text: string, attributes = '') =>
    `<draw:frame presentation:class="${kind}" ${attributes}><draw:text-box>${text && p(text)}</draw:text-box></draw:frame>`
  const slide = (...parts: string[]) =>
    `<draw:page draw:name="page1" draw:style-name="dp1">${parts.join('')}</draw:page>`
  const notes = (text: string) =>
    `<presentation:notes><draw:page-thumbnail presentation:class="page"/>${box('notes', text)}</presentation:notes>`
  const body = `${slide(
    box('outline', 'First point'),
    box('title', 'Welcome'),
    box('subtitle', 'Click to add text', 'presentation:placeholder="true"'),
    box('page-number', '1'),
    `<draw:g><draw:custom-shape>${p('In a group')}</draw:custom-shape></draw:g>`,
    notes('Speak slowly.'),
  )}${slide(`<draw:frame>${table(row(cell('Year'), cell('Sum')), row(cell('2025'), cell('7')))}</draw:frame>`, `<office:annotation><dc:creator>Bob</dc:creator>${p('Check')}</office:annotation>`)}`
  const { text, segments, pages } = await readDocument(makeOpenDocument('odp', body), 'odp')
  t.equal(
    text,
    'Welcome\n\nFirst point\n\nIn a group\n\nSpeak slowly.\n\nYear: 2025 | Sum: 7\n\nComment (Bob): Check',
  )
  t.strictSame(
    segments.map(({ page }) => page),
    [1, 1, 1, 1, 2, 2],
  )
  t.equal(pages, 2)
  const hidden = '<style:drawing-page-properties presentation:visibility="hidden"/>'
  t.equal(
    await read('odp', slide(box('outline', 'Point'), box('title', 'Welcome')), {
      styles: style('dp1', 'drawing-page', hidden),
    }),
    'Welcome\n\nHidden slide\n\nPoint',
  )
})

t.test('A document that is protected, damaged or too large says so', async (t) => {
  const manifest = '<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>'
  t.equal(await problemOf(makeOpenDocument('odt', '', { manifest }), 'odt'), 'DOCUMENT_ENCRYPTED')
  t.equal(await problemOf(makeZip([{ name: 'styles.xml', content: '<a/>' }]), 'odt'), 'DOCUMENT_DAMAGED')
  t.equal(await problemOf(makeOpenDocument('ods', ''), 'ods'), 'DOCUMENT_EMPTY')
  const full = `<table:table-row table:number-rows-repeated="1048576">${cell('x', 'table:number-columns-repeated="16384"')}</table:table-row>`
  t.equal(await problemOf(makeOpenDocument('ods', table(full)), 'ods'), 'DOCUMENT_TOO_LARGE')
  const sparse = row('<table:table-cell table:number-columns-repeated="16383"/>', cell('x'))
  t.equal(await problemOf(makeOpenDocument('ods', table(sparse.repeat(700))), 'ods'), 'DOCUMENT_TOO_LARGE')
  const nested = (depth: number): string =>
    depth === 0 ? p('x') : table(row(`<table:table-cell>${nested(depth - 1)}</table:table-cell>`))
  t.equal(await problemOf(makeOpenDocument('odt', nested(25)), 'odt'), 'DOCUMENT_TOO_LARGE')
  t.equal(await problemOf(makeOpenDocument('odt', nested(5)), 'odt'), 'is read')
  const odd = ['1.5', '-3', '99', 'x'].map((level) => `<text:h text:outline-level="${level}">H</text:h>`)
  t.equal(await read('odt', odd.join('')), 'H\n\nH\n\nH\n\nH')
  const own = `<draw:frame><draw:object xlink:href="."/></draw:frame>`
  t.equal(await read('odt', `${p('Self')}${p(own)}`), 'Self')
})
