import type { Page } from 'playwright-core'
import { createHold, eventually } from '../../plugin-api/testing/waiting.ts'
import t from '../run/file-test.ts'
import { startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole } from '../support/console.ts'
import { startRelay } from '../support/relay.ts'

const DAY_SECONDS = 86_400
const PHONE = { width: 390, height: 844 }

t.test('the frame of the console in a browser', { skip: noChromium }, async (t) => {
  const chat = await startChat(t)
  const { server, agent_id } = chat
  const writer = await server.call('POST', '/agents', { name: 'writer' })
  await server.call('POST', `/agents/${writer.id}/start`)
  const browser = await startChromium(t)
  let target = server.url
  const relay = await startRelay(t, () => target)
  const { url } = relay
  const noon = new Date()
  noon.setHours(12, 0, 0, 0)

  /** Creates a conversation that was last active at noon some days ago. */
  const create = async (title: string, days: number, agent = agent_id): Promise<string> => {
    const { thread_id } = await server.call('POST', `/agents/${agent}/threads`, { title })
    const last_active = Math.floor(noon.getTime() / 1000) - days * DAY_SECONDS
    await server.db
      .collection<{ _id: string }>('threads')
      .updateOne({ _id: thread_id }, { $set: { last_active } })
    return thread_id
  }
  await create('Numbers', 0)
  const trip = await create('Trip to Norway', 1, writer.id)
  await create('Contract', 4)
  await create('Campaign', 20)
  const pinned = await create('Handbook', 300)
  await server.call('PATCH', `/agents/${agent_id}/threads/${pinned}`, { pinned: true })

  const { page, faults } = await openConsole(browser, url, { path: `/chat/${agent_id}` })
  const column = (on: Page = page) => on.getByRole('navigation', { name: 'Pages' })
  const group = (name: string) => column().getByRole('region', { name, exact: true })
  const linkIn = (name: string, title: string) => group(name).getByRole('link', { name: title })
  const openMenu = async (title: string) => {
    await column().getByRole('link', { name: title }).hover()
    await page.getByRole('button', { name: `Actions for ${title}` }).click()
  }

  await t.test('the conversations with all agents are one list by their dates', async (t) => {
    await linkIn('Pinned', 'Handbook').waitFor()
    await linkIn('Today', 'Numbers').waitFor()
    await linkIn('Yesterday', 'Trip to Norway').getByText('writer').waitFor()
    await linkIn('Previous 7 days', 'Contract').waitFor()
    await linkIn('Previous 30 days', 'Campaign').waitFor()

    await linkIn('Today', 'Numbers').focus()
    await page.keyboard.press('j')
    await page.locator('a:focus', { hasText: 'Trip to Norway' }).waitFor()
    await page.keyboard.press('k')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Numbers', level: 1 }).waitFor()
    t.strictSame(faults, [])
  })

  await t.test(
    'a click on an agent begins a conversation with it, and another opens its settings',
    async (t) => {
      await group('Agents').getByRole('link', { name: 'writer', exact: true }).click()
      await page.getByRole('textbox', { name: 'Message writer…' }).waitFor()
      await column().getByRole('link', { name: 'New conversation with writer' }).waitFor()
      await group('Agents').getByRole('link', { name: 'Settings of writer' }).click()
      await page.getByRole('heading', { name: 'writer', level: 1 }).waitFor()

      await column().getByRole('button', { name: 'Choose an agent' }).click()
      await page.getByRole('menuitem', { name: 'assistant' }).click()
      await page.getByRole('textbox', { name: 'Message assistant…' }).waitFor()

      await page.goto('/agents')
      await page
        .getByRole('list', { name: 'Agents' })
        .getByRole('link', { name: 'writer', exact: true })
        .click()
      await page.getByRole('textbox', { name: 'Message writer…' }).waitFor()
      t.strictSame(faults, [])
    },
  )

  await t.test('a conversation is renamed, archived, restored and deleted from its row', async (t) => {
    await openMenu('Contract')
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Contract, clause 7')
    await page.keyboard.press('Enter')
    await linkIn('Previous 7 days', 'Contract, clause 7').waitFor()

    await openMenu('Contract, clause 7')
    await page.getByRole('menuitem', { name: 'Archive' }).click()
    await column().getByRole('link', { name: 'Contract, clause 7' }).waitFor({ state: 'detached' })
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
    await linkIn('Previous 7 days', 'Contract, clause 7').waitFor()

    await openMenu('Contract, clause 7')
    await page.getByRole('menuitem', { name: 'Archive' }).click()
    await column().getByRole('link', { name: 'Contract, clause 7' }).waitFor({ state: 'detached' })
    await column().getByRole('link', { name: 'Archived conversations' }).click()
    const archived = page.getByRole('list', { name: 'Archived conversations' })
    await archived.getByRole('link', { name: 'Contract, clause 7' }).waitFor()
    await page.getByRole('button', { name: 'Unarchive' }).click()
    await page.getByText('No archived conversations').waitFor()

    await openMenu('Contract, clause 7')
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await column().getByRole('link', { name: 'Contract, clause 7' }).waitFor({ state: 'detached' })
    t.strictSame(faults, [])
  })

  await t.test('older conversations are read when somebody scrolls to them', async (t) => {
    for (let number = 1; number <= 60; number++) await create(`Old ${number}`, 100 + number)
    await page.goto('/chat')
    await linkIn('Today', 'Numbers').waitFor()
    const conversations = column().getByRole('group', { name: 'Conversations' })
    await eventually('the oldest conversation is listed', async () => {
      await conversations.getByRole('link').last().scrollIntoViewIfNeeded()
      return (
        (await column()
          .getByRole('link', { name: /^Old 60 / })
          .count()) > 0
      )
    })
    t.strictSame(faults, [])
  })

  await t.test('all settings are behind one entry, which leads back to the conversation', async (t) => {
    await page.goto(`/chat/${writer.id}/${trip}`)
    t.equal(await column().getByRole('link', { name: 'People' }).count(), 0)
    await column().getByRole('link', { name: 'Settings', exact: true }).click()
    const rail = page.getByRole('navigation', { name: 'Settings' })
    const administration = rail.getByRole('region', { name: 'Administration' })
    await administration.getByRole('link', { name: 'People' }).click()
    await page.getByRole('heading', { name: 'People', level: 1 }).waitFor()
    await rail.getByRole('region', { name: 'Your settings' }).getByRole('link', { name: 'Models' }).click()
    await page.getByRole('heading', { name: 'Models', level: 1 }).waitFor()
    await rail.getByRole('link', { name: 'Back to conversations' }).click()
    await page.getByRole('heading', { name: 'Trip to Norway', level: 1 }).waitFor()
    t.strictSame(faults, [])
  })

  await t.test('keys right after Ctrl-K are those of the palette', async (t) => {
    const field = page.getByRole('combobox', { name: 'Search or run a command' })
    for (const start of ['/chat', '/settings']) {
      await page.goto(start)
      await page.getByRole('navigation').first().waitFor()
      // All in one task of the page, before anything can be loaded or rendered later.
      await page.evaluate(
        `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', code: 'KeyK', ctrlKey: true, bubbles: true }))`,
      )
      await page.keyboard.type('trip')
      t.equal(await field.inputValue(), 'trip', start)
      await page.getByRole('option', { name: 'Trip to Norway', selected: true }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Trip to Norway', level: 1 }).waitFor()
    }
    await column().getByRole('button', { name: 'Search' }).click()
    await page.keyboard.type('usage')
    await page.getByRole('option', { name: 'Usage' }).first().waitFor()
    await page.keyboard.press('Escape')
    t.strictSame(faults, [])
  })

  await t.test('pages that an account may not use say whom to ask', async (t) => {
    const ada = await server.createUser({ username: 'ada' })
    const { page: other } = await openConsole(browser, url, { path: '/people', ...ada, username: 'ada' })
    await other
      .getByText('You do not have access to this page. Ask an administrator for the permission “People”.')
      .waitFor()
    await other.goto('/nothing')
    await other.getByText('This page does not exist.').waitFor()
    await other.goto('/knowledge')
    await other.getByText('Ask an administrator for the permission to create knowledge bases.').waitFor()
    await other.close()
    t.strictSame(faults, [])
  })

  await t.test('administrators do not see the untouched agents of everybody', async (t) => {
    await page.goto('/agents')
    await page.getByText('Everyone’s').click()
    const list = page.getByRole('list', { name: 'Agents' })
    await list.getByRole('link', { name: 'writer', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Show 1 unused default agent of another person' }).click()
    await list.getByText('from ada').waitFor()
    t.strictSame(faults, [])
  })

  await t.test('on phones the drawer focuses no field, and the bar begins a conversation', async (t) => {
    const { page: phone } = await openConsole(browser, url, {
      viewport: PHONE,
      path: '/settings',
    })
    const { hold, release } = createHold()
    await phone.route(/\/api\/agents(\?|$)/, (route) => hold.then(() => route.continue()))
    await phone.goto(`/chat/${writer.id}/${trip}`)
    await phone.getByRole('button', { name: 'Menu', exact: true }).click()
    await column(phone).getByRole('link', { name: 'Numbers' }).waitFor()
    release()
    await phone.getByPlaceholder('Message writer…').waitFor()
    const focused = () =>
      phone.evaluate(`document.activeElement.closest('[role=dialog]') && document.activeElement.tagName`)
    t.notMatch(await eventually('the drawer has the focus', focused), /INPUT|TEXTAREA/)
    await column(phone).getByRole('link', { name: 'Numbers' }).click()
    await phone.getByRole('heading', { name: 'Numbers' }).waitFor()
    await phone.getByRole('link', { name: 'New conversation', exact: true }).click()
    await phone.getByRole('textbox', { name: 'Message assistant…' }).waitFor()
    await phone.close()
  })

  await t.test(
    'the line about a lost connection leaves the title free, and goes when the page is back',
    async (t) => {
      const socket = page.waitForEvent('websocket').then((socket) => socket.waitForEvent('framereceived'))
      await page.goto(`/chat/${writer.id}/${trip}`)
      await socket
      const title = page.getByRole('heading', { name: 'Trip to Norway', level: 1 })
      await title.waitFor()
      await page.getByRole('textbox', { name: 'Message writer…' }).waitFor()
      const line = page.getByText('Reconnecting…')
      target = 'http://127.0.0.1:9'
      relay.cut()
      await line.waitFor()
      const [lineBox, titleBox] = [await line.boundingBox(), await title.boundingBox()]
      t.ok(titleBox!.y >= lineBox!.y + lineBox!.height, 'the line lies over the title')
      const tried = relay.opened
      await eventually('it was tried in vain', () => relay.opened > tried + 6)
      target = server.url
      await page.evaluate(`dispatchEvent(new Event('online'))`)
      await line.waitFor({ state: 'detached' })
      // A browser logs each attempt that failed.
      t.strictSame(
        faults.filter((fault) => !fault.startsWith('WebSocket connection to')),
        [],
      )
    },
  )
})
