import { findKind } from '../../../plugins/tools/documents/reading/document-kind.ts'
import { readDocument } from '../../../plugins/tools/documents/reading/reader.ts'
import t from '../../run/file-test.ts'
import { makeZip, type ZipEntry } from '../../support/zip.ts'

const XHTML =
  '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml">'
const toPage = (body: string, title = 'Book') =>
  `${XHTML}<head><title>${title}</title></head><body>${body}</body></html>`

/** The parts of a book: the items and the spine of its package, and its files below `OEBPS`. */
interface Book {
  items: string
  spine: string
  files: Record<string, string | Buffer>
  guide?: string
  toc?: string
  others?: ZipEntry[]
}

const item = (id: string, href: string, attributes = 'media-type="application/xhtml+xml"') =>
  `<item id="${id}" href="${href}" ${attributes}/>`
const refer = (...ids: string[]) => ids.map((id) => `<itemref idref="${id}"/>`).join('')

function makeEpub({ items, spine, files, guide = '', toc = '', others = [] }: Book): Buffer {
  const opf = `<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest>${items}</manifest><spine ${toc}>${spine}</spine><guide>${guide}</guide></package>`
  return makeZip([
    { name: 'mimetype', content: 'application/epub+zip', method: 0 },
    {
      name: 'META-INF/container.xml',
      content:
        '<container><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    },
    { name: 'OEBPS/book.opf', content: opf },
    ...Object.entries(files).map(([name, content]) => ({ name: `OEBPS/${name}`, content })),
    ...others,
  ])
}

const problemOf = (bytes: Buffer) =>
  readDocument(bytes, 'epub').then(
    () => 'is read',
    (error) => error.problem,
  )

t.test('The chapters of a book are read in their order, with titles of its list of contents', async (t) => {
  const nav = `<nav epub:type="landmarks"><ol><li><a href="text/b.xhtml">Wrong</a></li></ol></nav><nav epub:type="toc"><ol><li><a href="text/b.xhtml">Part <b>one</b></a><ol><li><a href="text/a%20chapter.xhtml">The harbor</a></li></ol></li></ol></nav>`
  const book = makeEpub({
    items: `${item('a', 'text/a%20chapter.xhtml')}${item('b', 'text/b.xhtml')}${item('c', 'text/../c.xhtml')}${item('n', 'nav.xhtml', 'properties="nav scripted"')}${item('p', 'picture.svg', 'media-type="image/svg+xml"')}${item('u', 'unused.xhtml')}${item('m', 'missing.xhtml')}`,
    spine: refer('n', 'p', 'b', 'a', 'm', 'c', 'b'),
    files: {
      'text/a chapter.xhtml': toPage('<p>Ships come &amp; go.</p>'),
      'text/b.xhtml': toPage(`<p>It begins.</p>`),
      'c.xhtml': toPage(
        '<h2>Own title</h2><title/><p/><a id="x"/><p>After an empty title<script src="x.js"/> and a script.</p>',
      ),
      'nav.xhtml': toPage(nav),
      'unused.xhtml': toPage('<p>Unused</p>'),
      'picture.svg': '<svg><text>Picture</text></svg>',
    },
  })
  for (const name of ['book.epub', 'book.zip', 'book']) t.equal(findKind(name, '', book), 'epub', name)
  const { text, segments, pages } = await readDocument(book, 'epub')
  t.equal(
    text,
    'Part one\n\nIt begins.\n\nThe harbor\n\nShips come & go.\n\nOwn title\n\nAfter an empty title and a script.',
  )
  t.equal(segments[3]!.heading, 'Part one › The harbor')
  t.equal(pages, undefined)
})

t.test('An older book has its titles in another list, and a cover and a list among its pages', async (t) => {
  const ncx = `<ncx><docTitle><text>Title of the book</text></docTitle><navMap><navPoint><navLabel><text>One</text></navLabel><content src="1.html#top"/></navPoint><navPoint><navLabel><text>One, later</text></navLabel><content src="1.html#later"/></navPoint><navPoint><navLabel><text>Two</text></navLabel><content src="2.html"/></navPoint></navMap></ncx>`
  const book = (toc: string, list = ncx) =>
    makeEpub({
      items: `${item('cover', 'cover.html')}${item('toc', 'toc.html')}${item('1', '1.html')}${item('2', '2.html')}${item('ncx', 'toc.ncx', 'media-type="application/x-dtbncx+xml"')}`,
      spine: refer('cover', 'toc', '1', '2'),
      toc,
      guide: '<reference type="cover" href="cover.html"/><reference type="toc" href="toc.html#start"/>',
      files: {
        'toc.ncx': list,
        'cover.html': toPage('<p>The title</p>'),
        'toc.html': toPage('<a href="1.html">One</a> <a href="2.html">Two</a>'),
        '1.html': Buffer.from(
          '<?xml version="1.0" encoding="windows-1252"?><html><body><p>Gr\xfc\xdfe</p></body></html>',
          'latin1',
        ),
        '2.html': toPage('<p>The end.</p>'),
      },
    })
  for (const toc of ['toc="ncx"', ''])
    t.equal((await readDocument(book(toc), 'epub')).text, 'One\n\nGrüße\n\nTwo\n\nThe end.')
  // A list that is damaged does not spoil the book.
  const cut = ncx.slice(0, ncx.indexOf('<navPoint><navLabel><text>Two'))
  t.equal((await readDocument(book('toc="ncx"', cut), 'epub')).text, 'One\n\nGrüße\n\nThe end.')
})

t.test('Notes, sides, ruby and tables of a chapter are part of it', async (t) => {
  const chapter = `<section><header><h1>Tariff</h1></header><article><p><ruby>東京<rt>とうきょう</rt></ruby>です。</p><table><tr><th>Item</th><th>Price</th></tr><tr><td>Bolt</td><td/></tr><tr><td>Nut</td><td>2</td></tr></table></article><p>Outside of the article<a epub:type="noteref" href="#n"><sup>1</sup></a>.</p><aside epub:type="footnote"><p>Except Texel. <a href="#r" role="doc-backlink">↩</a></p></aside></section>`
  const book = makeEpub({
    items: item('a', 'a.xhtml'),
    spine: refer('a'),
    files: { 'a.xhtml': toPage(chapter) },
  })
  t.equal(
    (await readDocument(book, 'epub')).text,
    'Tariff\n\n東京です。\n\nItem: Bolt\nItem: Nut | Price: 2\n\nOutside of the article[1].\n\nExcept Texel.',
  )
})

t.test('A book whose chapters are encrypted is protected, one with its fonts alone is not', async (t) => {
  const encryption = (uri: string, method: string) => ({
    name: 'META-INF/encryption.xml',
    content: `<encryption><EncryptedData><EncryptionMethod Algorithm="${method}"/><KeyInfo/><CipherData><CipherReference URI="${uri}"/></CipherData></EncryptedData></encryption>`,
  })
  const book = (...others: ZipEntry[]) =>
    makeEpub({
      items: item('a', 'a.xhtml'),
      spine: refer('a'),
      files: { 'a.xhtml': toPage('<p>Text</p>') },
      others,
    })
  const cipher = 'http://www.w3.org/2001/04/xmlenc#aes128-cbc'
  t.equal(await problemOf(book(encryption('OEBPS/a.xhtml', cipher))), 'DOCUMENT_ENCRYPTED')
  t.equal(await problemOf(book(encryption('OEBPS/picture.jpg', cipher))), 'is read')
  t.equal(await problemOf(book(encryption('OEBPS/a.otf', 'http://www.idpf.org/2008/embedding'))), 'is read')
})

t.test('A damaged or an empty book says so', async (t) => {
  const without = (items: string, spine: string, body = '') =>
    makeEpub({ items, spine, files: { 'a.xhtml': toPage(body) } })
  t.equal(await problemOf(without(item('a', 'a.xhtml'), '')), 'DOCUMENT_DAMAGED')
  t.equal(await problemOf(without(item('a', 'b.xhtml'), refer('a'))), 'DOCUMENT_DAMAGED')
  t.equal(await problemOf(without(item('a', 'a.xhtml'), refer('a'))), 'DOCUMENT_EMPTY')
  t.equal(await problemOf(without(item('a', '%zz.xhtml'), refer('a'))), 'DOCUMENT_DAMAGED')
  t.equal(
    await problemOf(makeZip([{ name: 'mimetype', content: 'application/epub+zip' }])),
    'DOCUMENT_DAMAGED',
  )
  t.equal(await problemOf(Buffer.from('PK\u0003\u0004 nothing')), 'DOCUMENT_DAMAGED')
  // The time for a hostile chapter grows with its length alone.
  const hostile = '<a '.repeat(300_000)
  t.equal(await problemOf(without(item('a', 'a.xhtml'), refer('a'), `<p>Text</p>${hostile}`)), 'is read')
})
