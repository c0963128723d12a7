import { readDocument } from '../../../plugins/tools/documents/reading/reader.ts'
import { ReadingFailure } from '../../../plugins/tools/documents/reading/reading-failure.ts'
import t from '../../run/file-test.ts'
import { makePdf } from '../../support/office-files.ts'
import { cjkFont, drawPdf, FIRST_OBJECT, show, toStream } from '../../support/pdf-files.ts'

/** Reads a PDF and returns its parts: the kind if it is not text, the page if it is not the first, and the text. */
const read = async (bytes: Buffer) => {
  const { text, segments } = await readDocument(bytes, 'pdf')
  return segments.map(({ kind, start, end, page }) => {
    const part = text.slice(start, end)
    return `${kind === 'text' ? '' : `${kind}: `}${part}${page === 1 ? '' : ` (${page})`}`
  })
}
/** Returns the reason for which a PDF is not read. */
const refuse = (bytes: Buffer) =>
  readDocument(bytes, 'pdf').then(
    ({ text }) => `read: ${text}`,
    (error) => (error instanceof ReadingFailure ? error.problem : Promise.reject(error)),
  )
/** Draws lines of 10 points below each other. */
const lines = (x: number, y: number, texts: string[], leading = 12): string =>
  show(...texts.map((text, index): [number, number, string] => [x, y - index * leading, text]))

t.test('Fonts of Chinese, Japanese and Korean encodings are read without ToUnicode', async (t) => {
  const encodings: [encoding: string, ordering: string, bytes: string, text: string][] = [
    ['GBK-EUC-H', 'GB1', 'bbe1d2e9bccdd2aa', '会议纪要'],
    ['UniGB-UCS2-H', 'GB1', '4f1a8bae7eaa8981', '会议纪要'],
    ['UniGB-UTF16-H', 'GB1', '4f1a8bae7eaa8981', '会议纪要'],
    ['GBK2K-H', 'GB1', 'bbe1d2e9bccdd2aa', '会议纪要'],
    ['ETen-B5-H', 'CNS1', 'b77cc4b3', '會議'],
    ['UniCNS-UCS2-H', 'CNS1', '67038b70', '會議'],
    ['90ms-RKSJ-H', 'Japan1', '89ef8b63', '会議'],
    ['EUC-H', 'Japan1', 'b2f1b5c4', '会議'],
    ['H', 'Japan1', '32713544', '会議'],
    ['UniJIS-UCS2-H', 'Japan1', '4f1a8b70', '会議'],
    ['KSCms-UHC-H', 'Korea1', 'c8b8c0c7', '회의'],
    ['UniKS-UCS2-H', 'Korea1', 'd68cc758', '회의'],
  ]
  for (const [encoding, ordering, bytes, text] of encodings) {
    const pdf = drawPdf([{ content: show([60, 700, `<${bytes}>`, 'C']) }], {
      fonts: { C: cjkFont(encoding, ordering) },
    })
    t.strictSame(await read(pdf), [text], encoding)
  }
  const identity = drawPdf([{ content: show([60, 700, '<03d40fd7>', 'C']) }], {
    fonts: { C: cjkFont('Identity-H', 'Japan1') },
  })
  t.strictSame(await read(identity), ['ヘ榔'])
})

t.test('Vertical lines are read from right to left', async (t) => {
  const content = show([520, 780, '<4f1a8b70>', 'C', 12], [500, 780, '<88685f70>', 'C', 12])
  const pdf = drawPdf([{ content }], { fonts: { C: cjkFont('UniJIS-UCS2-V', 'Japan1') } })
  t.strictSame(await read(pdf), ['会議表彰'])
})

t.test('Text that is drawn twice is read once', async (t) => {
  const letters = [
    ['B', 60],
    ['O', 66.7],
    ['L', 74.5],
    ['D', 80],
  ] as const
  const content = [
    show(
      ...letters.flatMap(
        ([text, x]) =>
          [
            [x, 700, text],
            [x + 0.3, 700, text],
          ] as [number, number, string][],
      ),
    ),
    show(
      [60, 650, 'Whole lines'],
      [60.3, 650.2, 'Whole lines'],
      [60, 600, 'A shadow'],
      [61.5, 598.5, 'A shadow'],
    ),
    show([60, 550, 'Hills still fill']),
  ]
  t.strictSame(await read(drawPdf([{ content: content.join('\n') }])), [
    'BOLD',
    'Whole lines',
    'A shadow',
    'Hills still fill',
  ])
})

