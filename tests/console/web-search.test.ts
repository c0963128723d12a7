import t from '../run/file-test.ts'
import { ALL_RULES, findBarriers } from '../support/axe.ts'
import { startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'
import { SEARCH_KEY, startFakeSearchEngine } from '../support/fake-search-engines.ts'

const PATH = '/admin/web-search'

t.test('web search in the console', { skip: noChromium }, async (t) => {
  const chat = await startChat(t)
  const { fake, server, agent_id } = chat
  const searxng = await startFakeSearchEngine(t, 'searxng')
  const brave = await startFakeSearchEngine(t, 'brave')
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url, { path: '/web-search' })
  const sheet = page.getByRole('dialog')
  const rows = page.getByRole('list', { name: 'Search engines' }).getByRole('listitem')
  const readSettings = () => server.call('GET', PATH)
  const kindsOf = async () => (await readSettings()).engines.map(({ kind }: { kind: string }) => kind)
  const add = async (name: string, fill: () => Promise<void>) => {
    await page.getByRole('button', { name: 'Add search engine' }).click()
    await sheet.getByRole('button', { name: new RegExp(`^${name}`) }).click()
    await fill()
    await sheet.getByRole('button', { name: 'Add', exact: true }).click()
    await sheet.waitFor({ state: 'detached' })
  }

  const isSetUp = async () => {
    const { builtin } = await server.call('GET', `/agents/${agent_id}/tool-settings`)
    return builtin.find(({ name }: { name: string }) => name === 'web_search').set_up
  }

  await t.test('the tools of an agent say that nothing is set up, and lead to the page', async (t) => {
    t.equal(await isSetUp(), false)
    await page.goto(`/agents/${agent_id}/tools`)
    await page.getByText('Not set up: there is no search engine yet.').waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await page.getByRole('link', { name: 'Set up web search' }).click()
    await page.getByRole('heading', { name: 'Web search' }).waitFor()
    t.strictSame(faults, [])
  })

  await t.test('an empty page says what is missing, and how to get it', async (t) => {
    await page.getByText('Your agents cannot search the web yet').waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await add('SearXNG', async () => {
      t.ok(await sheet.getByText('search.formats').isVisible(), 'the usual failure is explained before')
      t.strictSame(await findBarriers(page, ALL_RULES), [])
      await sheet.getByRole('textbox', { name: 'Address' }).fill(searxng.url)
    })
    await rows.filter({ hasText: 'SearXNG' }).getByText(new URL(searxng.url).host).waitFor()
    t.match(await readSettings(), { engines: [{ kind: 'searxng', base_url: searxng.url }] })
    t.strictSame(faults, [])
  })

  await t.test('a second engine is asked next, and its key is not shown again', async (t) => {
    await add('Brave', async () => {
      await sheet.getByLabel('API key').fill(SEARCH_KEY)
      await sheet.getByRole('button', { name: 'More settings' }).click()
      await sheet.getByRole('textbox', { name: 'Address' }).fill(brave.url)
      await sheet.getByLabel('Price of a search').fill('0.005')
    })
    await rows.filter({ hasText: 'Brave' }).getByText('Asked if SearXNG does not answer').waitFor()
    await rows.filter({ hasText: 'Brave' }).getByText('$0.005 per search').waitFor()
    await page.getByRole('button', { name: 'Brave Search', exact: true }).click()
    await sheet.getByText('Stored · ends with gine').waitFor()
    t.equal(await sheet.getByLabel('Price of a search').inputValue(), '0.005')
    await sheet.getByLabel('Price of a search').fill('0.003')
    await sheet.getByRole('button', { name: 'Save' }).click()
    await sheet.waitFor({ state: 'detached' })
    t.match((await readSettings()).engines[1], { api_key: '••••gine', price: 0.003 })
    t.strictSame(faults, [])
  })

  await t.test('keys change the order, and the focus stays with the engine', async (t) => {
    const focused = () => page.evaluate<string>('document.activeElement.ariaLabel')
    await page.getByRole('button', { name: 'Move Brave Search up' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Brave Search is now number 1 of 2.').waitFor({ state: 'attached' })
    t.strictSame(await kindsOf(), ['brave', 'searxng'])
    t.equal(await focused(), 'Move Brave Search down')
    await page.keyboard.press('Enter')
    await page.getByText('Brave Search is now number 2 of 2.').waitFor({ state: 'attached' })
    t.strictSame(await kindsOf(), ['searxng', 'brave'])
    t.equal(await focused(), 'Move Brave Search up')
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    t.strictSame(faults, [])
  })

  await t.test('a change by somebody else is explained, and the next attempt keeps both', async (t) => {
    const per_day = page.getByRole('textbox', { name: 'Searches per person and day' })
    await page.getByRole('button', { name: 'SearXNG', exact: true }).click()
    await sheet.getByRole('textbox', { name: 'Address' }).waitFor()
    const { engines } = await readSettings()
    await server.call('PUT', PATH, { engines, per_day: 50 })
    await sheet.getByRole('textbox', { name: 'Address' }).fill(`${searxng.url}/`)
    await sheet.getByRole('button', { name: 'Save' }).click()
    await sheet.getByText('Someone else changed these settings in the meantime.').waitFor()
    await sheet.getByRole('button', { name: 'Save' }).click()
    await sheet.waitFor({ state: 'detached' })
    t.match(await readSettings(), { engines: [{ base_url: `${searxng.url}/` }, {}], per_day: 50 })
    t.equal(await per_day.inputValue(), '50')
    await per_day.fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    t.equal((await readSettings()).per_day, null)
    t.strictSame(faults, [])
  })

  await t.test('a test shows results as readers see them', async (t) => {
    const asked = page.getByRole('combobox', { name: 'Search engine' })
    t.equal(await asked.inputValue(), 'brave', 'the engine that was added last')
    await asked.selectOption('In order, as agents do')
    await page.getByRole('textbox', { name: 'Search query' }).fill('moon')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByText(/^SearXNG answered in/).waitFor()
    const link = page.getByRole('list', { name: 'Results' }).getByRole('link').first()
    t.match(await link.getAttribute('href'), /^https:\/\/example\.com\//)
    t.equal(await link.getAttribute('rel'), 'noreferrer noopener')
    await asked.selectOption('Brave Search')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByText(/^Brave Search answered in/).waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    t.strictSame(faults, [])
  })

  await t.test('a conversation shows the results of a search, and the answer its sources', async (t) => {
    t.equal(await isSetUp(), true)
    searxng.pages = [
      {
        title: 'The moon',
        url: 'https://www.moon.test/',
        snippet: 'It is full.',
        published_at: '2026-03-04',
      },
      { title: 'The sun', url: 'https://sun.test/', snippet: 'It shines.' },
    ]
    const search = { name: 'web_search', arguments: { query: 'full moon' } }
    fake.next({ toolCalls: [search] }, { text: 'It is full [1].' })
    const socket = await chat.connect()
    const { thread_id } = await socket.ask({ text: 'Is it full?' })
    const { page: other } = await openConsole(browser, url, { path: `/chat/${agent_id}/${thread_id}` })
    const answer = other.getByRole('article')
    await answer.getByRole('list', { name: 'Sources' }).getByText('moon.test · Mar 4, 2026').waitFor()
    await answer.getByRole('button', { name: /^1 step/ }).click()
    await answer.getByRole('button', { name: 'Search the web full moon 2 results' }).click()
    await answer.getByText('It shines.').waitFor()
    t.strictSame(await findBarriers(other, ALL_RULES), [])
    await other.close()
  })

  await t.test('a test that fails says what to do', async (t) => {
    await page.getByRole('combobox', { name: 'Search engine' }).selectOption('SearXNG')
    searxng.serve = (_, response) => void response.writeHead(403).end('Forbidden')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('add "json" to search.formats in settings.yml').waitFor()
    await alert.getByText('HTTP 403').waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    t.strictSame(faults, [])
  })

  await t.test('a removed engine is gone, and the other one stays', async (t) => {
    await page.getByRole('button', { name: 'Actions for SearXNG' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await sheet.getByRole('button', { name: 'Delete' }).click()
    await sheet.waitFor({ state: 'detached' })
    t.strictSame(await kindsOf(), ['brave'])
    t.equal(await page.getByRole('combobox', { name: 'Search engine' }).count(), 0)
    t.strictSame(faults, [])
  })

  await t.test('people who are no administrators do not see the page', async (t) => {
    const { username, password } = await server.createUser({ username: 'pam' })
    const { page: other } = await openConsole(browser, url, { path: '/web-search', username, password })
    await other.getByText('You do not have access to this page').waitFor()
    t.equal(await other.getByRole('link', { name: 'Web search' }).count(), 0)
  })
})
