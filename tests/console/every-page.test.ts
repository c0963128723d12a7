import t from '../run/file-test.ts'
import { onlyLong } from '../run/tier.ts'
import { ALL_RULES, chooseTheme, findBarriers } from '../support/axe.ts'
import { startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'

/** An element of a page. */
// biome-ignore lint/suspicious/noExplicitAny: its type is known to browsers only
type PageElement = any

/** The tabs of an agent, by the ends of their addresses. */
const AGENT_TABS = [
  '',
  '/instructions',
  '/persona',
  '/tools',
  '/skills',
  '/files',
  '/channels',
  '/connectors',
  '/schedules',
  '/triggers',
  '/sharing',
  '/external',
]

/** The name of what is being loaded. */
const LOADING = /^(Loading|正在加载|加载)/

/** The least size of a target, in pixels. */
const MIN_TARGET = 24
/** A key of a text that is not in the catalogs. */
const BARE_KEY = /(?<![\w/.@])[a-z]+(?:-[a-z]+)*\.[a-z]+(?:_[a-z]+)+\b/

/** Lists the buttons that are too small to be hit; links within a text may be. */
const listSmallButtons = (all: PageElement[], least: number): string[] =>
  all
    .map((button) => ({ button, box: button.getBoundingClientRect() }))
    // The whole row is the target of the button that opens it.
    .filter(({ button }) => (globalThis as PageElement).getComputedStyle(button, '::after').inset !== '0px')
    .filter(({ box }) => box.width > 0 && (box.width < least || box.height < least))
    .map(({ button, box }) => `${button.ariaLabel ?? button.textContent} ${box.width}×${box.height}`)
const overflowOf = (page: PageElement): number => page.scrollWidth - page.clientWidth

t.test('every page of the console', { skip: noChromium || onlyLong }, async (t) => {
  const chat = await startChat(t)
  const { server, fake, agent_id } = chat
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const project = await server.call('POST', '/projects', { name: 'Launch', instructions: 'Be brief.' })
  const base = await server.call('POST', '/knowledge-bases', { name: 'Handbook' })
  await server.call('POST', '/prompts', { name: 'summary', text: 'Summarize {{topic}}.' })
  const socket = await chat.connect()
  fake.next({
    text: '## Plan\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n```js\nlet a = 1\n```\n\n- [ ] $x^2$ at $5',
  })
  const { thread_id } = await socket.ask({ text: 'Make a plan' })
  await server.call('PATCH', `/agents/${agent_id}/threads/${thread_id}`, { project_id: project.id })

  const pages = [
    `/chat/${agent_id}`,
    `/chat/${agent_id}/${thread_id}`,
    `/chat/${agent_id}/${thread_id}/trajectory`,
    '/search?q=plan',
    '/archived',
    '/projects',
    `/projects/${project.id}`,
    '/agents',
    ...AGENT_TABS.map((tab) => `/agents/${agent_id}${tab}`),
    '/settings',
    '/account',
    '/memory',
    '/models',
    '/knowledge',
    `/knowledge/${base.id}`,
    '/connectors',
    '/skills',
    '/channels',
    '/schedules',
    '/prompts',
    '/usage',
    '/storage',
    '/people',
    '/invites',
    '/sso',
    '/audit',
    '/overview',
    '/plugins',
    '/web-search',
    '/no/such/page',
  ]

  for (const [name, size, locale] of [
    ['desktop', { width: 1440, height: 900 }, 'en-US'],
    ['phone', { width: 390, height: 844 }, 'zh-CN'],
  ] as const)
    await t.test(name, async (t) => {
      const { page, faults } = await openConsole(browser, url, { viewport: size, locale })
      for (const path of pages) {
        await page.goto(path)
        await page.locator('h1').waitFor({ state: 'attached' })
        await page.getByRole('status', { name: LOADING }).first().waitFor({ state: 'detached' })
        for (const theme of ['light', 'dark'] as const) {
          await chooseTheme(page, theme)
          t.strictSame(await findBarriers(page, ALL_RULES), [], `${path} in ${theme}`)
        }
        t.strictSame(await page.getByText(BARE_KEY).allTextContents(), [], `no bare keys on ${path}`)
        const small = await page.getByRole('button').evaluateAll(listSmallButtons, MIN_TARGET)
        t.strictSame(small, [], `small buttons on ${path}`)
        t.equal(await page.locator('html').evaluate(overflowOf), 0, `${path} fits into the window`)
      }
      t.strictSame(faults, [])
    })
})