t.test('Text without a meaning is left out', async (t) => {
  const font =
    '<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Any /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 500 /FontDescriptor << /Type /FontDescriptor /FontName /Any /Flags 4 /FontBBox [0 0 1 1] /ItalicAngle 0 /Ascent 1 /Descent 0 /CapHeight 1 /StemV 1 >> >>] >>'
  // The numbers of glyphs of "The harbour opens", as subsets of fonts have them.
  const nonsense = '<0037004b00480003004b00440055>'
  const content = show([60, 700, nonsense, 'N'], [60, 600, 'Invoice 4711 of the harbour office'])
  t.strictSame(await read(drawPdf([{ content }], { fonts: { N: font } })), [
    'Invoice 4711 of the harbour office',
  ])
  const only = drawPdf([{ content: `${show([60, 700, nonsense, 'N'])}\n${show([60, 600, '7'])}` }], {
    fonts: { N: font },
  })
  t.equal(await refuse(only), 'DOCUMENT_EMPTY')
})

t.test('A text that replaces what is drawn is read', async (t) => {
  const content = `/Span << /ActualText <FEFF00660069> >> BDC ${show([60, 700, '*'])} EMC ${show([64, 700, 'nd'])}`
  t.strictSame(await read(drawPdf([{ content }])), ['find'])
})

t.test('Columns are read one after the other, whatever the order in which they are drawn', async (t) => {
  const left = [
    'The harbour opens at six in the morning',
    'and closes at ten in the evening, except',
    'on Sundays, when it stays closed all the',
    'day.',
  ]
  const right = [
    'Ships announce themselves by radio two',
    'hours before they arrive. The pilot comes',
    'aboard near the outer lighthouse and leaves',
    'the ship at the quay.',
  ]
  const rows = left.flatMap((text, index) => [
    show([60, 700 - index * 12, text]),
    show([310, 700 - index * 12, right[index]!]),
  ])
  const content = [show([60, 740, 'A title over both of the columns of text', 'F', 18]), ...rows].join('\n')
  t.strictSame(await read(drawPdf([{ content }])), [
    'heading: A title over both of the columns of text',
    left.join(' '),
    right.join(' '),
  ])
})

t.test('Columns of short lines are no table', async (t) => {
  const left = [
    '1. Scope',
    'These terms apply to',
    'all deliveries.',
    '2. Prices',
    'All prices are net',
    'of taxes.',
  ]
  const right = [
    '3. Risk',
    'The risk passes with',
    'the goods.',
    '4. Court',
    'The place of court is',
    'Osnabruck.',
  ]
  const content = left.map((text, index) =>
    show([60, 700 - index * 12, text], [320, 700 - index * 12, right[index]!]),
  )
  const text = (await read(drawPdf([{ content: content.join('\n') }]))).join(' ')
  t.equal(text, [...left, ...right].join(' '))
})

t.test('Tables are read row by row, each cell under its head', async (t) => {
  const row = (y: number, ...cells: string[]) =>
    show(...cells.map((text, index): [number, number, string] => [60 + index * 120, y, text]))
  const content = [
    lines(60, 760, [
      'The prices of the year are in the following table, which is valid until',
      'the end of it.',
    ]),
    row(720, 'City', 'Hotel', 'Price'),
    row(704, 'Bonn', 'Rheinblick', '120'),
    row(688, 'Lyon', '', '95'),
    row(672, 'Porto', 'Casa do Mar', '80'),
    show([180, 660, 'and garden']),
    lines(60, 620, ['All prices are per night.']),
  ]
  t.strictSame(await read(drawPdf([{ content: content.filter(Boolean).join('\n') }])), [
    'The prices of the year are in the following table, which is valid until the end of it.',
    'row: City: Bonn | Hotel: Rheinblick | Price: 120',
    'row: City: Lyon | Price: 95',
    'row: City: Porto | Hotel: Casa do Mar and garden | Price: 80',
    'All prices are per night.',
  ])
  const wrapped = [
    row(720, 'Stage', 'Office', 'Price'),
    show([60, 696, 'Revision of']),
    show([60, 684, 'the plans'], [180, 684, 'Technical'], [300, 684, '12']),
    show([60, 672, 'by hand'], [180, 672, 'office']),
    row(648, 'Approval', 'Mayor', '0'),
  ]
  t.strictSame(await read(drawPdf([{ content: wrapped.join('\n') }])), [
    'row: Stage: Revision of the plans by hand | Office: Technical office | Price: 12',
    'row: Stage: Approval | Office: Mayor | Price: 0',
  ])
  const labels = [row(700, 'Name:', 'Rosalind'), row(680, 'Plate:', 'XR 442 B')]
  t.strictSame(await read(drawPdf([{ content: labels.join('\n') }])), [
    'row: Name: Rosalind',
    'row: Plate: XR 442 B',
  ])
  const pairs = [row(700, 'Invoice', '4711'), row(680, 'Date', '2026-03-01'), row(660, 'Total', '99')]
  t.strictSame(await read(drawPdf([{ content: pairs.join('\n') }])), [
    'row: Invoice | 4711',
    'row: Date | 2026-03-01',
    'row: Total | 99',
  ])
})

