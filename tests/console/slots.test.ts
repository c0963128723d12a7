import type { Page } from 'playwright-core'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import t, { type Test } from '../run/file-test.ts'
import { ALL_RULES, chooseTheme, findBarriers } from '../support/axe.ts'
import { startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'
import { createHome } from '../support/server.ts'
import { installProbe, installWreck, installWrecks } from '../support/slot-plugins.ts'

/** One thing that happened to a module, as it wrote down. */
interface Entry {
  event: 'mount' | 'update' | 'unmount'
  slot: string
  locale?: string
  theme?: string
  agent_id?: string
  thread_id?: string
  message_id?: string
  text?: string
}

const readLog = (page: Page) => page.evaluate<Entry[]>('globalThis.slotLog ?? []')
const clearLog = (page: Page) => page.evaluate('void (globalThis.slotLog?.splice(0))')
const FAILURE = 'wreck could not be shown'

/** Starts a chat on a server that has no slots. */
async function startBare(t: Test) {
  const chat = await startChat(t)
  const { slots } = (await chat.server.request('GET', '/console', { token: null })).body
  if (slots.length === 0) return chat
  const plugins = slots.map(({ plugin }: { plugin: string }) => [plugin, { enabled: false }])
  return startChat(t, { config: { plugins: Object.fromEntries(plugins) } })
}

t.test('slots of the console', { skip: noChromium }, async (t) => {
  const home = createHome(t)
  installProbe(home)
  const chat = await startChat(t, { home })
  const { server, fake, agent_id } = chat
  const [browser, url] = await Promise.all([startChromium(t), serveConsole(t, server)])
  const socket = await chat.connect()
  fake.next({ text: 'It is **done**.' })
  const { thread_id } = await socket.ask({ text: 'Make a plan' })
  const path = `/chat/${agent_id}/${thread_id}`
  const { page, faults } = await openConsole(browser, url, { path })
  const composer = page.getByRole('textbox', { name: 'Message assistant…' })
  const reply = page.getByRole('article')
  const status = page.getByRole('status')
  const seen = async (event: Entry['event'], slot: string) =>
    (await readLog(page)).filter((entry) => entry.event === event && entry.slot === slot)
  /** Waits until something has happened to the module of a slot some times. */
  const see = (event: Entry['event'], slot: string, count: number) =>
    eventually(`${count} times ${event} at ${slot}`, async () => {
      const entries = await seen(event, slot)
      return entries.length === count && entries
    })
  const openMenu = () => page.getByRole('main').getByRole('button', { name: 'Conversation menu' }).click()

  await t.test('a module in the row of a message knows it, its text and its conversation', async (t) => {
    await reply.getByRole('button', { name: 'Praise' }).waitFor()
    const mounts = await see('mount', 'message.actions', 2)
    const [question, answer] = [...mounts].sort((one) => (one.text === 'Make a plan' ? -1 : 1))
    const place = { agent_id, thread_id, locale: 'en', theme: 'light' }
    t.match(question, { ...place, text: 'Make a plan' })
    t.match(answer, { ...place, text: 'It is **done**.' })
    const { messages } = (await chat.threads('GET', `/${thread_id}/history`)).body
    t.same(
      [question!.message_id, answer!.message_id],
      messages.map(({ id }: { id: string }) => id),
    )
    await reply.getByRole('button', { name: 'Praise' }).click()
    await status.getByText('Praise It is **done**.').waitFor()
  })
  await t.test('a module inserts text at the cursor, and keeps what is there', async (t) => {
    await composer.fill('one two')
    await composer.press('ArrowLeft')
    await composer.press('ArrowLeft')
    await composer.press('ArrowLeft')
    await page.getByRole('button', { name: 'Dictate' }).click()
    t.equal(await composer.inputValue(), 'one dictated two')
    await page.keyboard.type('it ')
    t.equal(await composer.inputValue(), 'one dictated it two')
    await composer.fill('')
  })
  await t.test('modules are updated with the theme and the conversation, and leave with it', async (t) => {
    await clearLog(page)
    await chooseTheme(page, 'dark')
    const updates = await see('update', 'composer.actions', 1)
    t.match(updates, [{ theme: 'dark', thread_id }])
    t.equal((await seen('mount', 'composer.actions')).length, 0)
    await chooseTheme(page, 'light')
    await page.getByRole('link', { name: 'New conversation with assistant' }).click()
    await see('unmount', 'message.actions', 2)
    await eventually('a composer without a conversation', async () =>
      (await readLog(page)).some(
        (entry) => entry.slot === 'composer.actions' && entry.thread_id === undefined,
      ),
    )
    await page.goto(path)
  })
  await t.test('items of the menu of a conversation work with its keys', async (t) => {
    await reply.waitFor()
    await openMenu()
    await page.getByRole('menuitem', { name: 'Translate' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowUp')
    t.equal(await page.locator(':focus').textContent(), 'Translate')
    await page.keyboard.press('ArrowUp')
    t.equal(await page.locator(':focus').textContent(), 'View steps')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await status.getByText(`Translate ${thread_id}`).waitFor()
    await page.getByRole('menu').waitFor({ state: 'detached' })
    t.match((await seen('mount', 'thread.menu'))[0], { agent_id, thread_id })
    await see('unmount', 'thread.menu', 1)
  })
  await t.test('pages, tabs, sections and cards are shown under their labels', async (t) => {
    const places: [slot: string, address: string, heading: string][] = [
      ['agent.tabs', `/agents/${agent_id}`, 'assistant'],
      ['account.sections', '/account', 'Notes'],
      ['admin.pages', '/all-notes', 'All notes'],
      ['overview.cards', '/overview', 'Notes'],
      ['pages', '/notes', 'Notes'],
    ]
    for (const [slot, address, heading] of places) {
      await page.goto(address)
      if (slot === 'agent.tabs') await page.getByRole('link', { name: 'Notes' }).click()
      await page.getByRole('heading', { name: heading, exact: true }).waitFor()
      const part = page.locator(`[data-slot="${slot}"]`)
      await part.getByLabel('Note').fill('a text that is too long')
      await part.getByRole('button', { name: 'Save' }).click()
      await part.getByText(/^VALIDATION_FAILED: /).waitFor()
      await part.getByLabel('Note').fill('short')
      await part.getByRole('button', { name: 'Save' }).click()
      await part.getByText('{"saved":"short"}').waitFor()
      t.match(await seen('mount', slot), [{ agent_id: slot === 'agent.tabs' ? agent_id : undefined }])
      for (const theme of ['light', 'dark'] as const) {
        await chooseTheme(page, theme)
        t.same(await findBarriers(page, theme === 'light' ? ALL_RULES : ['wcag2aa']), [], `${slot}, ${theme}`)
      }
      await chooseTheme(page, 'light')
    }
    await page.keyboard.press('Control+K')
    await page.keyboard.type('All not')
    await page.getByRole('option', { name: 'All notes' }).click()
    await page.waitForURL('**/all-notes')
  })
  await t.test('the chat and the menu have no barriers in both themes', async (t) => {
    await page.goto(path)
    for (const theme of ['light', 'dark'] as const) {
      await chooseTheme(page, theme)
      await page.getByRole('button', { name: 'Dictate' }).waitFor()
      await reply.getByRole('button', { name: 'Praise' }).waitFor()
      t.same(await findBarriers(page, theme === 'light' ? ALL_RULES : ['wcag2aa']), [], theme)
    }
    await openMenu()
    await page.getByRole('menuitem', { name: 'Translate' }).waitFor()
    const barriers = await findBarriers(page, ['wcag2a', 'wcag2aa'])
    // Every menu of the component library begins with an element that takes the focus.
    t.same(
      barriers.filter((barrier) => !barrier.startsWith('aria-required-children')),
      [],
    )
  })
  await t.test('pages of administrators are for them alone', async (t) => {
    const ada = await server.createUser({ username: 'ada' })
    const { page: other } = await openConsole(browser, url, { ...ada, path: '/settings' })
    await other.getByRole('link', { name: 'Notes', exact: true }).first().waitFor()
    t.equal(await other.getByRole('link', { name: 'All notes' }).count(), 0)
    await other.goto('/all-notes')
    await other.getByText('This page does not exist.').waitFor()
    await other.close()
  })
  t.strictSame(faults, [])
})

t.test('modules that fail harm nothing else', { skip: noChromium }, async (t) => {
  const home = createHome(t)
  for (const install of [installProbe, installWreck, installWrecks]) install(home)
  const chat = await startChat(t, { home })
  const { server, fake, agent_id } = chat
  const [browser, url] = await Promise.all([startChromium(t), serveConsole(t, server)])
  const { page, faults } = await openConsole(browser, url, { path: `/chat/${agent_id}` })
  const composer = page.getByRole('textbox', { name: 'Message assistant…' })

  await t.test('a conversation goes on beside them', async (t) => {
    await page.getByRole('form').or(page.locator('form')).getByText(FAILURE).first().waitFor()
    fake.next({ text: 'It is done.' })
    await composer.fill('Make a plan')
    await composer.press('Enter')
    const reply = page.getByRole('article')
    await reply.getByText(FAILURE).waitFor()
    await reply.getByRole('button', { name: 'Praise' }).click()
    await reply.getByRole('button', { name: 'Copy' }).waitFor()
    await page.getByRole('button', { name: 'Dictate' }).click()
    t.equal(await composer.inputValue(), 'dictated ')
    await page.getByRole('main').getByRole('button', { name: 'Conversation menu' }).click()
    await page.getByRole('menuitem', { name: FAILURE }).waitFor()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    t.same(await findBarriers(page, ['wcag2a', 'wcag2aa']), [])
  })
  await t.test('each place names the plugin', async () => {
    for (const address of [
      `/agents/${agent_id}/plugin/wreck/mount`,
      '/account',
      '/wrecks',
      '/overview',
      '/wreck',
    ]) {
      await page.goto(address)
      await page.getByText(FAILURE).waitFor()
    }
  })
  await t.test('whatever a module does wrong is shown by its name, and reported', async (t) => {
    faults.length = 0
    await page.goto('/account')
    const part = (name: string) => page.getByRole('region', { name: `Wreck ${name}`, exact: true })
    for (const name of ['mount', 'rejected', 'nothing', 'returned', 'syntax'])
      await part(name).getByText('wrecks could not be shown').waitFor()
    await part('update').getByText('a wreck that is still whole').waitFor()
    await chooseTheme(page, 'dark')
    await part('update').getByText('wrecks could not be shown').waitFor()
    await part('update').getByRole('button', { name: 'wrecks could not be shown. Try again' }).click()
    await part('update').getByText('a wreck that is still whole').waitFor()
    await part('unmount').getByText('a wreck to leave').waitFor()
    await page.getByRole('link', { name: 'Usage', exact: true }).click()
    await page.getByRole('heading', { name: 'Usage', exact: true }).first().waitFor()
    await eventually('a report of each failure', () =>
      [
        ...['mount', 'rejection', 'update', 'unmount'].map((word) => `${word} of a wreck`),
        'its default export is not a function',
        'it returned no function "unmount"',
      ].every((reason) => faults.some((fault) => fault.includes(reason))),
    )
    t.notOk(
      faults.some((fault) => !fault.startsWith('The module ')),
      'nothing else has failed',
    )
  })
})

t.test('a page without slots loads nothing for them', { skip: noChromium }, async (t) => {
  const { server, fake, agent_id, connect } = await startBare(t)
  const [browser, url] = await Promise.all([startChromium(t), serveConsole(t, server)])
  fake.next({ text: 'It is done.' })
  const { thread_id } = await (await connect()).ask({ text: 'Make a plan' })
  const { page } = await openConsole(browser, url, { path: '/settings' })
  const loads: string[] = []
  page.on('request', (request) => void loads.push(new URL(request.url()).pathname))
  for (const [address, heading] of [
    [`/chat/${agent_id}/${thread_id}`, 'Make a plan'],
    ['/account', 'Account'],
    ['/overview', 'Overview'],
    [`/agents/${agent_id}`, 'assistant'],
  ] as const) {
    await page.goto(address)
    await page.getByRole('heading', { name: heading, exact: true }).first().waitFor()
    await page.waitForLoadState('load')
  }
  t.ok(loads.length > 20)
  t.same(
    loads.filter((path) => /^\/(console-slots\/|assets\/slot)/.test(path)),
    [],
  )
})
