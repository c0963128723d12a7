import t from '../run/file-test.ts'
import { ALL_RULES, findBarriers } from '../support/axe.ts'
import { startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'
import { pluginSource } from '../support/kernel.ts'

const ALMANAC = 'https://almanac.test/moon'
/** The sources that the tool names, with the numbers that they get. */
const SOURCES = [
  {
    id: 'a1',
    title: 'The almanac',
    url: `${ALMANAC}#:~:text=The%20moon%20is%20full`,
    text: 'The moon is full.',
  },
  { id: 'a2', title: 'The almanac', url: `${ALMANAC}#:~:text=Tides`, text: 'Tides are high.' },
  { id: 'a3', title: 'The almanac', url: `${ALMANAC}#:~:text=Frost`, text: 'Frost is near.' },
  { id: 'b', title: 'Seen only', url: 'https://www.seen.test/', text: 'Nothing.' },
  {
    id: 'c',
    title: 'The gazette',
    url: 'https://gazette.test/',
    text: 'Sold out.',
    published_at: '2026-03-04',
  },
  { id: 'd', title: 'Not a page', url: 'javascript:alert(1)' },
]

/** A tool that names sources. */
const LIBRARY = pluginSource(
  'library',
  `host.extend('agents.tools', { name: 'look_up', label: { en: 'Look up', zh: '查阅' }, description: 'Finds pages.',
     input_schema: { type: 'object' }, disableable: true,
     execute: (_, { cite }) => ${JSON.stringify(SOURCES)}.map((source) => cite(source)).join() } )`,
  "depends: ['agents'],",
)

t.test('sources of answers', { skip: noChromium }, async (t) => {
  const chat = await startChat(t, { plugins: { library: LIBRARY } })
  const { fake, server, agent_id } = chat
  await server.request('PATCH', `/agents/${agent_id}/tool-settings/look_up`, { body: { enabled: true } })
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url, { path: `/chat/${agent_id}` })
  // The pages of the sources exist only here.
  await page.context().route('https://*.test/**', (route) => route.fulfill({ body: 'A page' }))
  const ask = async (text: string, answer: string) => {
    fake.next({ toolCalls: [{ name: 'look_up', arguments: {} }] }, { text: answer })
    await page.getByRole('textbox', { name: 'Message assistant…' }).fill(text)
    await page.keyboard.press('Enter')
    await page.getByText(answer.slice(0, 8)).first().waitFor()
  }
  const answer = page.getByRole('article').last()
  const cited = answer.getByRole('list', { name: 'Sources' })

  await t.test('cited ones are listed by page, the others are folded', async (t) => {
    await ask('Which moon?', 'It is full [1][3], and sold out [5]. Not `[4]`, not [9].')
    await cited.waitFor()
    const lines = await cited.getByRole('listitem').allInnerTexts()
    t.strictSame(
      lines.map((line) => line.split(/\s*\n\s*/)),
      [
        ['1', 'The almanac', '3', 'almanac.test'],
        ['5', 'The gazette', 'gazette.test · Mar 4, 2026'],
      ],
    )
    const more = answer.getByText('2 more, not cited')
    t.equal(await answer.getByRole('link', { name: 'Seen only' }).isVisible(), false)
    await more.click()
    t.equal(await answer.getByRole('link', { name: 'Seen only' }).isVisible(), true)
    t.equal(
      await answer.getByRole('link', { name: 'Not a page' }).count(),
      0,
      'other protocols are not linked',
    )
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    t.strictSame(faults, [])
  })

  await t.test('a mark shows the passage on hover and focus, and opens the page at its place', async (t) => {
    const card = page.getByRole('tooltip')
    const mark = answer.locator('sup').getByRole('link', { name: 'The almanac' }).first()
    await mark.hover()
    await card.getByText('The moon is full.').waitFor()
    await card.getByText('almanac.test').waitFor()
    await page.mouse.move(0, 0)
    await card.waitFor({ state: 'detached' })
    await answer.locator('sup').getByRole('link', { name: 'The gazette' }).focus()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Tab')
    await card.getByText('gazette.test · Mar 4, 2026').waitFor()
    // The card lies outside of the landmarks, as a tooltip does.
    t.strictSame(await findBarriers(page, ['wcag2a', 'wcag2aa']), [])
    await page.keyboard.press('Escape')
    await card.waitFor({ state: 'detached' })

    t.equal(await mark.getAttribute('href'), SOURCES[0]!.url)
    t.equal(await mark.getAttribute('rel'), 'noreferrer noopener')
    const opened = page.waitForEvent('popup')
    await mark.click()
    const other = await opened
    await other.waitForLoadState()
    t.match(other.url(), /^https:\/\/almanac\.test\/moon/)
    t.equal(await other.evaluate('opener'), null)
    await other.close()
    t.strictSame(faults, [])
  })

  await t.test('an answer that cites nothing has its sources folded', async (t) => {
    await ask('And now?', 'Nothing is known.')
    await answer.getByText('4 sources, not cited').waitFor()
    t.equal(await cited.count(), 0)
    t.strictSame(faults, [])
  })

  await t.test('the panel lists those of the conversation, cited ones first', async (t) => {
    await page.getByRole('button', { name: 'Files and sources' }).click()
    const panel = page.getByRole('complementary', { name: 'Files and sources' })
    await panel.getByRole('tab', { name: 'Sources' }).click()
    const list = panel.getByRole('list', { name: 'Sources' })
    t.strictSame(await list.getByRole('link').allInnerTexts(), ['The almanac', 'The gazette'])
    await panel.getByText('2 more, not cited').waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    t.strictSame(faults, [])
  })
})
