import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Script } from '../../../plugin-api/testing/fake-openai.ts'
import t from '../../run/file-test.ts'
import { startChat, textOf } from '../../support/chat.ts'
import { noChromium, startChromium } from '../../support/chromium.ts'
import { startFakeSearchEngine } from '../../support/fake-search-engines.ts'

const PAGES = 30
const OPENED = 10
/** Pages with so many sections do not fit into one part. */
const LONG_SECTIONS = 60

/** The longest passage, with the lines above it that are in view. */
const MAX_PLACE_CHARS = 1700

const RIVERS = ['Aare', 'Brenta', 'Clyde', 'Drava', 'Ebro', 'Fulda', 'Garonne', 'Havel', 'Inn', 'Jizera']
const nameOf = (n: number) => `${RIVERS[n % RIVERS.length]} ${Math.floor(n / RIVERS.length) + 1}`
const depthOf = (n: number) => 100 + n * 7
/** The sentence that the answer needs from a page. */
const factOf = (n: number) => `The ${nameOf(n)} is ${depthOf(n)} cm deep at its deepest ford.`
const isLong = (n: number) => n % 4 === 3

/** Writes a page whose fact is in its last but one section, among many others. */
function writePage(n: number): string {
  const count = isLong(n) ? LONG_SECTIONS : 6
  const filler = (section: number) =>
    Array.from(
      { length: 12 },
      (_, line) => `Line ${line} of section ${section} tells of the banks and mills of the ${nameOf(n)}.`,
    ).join(' ')
  const sections = Array.from({ length: count }, (_, section) => {
    const fact = section === count - 2 ? ` ${factOf(n)}` : ''
    return `<h2>Section ${section}</h2><p>${filler(section)}${fact}</p>`
  })
  const style = '<style>html{padding:3000px 0!important}</style>'
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>The ${nameOf(n)}</title>${style}
<nav><a href="/">Home</a></nav><main><article><h1>The ${nameOf(n)}</h1>${sections.join('\n')}</article></main>
<footer>Imprint</footer></html>`
}

const site = createServer((request, response) => {
  const [, n] = /^\/river\/(\d+)$/.exec(request.url!) ?? []
  const isPage = n !== undefined && Number(n) < PAGES
  response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' })
  response.end(isPage ? writePage(Number(n)) : '')
})
await once(site.listen(0, '127.0.0.1'), 'listening')
t.teardown(() => {
  site.close()
  site.closeAllConnections()
})
const addressOf = (n: number) => `http://127.0.0.1:${(site.address() as AddressInfo).port}/river/${n}`

const chat = await startChat(t, { config: { plugins: { web: { allow_hosts: ['127.0.0.1'] } } } })
const { server, fake } = chat
const engine = await startFakeSearchEngine(t, 'searxng')
engine.pages = Array.from({ length: PAGES }, (_, n) => ({
  title: `The ${nameOf(n)}`,
  url: addressOf(n),
  snippet: `All about the ${nameOf(n)}.`,
}))
await server.call('PUT', '/admin/web-search', { engines: [engine.entry], per_day: null })

type Sent = (typeof fake.requests)[number]['body']

/** Lists what the calls of a turn have returned, with the part of the page that each asked for. */
function readResults({ messages }: Sent) {
  const calls = new Map(
    messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => [call.id, call.function.arguments])),
  )
  return messages
    .filter(({ role }) => role === 'tool')
    .map(({ tool_call_id, content }) => ({
      asked: JSON.parse(calls.get(tool_call_id!)!) as { url?: string; part?: number },
      text: String(content),
    }))
}