t.test('Lists keep their signs, and headings are larger or bold', async (t) => {
  const content = [
    show([60, 760, 'Rules', 'F', 20], [60, 730, 'On board', 'B']),
    lines(60, 716, ['Nobody leaves the deck during the manoeuvre, and the crew wears its', 'vests.']),
    show(
      [60, 680, '\\225'.replace('\\225', '\u0095')],
      [80, 680, 'Keep the ladder free.'],
      [60, 668, '\u0095'],
      [80, 668, 'Report each fire.'],
    ),
  ]
  t.strictSame(await read(drawPdf([{ content: content.join('\n') }])), [
    'heading: Rules',
    'heading: On board',
    'Nobody leaves the deck during the manoeuvre, and the crew wears its vests.',
    '• Keep the ladder free.',
    '• Report each fire.',
  ])
})

t.test('Words are whole: hyphens, kerning, spaces of place alone, spaced letters', async (t) => {
  const content = [
    lines(60, 760, ['The insurance com-', 'pany pays at once.']),
    'BT /F 10 Tf 60 700 Td [(W) 80 (e k) -30 (now) -300 (the) -300 (way)] TJ ET',
    'BT /F 10 Tf 3 Tc 60 650 Td (HEADING) Tj 0 Tc ET',
    show([60, 600, 'made of two'], [117.3, 600, 'pieces']),
  ]
  t.strictSame(await read(drawPdf([{ content: content.join('\n') }])), [
    'The insurance company pays at once.',
    'We know the way',
    'HEADING',
    'made of two pieces',
  ])
})

t.test('Numbers of footnotes are no part of words, those of units are', async (t) => {
  const content = [
    show(
      [60, 700, 'five millimetres'],
      [130.5, 704, '1', 'F', 6],
      [134, 700, 'of 20 cm'],
      [172.5, 704, '2', 'F', 6],
    ),
    show([60, 100, '1', 'F', 6], [63.5, 97, 'Measured at the end.', 'F', 8]),
  ]
  t.strictSame(await read(drawPdf([{ content: content.join('\n') }])), [
    'five millimetres 1 of 20 cm2',
    '1 Measured at the end.',
  ])
})

t.test('Heads and feet of the pages do not tear sentences apart', async (t) => {
  const pages = Array.from({ length: 4 }, (_, index) => ({
    content: [
      show([60, 810, 'Annual report of the harbour'], [480, 810, `Page ${index + 1} of 4`]),
      lines(60, 700, [
        `The chapter ${'abcd'[index]} goes on with a sentence that ends`,
        'on the next page, and so on',
      ]),
      show([290, 30, `- ${index + 1} -`]),
    ].join('\n'),
  }))
  t.strictSame(await read(drawPdf(pages)), [
    'Annual report of the harbour',
    'The chapter a goes on with a sentence that ends on the next page, and so on',
    'The chapter b goes on with a sentence that ends on the next page, and so on (2)',
    'The chapter c goes on with a sentence that ends on the next page, and so on (3)',
    'The chapter d goes on with a sentence that ends on the next page, and so on (4)',
  ])
})

