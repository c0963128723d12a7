import { readDocument } from '../../../plugins/tools/documents/reading/reader.ts'
import t from '../../run/file-test.ts'
import { makeZip } from '../../support/zip.ts'

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

type Relation = [id: string, type: string, target: string]

const relations = (list: Relation[]) =>
  `<Relationships>${list.map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`).join('')}</Relationships>`

interface Slide {
  /** The shapes. */
  tree: string
  /** Attributes of the slide. */
  attributes?: string
  relations?: Relation[]
}

interface Presentation {
  slides: (string | Slide)[]
  relations?: Relation[]
  files?: Record<string, string>
  /** The folder of all files but the first relations. */
  folder?: string
}

function makeSlides({ slides, folder = 'ppt', ...presentation }: Presentation): Buffer {
  const files: Record<string, string> = {
    '_rels/.rels': relations([['main', 'officeDocument', `${folder}/main.xml`]]),
    [`${folder}/main.xml`]: `<p:presentation><p:sldIdLst>${slides.map((_, index) => `<p:sldId id="${index}" r:id="s${index}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    [`${folder}/_rels/main.xml.rels`]: relations([
      ...slides.map((_, index): Relation => [`s${index}`, 'slide', `slides/slide${index}.xml`]),
      ...(presentation.relations ?? []),
    ]),
    ...presentation.files,
  }
  for (const [index, slide] of slides.entries()) {
    const { tree, attributes = '', relations: own = [] } = typeof slide === 'string' ? { tree: slide } : slide
    files[`${folder}/slides/slide${index}.xml`] =
      `<p:sld ${attributes}><p:cSld><p:spTree>${tree}</p:spTree></p:cSld></p:sld>`
    files[`${folder}/slides/_rels/slide${index}.xml.rels`] = relations(own)
  }
  return makeZip(Object.entries(files).map(([name, content]) => ({ name, content })))
}

const paragraphs = (text: string) =>
  text
    .split('\n')
    .map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`)
    .join('')

type Place = [left: number, top: number, width: number, height: number]
const placeOf = ([x, y, cx, cy]: Place) =>
  `<a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="${cx}" cy="${cy}"/></a:xfrm>`

/** Makes a shape: a text box, or a placeholder if `ph` has attributes of one. */
const shape = (text: string, { place, ph, hidden }: { place?: Place; ph?: string; hidden?: boolean } = {}) =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Text 1" hidden="${hidden ? 1 : 0}"/><p:nvPr>${ph === undefined ? '' : `<p:ph ${ph}/>`}</p:nvPr></p:nvSpPr><p:spPr>${place ? placeOf(place) : ''}<a:extLst><a:ext uri="{x}"/></a:extLst></p:spPr><p:txBody>${paragraphs(text)}</p:txBody></p:sp>`
const title = (text: string) => shape(text, { ph: 'type="title"' })
const frame = (content: string) =>
  `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="Frame"/></p:nvGraphicFramePr><a:graphic><a:graphicData>${content}</a:graphicData></a:graphic></p:graphicFrame>`

const readWhole = (presentation: Presentation) => readDocument(makeSlides(presentation), 'pptx')
const read = async (presentation: Presentation) => (await readWhole(presentation)).text.split(/\n+/)
const readTree = (tree: string, slide: Omit<Slide, 'tree'> = {}, files: Record<string, string> = {}) =>
  read({ slides: [{ tree, ...slide }], files })

t.test('Shapes are read in the order of a reader, the title first', async (t) => {
  t.strictSame(
    await readTree(
      shape('foot', { place: [0, 900, 900, 50] }) +
        shape('right', { place: [500, 210, 390, 600] }) +
        shape('left, below', { place: [0, 500, 400, 300] }) +
        shape('left', { place: [0, 200, 400, 310] }) +
        title('Plan'),
    ),
    ['Plan', 'left', 'left, below', 'right', 'foot'],
  )
  const grid: [string, Place][] = [
    ['a', [0, 0, 100, 40]],
    ['a text', [0, 50, 100, 100]],
    ['b', [200, 0, 100, 40]],
    ['b text', [200, 50, 100, 100]],
  ]
  const boxes = (order: number[]) =>
    order.map((index) => shape(grid[index]![0], { place: grid[index]![1] })).join('')
  t.strictSame(
    await readTree(boxes([0, 1, 2, 3])),
    ['a', 'a text', 'b', 'b text'],
    'by columns, as it was made',
  )
  t.strictSame(await readTree(boxes([0, 2, 1, 3])), ['a', 'b', 'a text', 'b text'], 'by rows')
  t.strictSame(
    await readTree(
      `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="3" name="Group"/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x="0" y="500"/><a:ext cx="100" cy="100"/><a:chOff x="0" y="0"/><a:chExt cx="10" cy="10"/></a:xfrm></p:grpSpPr>${shape('group, below', { place: [0, 6, 10, 4] })}${shape('group', { place: [0, 0, 10, 4] })}</p:grpSp>` +
        shape('first', { place: [0, 0, 100, 100] }),
    ),
    ['first', 'group', 'group, below'],
  )
})

t.test('Placeholders have the places of their layout', async (t) => {
  const files = {
    'ppt/layouts/layout1.xml': `<p:sldLayout>${shape('Click to add text', { ph: 'type="body" idx="7"', place: [0, 500, 100, 100] })}${shape('Click to add text', { ph: 'idx="8"' })}</p:sldLayout>`,
    'ppt/layouts/_rels/layout1.xml.rels': relations([['m', 'slideMaster', '../master.xml']]),
    'ppt/master.xml': `<p:sldMaster>${shape('Master', { ph: 'type="body" idx="1"', place: [0, 0, 100, 100] })}</p:sldMaster>`,
  }
  t.strictSame(
    await readTree(
      shape('below', { ph: 'type="body" idx="7"' }) +
        shape('', { ph: 'idx="9"' }) +
        shape('above', { ph: 'idx="8"' }) +
        shape('3', { ph: 'type="sldNum" idx="12"' }) +
        shape('between', { place: [0, 200, 100, 100] }),
      { relations: [['l', 'slideLayout', '../layouts/layout1.xml']] },
      files,
    ),
    ['above', 'between', 'below'],
  )
})

t.test('Tables keep merged cells, heads and lines', async (t) => {
  const cell = (text: string, attributes = '') =>
    `<a:tc ${attributes}><a:txBody>${paragraphs(text)}</a:txBody></a:tc>`
  const row = (...cells: string[]) => `<a:tr>${cells.join('')}</a:tr>`
  const covered = (attribute: string) => cell('', `${attribute}="1"`)
  t.strictSame(
    await readTree(
      frame(
        `<a:tbl><a:tblPr firstRow="1"/>${row(cell('Line', 'rowSpan="2"'), cell('Morning', 'gridSpan="2"'), covered('hMerge'))}${row(covered('vMerge'), cell('early'), cell('late'))}${row(cell('Red\nnight', 'rowSpan="2"'), cell('7:05'), cell('7:35'))}${row(covered('vMerge'), cell('none', 'gridSpan="2"'), covered('hMerge'))}</a:tbl>`,
      ),
    ),
    [
      'Line: Red night | Morning › early: 7:05 | Morning › late: 7:35',
      'Line: Red night | Morning › early, Morning › late: none',
    ],
  )
  t.strictSame(
    await readTree(
      frame(
        `<a:tbl><a:tblPr firstCol="1"/>${row(cell('Name'), cell('Ann'))}${row(cell('City'), cell('Brno'))}</a:tbl>`,
      ),
    ),
    ['Name: Ann', 'City: Brno'],
  )
})

t.test('Diagrams are read in the order of their model, charts as tables', async (t) => {
  const point = (id: string, text: string, type = 'node') =>
    `<dgm:pt modelId="${id}" type="${type}"><dgm:t>${text && paragraphs(text)}</dgm:t></dgm:pt>`
  const connection = (from: string, to: string, order: number, type = 'parOf') =>
    `<dgm:cxn modelId="c${from}${to}" type="${type}" srcId="${from}" destId="${to}" srcOrd="${order}"/>`
  const model = `<dgm:dataModel><dgm:ptLst>${point('0', '', 'doc')}${point('2', 'Buy')}${point('3', 'a boat')}${point('1', 'Find')}${point('9', 'Layout', 'pres')}${point('8', '', 'parTrans')}</dgm:ptLst><dgm:cxnLst>${connection('0', '2', 1)}${connection('0', '1', 0)}${connection('2', '3', 0)}${connection('3', '2', 0)}${connection('9', '1', 0, 'presOf')}</dgm:cxnLst></dgm:dataModel>`
  const chart =
    '<cx:chartSpace><cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:lvl ptCount="2"><cx:pt idx="0">Ida</cx:pt><cx:pt idx="1">Eva</cx:pt></cx:lvl></cx:strDim><cx:numDim type="val"><cx:lvl formatCode="0.0"><cx:pt idx="0">4</cx:pt><cx:pt idx="1">5.25</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData><cx:chart><cx:title><cx:tx><cx:txData><cx:v>Fleet</cx:v></cx:txData></cx:tx></cx:title><cx:plotArea><cx:plotAreaRegion><cx:series><cx:tx><cx:txData><cx:f>A1</cx:f><cx:v>Crew</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>'
  t.strictSame(
    await readTree(
      frame('<dgm:relIds r:dm="d1" r:lo="x"/>') +
        frame('<dgm:relIds r:dm="d2" r:lo="x"/>') +
        `<mc:AlternateContent><mc:Choice Requires="cx1">${frame('<cx:chart r:id="c1"/>')}</mc:Choice><mc:Fallback>${shape('This chart is not available.')}</mc:Fallback></mc:AlternateContent>`,
      {
        relations: [
          ['d1', 'diagramData', '../diagrams/data1.xml'],
          ['d2', 'diagramData', '../diagrams/data2.xml'],
          ['e1', 'diagramDrawing', '../diagrams/drawing1.xml'],
          ['e2', 'diagramDrawing', '../diagrams/drawing2.xml'],
          ['c1', 'chartEx', '../charts/chart1.xml'],
        ],
      },
      {
        'ppt/diagrams/data1.xml': model,
        'ppt/diagrams/drawing1.xml': `<dsp:drawing>${paragraphs('not read twice')}</dsp:drawing>`,
        'ppt/diagrams/data2.xml': '<dgm:dataModel/>',
        'ppt/diagrams/drawing2.xml': `<dsp:drawing>${paragraphs('drawn alone')}</dsp:drawing>`,
        'ppt/charts/chart1.xml': chart,
      },
    ),
    ['Find', 'Buy', 'a boat', 'drawn alone', 'Fleet', 'Ida | Crew: 4.0', 'Eva | Crew: 5.3'],
  )
  const points = (list: string[]) =>
    list.map((text, index) => `<c:pt idx="${index}"><c:v>${text}</c:v></c:pt>`).join('')
  const scatter = (name: string, x: string[], y: string[]) =>
    `<c:ser><c:tx><c:strRef><c:strCache>${points([name])}</c:strCache></c:strRef></c:tx><c:dLbls><c:dLbl><c:tx><c:rich>${paragraphs('label')}</c:rich></c:tx></c:dLbl></c:dLbls><c:xVal><c:numRef><c:numCache>${points(x)}</c:numCache></c:numRef></c:xVal><c:yVal><c:numRef><c:numCache>${points(y)}</c:numCache></c:numRef></c:yVal></c:ser>`
  t.strictSame(
    await readTree(
      frame('<c:chart r:id="c1"/>'),
      { relations: [['c1', 'chart', '../charts/chart1.xml']] },
      {
        'ppt/charts/chart1.xml': `<c:chartSpace><c:chart><c:plotArea><c:scatterChart>${scatter('North', ['1', '2'], ['5', '6'])}${scatter('South', ['3'], ['7'])}</c:scatterChart></c:plotArea></c:chart></c:chartSpace>`,
      },
    ),
    ['1 | North: 5', '2 | North: 6', '3 | South: 7'],
  )
})

t.test('Notes and comments follow their slide, and each slide has its own heading', async (t) => {
  const presentation: Presentation = {
    folder: 'slides/inner',
    slides: [
      {
        tree: title('Plan') + shape('Sail'),
        relations: [
          ['n', 'notesSlide', '../notes1.xml'],
          ['k', 'comments', '../comments1.xml'],
          ['j', 'comments', '../comments2.xml'],
        ],
      },
      { tree: shape('No title'), attributes: 'show="0"' },
    ],
    relations: [
      ['a', 'commentAuthors', 'authors1.xml'],
      ['b', 'authors', 'authors2.xml'],
    ],
    files: {
      'slides/inner/notes1.xml': `<p:notes>${shape('3', { ph: 'type="sldNum"' })}${shape('Speak slowly.', { ph: 'type="body"' })}</p:notes>`,
      'slides/inner/authors1.xml': '<p:cmAuthorLst><p:cmAuthor id="0" name="Ann"/></p:cmAuthorLst>',
      'slides/inner/authors2.xml': '<p188:authorLst><p188:author id="{b}" name="Bob"/></p188:authorLst>',
      'slides/inner/comments1.xml':
        '<p:cmLst><p:cm authorId="0"><p:pos/><p:text>When?</p:text></p:cm></p:cmLst>',
      'slides/inner/comments2.xml': `<p188:cmLst><p188:cm authorId="{b}"><p188:replyLst><p188:reply authorId="{c}"><p188:txBody>${paragraphs('In May.')}</p188:txBody></p188:reply></p188:replyLst><p188:txBody>${paragraphs('Where?')}</p188:txBody></p188:cm></p188:cmLst>`,
    },
  }
  const { text, segments, pages } = await readWhole(presentation)
  t.equal(pages, 2)
  t.strictSame(
    segments.map(({ start, end, page, heading }) => [page, heading, text.slice(start, end)]),
    [
      [1, 'Plan', 'Plan'],
      [1, 'Plan', 'Sail'],
      [1, 'Plan', 'Speak slowly.'],
      [1, 'Plan', 'Comment (Ann): When?'],
      [1, 'Plan', 'Comment (Bob): Where?'],
      [1, 'Plan', 'Comment: In May.'],
      [2, undefined, 'Hidden slide'],
      [2, undefined, 'No title'],
    ],
  )
})

t.test('Only what a person wrote is read', async (t) => {
  const picture = (description: string) =>
    `<p:pic><p:nvPicPr><p:cNvPr id="5" name="Picture 4" descr="${description}"/></p:nvPicPr></p:pic>`
  t.strictSame(
    await readTree(
      picture('A boat in the harbour') +
        ['Picture 4', '图片 3', 'scan_03.png', 'A boat&#10;&#10;Description automatically generated', '']
          .map(picture)
          .join('') +
        shape('Secret', { hidden: true }) +
        '<p:sp><p:txBody><a:p><a:r><a:t>Page</a:t></a:r><a:fld type="slidenum"><a:t>7</a:t></a:fld><a:br/><a:r><a:t>of many</a:t></a:r></a:p></p:txBody></p:sp>',
    ),
    ['A boat in the harbour', 'Page', 'of many'],
  )
})

t.test('Equations are read as lines', async (t) => {
  const run = (text: string) => `<m:r><a:rPr/><m:t>${text}</m:t></m:r>`
  const fraction = `<m:f><m:num>${run('a+1')}</m:num><m:den>${run('2')}</m:den></m:f>`
  t.strictSame(
    await readTree(
      `<p:sp><p:txBody><a:p><a:r><a:t>Half is </a:t></a:r><mc:AlternateContent><mc:Choice Requires="a14"><a14:m><m:oMathPara><m:oMath>${run('x=')}${fraction}</m:oMath></m:oMathPara></a14:m></mc:Choice><mc:Fallback><a:r><a:t>not read</a:t></a:r></mc:Fallback></mc:AlternateContent><a:r><a:t> here.</a:t></a:r></a:p></p:txBody></p:sp>`,
    ),
    ['Half is x=(a+1)/2 here.'],
  )
})

t.test('A hostile presentation is bounded', async (t) => {
  const many = Array.from({ length: 20_000 }, (_, index) =>
    shape(`${index}`, { place: [index % 7, index % 11, 5, 5] }),
  )
  t.equal((await readTree(many.join(''))).length, 20_000)
  const groups = 150
  const deep = `${'<p:grpSp>'.repeat(groups)}${shape('deep')}${'</p:grpSp>'.repeat(groups)}`
  t.strictSame(await readTree(deep), ['deep'])
})