/** Searches, opens the pages that were found, each to its last part, and answers with the numbers of the passages. */
function research(body: Sent): Script {
  const [search, ...results] = readResults(body)
  if (!search)
    return { toolCalls: [{ name: 'web_search', arguments: { query: 'depths of rivers', count: OPENED } }] }
  const unread = new Map<string, number>(
    [...search.text.matchAll(/^\[\d+\] .*\n(http\S+)$/gm)].map(([, url]) => [url!, 1]),
  )
  for (const { asked, text } of results) {
    // A page that could not be read is opened again.
    if (!text.includes(`URL: ${asked.url}`)) continue
    const next = /continue with part (\d+)\]/.exec(text)?.[1]
    if (next) unread.set(asked.url!, Number(next))
    else unread.delete(asked.url!)
  }
  if (unread.size > 0)
    return {
      toolCalls: [...unread]
        .slice(0, 2)
        .map(([url, part]) => ({ name: 'web_fetch', arguments: { url, ...(part > 1 && { part }) } })),
    }
  const sentences = results.flatMap(({ text: result }) =>
    [...result.matchAll(/<passage number="(\d+)"[^>]*>\n(.*?)\n<\/passage>/gs)].flatMap(
      ([, number, text]) => {
        const fact = /The \w+ \d is \d+ cm deep at its deepest ford/.exec(text!)
        return fact ? [`${fact[0]} [${number}].`] : []
      },
    ),
  )
  return { text: [sentences.join('\n')] }
}

/** Reads, in the browser, the text of a page from the first line that is seen. */
const READ_VIEW = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  let text = ''
  for (let node = walker.nextNode(); node && text.length < 3000; node = walker.nextNode()) {
    const range = document.createRange()
    range.selectNodeContents(node)
    const isSeen = [...range.getClientRects()].some(({ top, bottom }) => bottom > 0 && top < innerHeight)
    if (isSeen || text !== '') text += node.textContent
  }
  return { text, height: scrollY }
})()`

t.test('Every citation of a research task opens the right page at the right place', async (t) => {
  const { body: agent, status } = await server.request('POST', '/agents/from-expert/research-assistant', {
    body: { name: 'Researcher' },
  })
  t.equal(status, 201)
  fake.script(({ body }) => research(body))
  const socket = await chat.connect({ agent_id: agent.id })
  const { end, frames } = await socket.ask({ text: 'How deep are the rivers at their fords?' })
  t.match(end, { type: 'done', stop_reason: 'end' })
  const fetched = frames.filter(({ type, name }) => type === 'tool_call' && name === 'web_fetch')
  t.ok(fetched.length > OPENED, `${fetched.length} parts of ${OPENED} pages were read`)

  const answer = textOf(frames)
  const claims = [...answer.matchAll(/^(The \w+ \d is \d+ cm deep at its deepest ford) \[(\d+)\]\.$/gm)]
  t.equal(claims.length, OPENED, 'each page has its claim')
  const sources = frames.flatMap(({ type, sources = [] }) => (type === 'tool_result' ? sources : []))
  const cited = claims.map(([, fact, number]) => ({
    fact: fact!,
    number: Number(number),
    source: sources.find((source: { number: number }) => source.number === Number(number)),
  }))
  for (const { fact, number, source } of cited) {
    const n = engine.pages.findIndex((_, index) => factOf(index).startsWith(fact))
    t.ok(source?.url.startsWith(`${addressOf(n)}#:~:text=`), `[${number}] is a place on ${addressOf(n)}`)
  }

  await t.test('in a browser', { skip: noChromium }, async (t) => {
    const browser = await startChromium(t)
    const context = await browser.newContext({ viewport: { width: 700, height: 120 } })
    for (const { fact, source } of cited) {
      const page = await context.newPage()
      await page.goto(source.url)
      await page.waitForFunction('scrollY > 0', undefined, { timeout: 10_000 }).catch(() => undefined)
      const { text, height } = await page.evaluate<{ text: string; height: number }>(READ_VIEW)
      t.ok(height > 0 && text.slice(0, MAX_PLACE_CHARS).includes(fact), `${source.url} shows "${fact}"`)
      await page.close()
    }
  })
})
