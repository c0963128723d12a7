import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listPages } from '../../../bench/pages.ts'
import { layOut } from '../../../plugins/tools/documents/reading/blocks.ts'
import { readWebPage } from '../../../plugins/tools/documents/reading/html-web-page.ts'
import { type Passage, toPagePassages } from '../../../plugins/tools/web/passages.ts'
import { toPlaceAddress } from '../../../plugins/tools/web/text-fragment.ts'
import t from '../../run/file-test.ts'
import { spread } from '../../run/tier.ts'
import { noChromium, startChromium } from '../../support/chromium.ts'

/** A place at the end of a page is scrolled to only if there is space below it. */
const SPACE = '<style>html{padding:3000px 0!important}</style>'

/** Returns the passages of a page as the tool makes them. */
function toPassages(source: string, url: string): Promise<Passage[]> {
  const { text, segments } = layOut(readWebPage(source, url).blocks)
  async function* read() {
    let last = 0
    for (const { start, end, ...segment } of segments) {
      yield { ...segment, gap: text.slice(last, start), text: text.slice(start, end) }
      last = end
    }
  }
  return toPagePassages(read())
}

/** Texts that occur before, with the marks of a fragment, in several elements, or beside what has no text. */
const ODD_PAGE = `<!doctype html><meta charset=utf-8><title>Odd</title><nav><a href=/a>Install</a> <a href=/b>Remove</a></nav>
<main><h1>A page of odd places</h1><p>${'The beginning of the page is long enough for a passage of its own. '.repeat(18)}</p>
<h2>Install</h2><p>${'Words of the first section, which fill it up. '.repeat(20)}</p>
<h2>Salt &amp; pepper - a,b, c=d? 100% #1 (new)</h2><p>${'Words of the second section, which fill it up. '.repeat(20)}</p>
<h2><i>Re</i>move <button>?</button></h2><p><b>St</b>ress and <a href=x>str</a>ain are fatal.<br>${'Words of the third section, which fill it up. '.repeat(20)}</p>
<h2>Ver&shy;si&shy;che&shy;rungs&shy;pflicht im Éclair</h2><p>${'Words of the fourth section, which fill it up. '.repeat(20)}</p>
<h2><img src=x alt=Icon> Install</h2><p>${'Words of the fifth section, which fill it up. '.repeat(20)}</p>
<p>${Array.from({ length: 60 }, (_, n) => `Sentence ${n} of a paragraph that has several places.`).join(' ')}</p></main>`

const letters = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()

/** Returns the text of a page from the first line that is seen, and how far the page is scrolled. */
const VIEW = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  let text = ''
  for (let node = walker.nextNode(); node && text.length < 2000; node = walker.nextNode()) {
    const range = document.createRange()
    range.selectNodeContents(node)
    const isSeen = [...range.getClientRects()].some(({ top, bottom }) => bottom > 0 && top < innerHeight)
    if (isSeen || text !== '') text += node.textContent
  }
  return { text, height: scrollY }
})()`

t.test('Addresses of passages open the page at the passage', { skip: noChromium }, async (t) => {
  const pages = [...spread(listPages(), 12), { name: 'odd.html', source: ODD_PAGE }]
  const server = createServer((request, response) => {
    const page = pages.find(({ name }) => request.url === `/${name}`)
    response.writeHead(page ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' })
    response.end(page?.source.replace(/<script\b[\s\S]*?<\/script>/g, '').concat(SPACE))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const browser = await startChromium(t)
  const context = await browser.newContext({ viewport: { width: 700, height: 120 } })
  let places = 0
  for (const { name, source } of pages) {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`
    for (const { text, anchor } of (await toPassages(source, url)).slice(0, 12)) {
      if (!anchor) continue
      places += 1
      const page = await context.newPage()
      await page.goto(toPlaceAddress(url, anchor))
      await page.waitForFunction('scrollY > 0', undefined, { timeout: 5000 }).catch(() => undefined)
      const view = await page.evaluate<{ text: string; height: number }>(VIEW)
      const line = text
        .replace(/ \(https?:[^\s()]*\)/g, '')
        .split('\n')
        .map(letters)
        .find((line) => line.includes(letters(anchor.start)))
      const expected = line?.slice(line.indexOf(letters(anchor.start))).slice(0, 60)
      t.ok(
        view.height > 0 && letters(view.text).includes(expected ?? letters(anchor.start)),
        `${name}: ${JSON.stringify(anchor)}`,
      )
      await page.close()
    }
  }
  t.ok(places > 20)
})