t.test('A word that is divided between two pages is whole, and each page keeps its text', async (t) => {
  const pages = [
    { content: lines(60, 700, ['This is the regu-']) },
    { content: lines(60, 760, ['lation of the harbour.']) },
  ]
  t.strictSame(await read(drawPdf(pages)), ['This is the regulation', 'of the harbour. (2)'])
})

t.test('Turned pages and turned text are read', async (t) => {
  const content =
    'BT /F 10 Tf 0 1 -1 0 100 100 Tm (First line) Tj ET BT /F 10 Tf 0 1 -1 0 114 100 Tm (second line) Tj ET'
  t.strictSame(await read(drawPdf([{ content, entries: '/Rotate 90' }])), ['First line second line'])
  const mixed = `${lines(60, 700, ['The text of the page that is', 'upright.'])} BT /F 10 Tf 0 1 -1 0 590 100 Tm (On the side) Tj ET`
  t.strictSame(await read(drawPdf([{ content: mixed }])), [
    'The text of the page that is upright.',
    'On the side',
  ])
})

t.test(
  'Only what a page shows is read: forms and notes, but nothing outside, nothing switched off',
  async (t) => {
    const appearance = (text: string) =>
      toStream(show([2, 4, text]), '/Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources 3 0 R')
    const objects = [
      '<< /Type /OCG /Name (Draft) >>',
      appearance('the value of a field'),
      appearance('a note on the page'),
      toStream(
        show([60, 600, 'part of a form']),
        '/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources 3 0 R',
      ),
    ]
    const [group, field, note, form] = objects.map((_, index) => `${FIRST_OBJECT + index} 0 R`)
    const content = [
      show([60, 700, 'On the page'], [900, 700, 'to the right of it'], [60, 1200, 'above it']),
      `/OC /Draft BDC ${show([60, 650, 'switched off'])} EMC`,
      '/Form Do',
    ]
    const pdf = drawPdf(
      [
        {
          content: content.join('\n'),
          entries: `/Annots [<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /V (the value of a field) /Rect [60 500 260 520] /F 4 /AP << /N ${field} >> >> << /Type /Annot /Subtype /FreeText /Contents (a note on the page) /DA (/F 10 Tf) /Rect [60 400 260 420] /F 4 /AP << /N ${note} >> >>]`,
        },
      ],
      {
        objects,
        resources: `/Properties << /Draft ${group} >> /XObject << /Form ${form} >>`,
        catalog: `/OCProperties << /OCGs [${group}] /D << /OFF [${group}] >> >>`,
      },
    )
    t.strictSame(await read(pdf), [
      'On the page',
      'part of a form',
      'the value of a field',
      'a note on the page',
    ])
  },
)

t.test('The text of a scan that is drawn invisibly is read; pages without text count', async (t) => {
  const pdf = drawPdf([
    { content: 'q 595 0 0 842 0 0 cm Q' },
    { content: `3 Tr ${show([60, 700, 'Recognized text'])}` },
    { content: '' },
  ])
  const { pages, segments } = await readDocument(pdf, 'pdf')
  t.equal(pages, 3)
  t.strictSame(
    segments.map(({ page }) => page),
    [2],
  )
  t.equal(await refuse(drawPdf([{ content: '' }])), 'DOCUMENT_EMPTY')
})

t.test('Damaged, encrypted and foreign documents fail with their reason', async (t) => {
  t.equal(await refuse(makePdf([[['Secret']]], { isEncrypted: true })), 'DOCUMENT_ENCRYPTED')
  t.equal(await refuse(Buffer.from('%PDF-1.7\nnothing else')), 'DOCUMENT_DAMAGED')
  const notice = drawPdf([{ content: show([60, 700, 'Please wait...']) }], {
    catalog: `/AcroForm << /Fields [] /XFA ${FIRST_OBJECT} 0 R >>`,
    objects: [toStream('<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><template/></xdp:xdp>')],
  })
  t.equal(await refuse(notice), 'DOCUMENT_EMPTY')
  const whole = makePdf([[['The table of objects is lost.']]])
  const broken = Buffer.from(whole.toString('latin1').replace(/xref\n[\s\S]*trailer/, 'trailer'), 'latin1')
  t.strictSame(await read(broken), ['The table of objects is lost.'])
})
