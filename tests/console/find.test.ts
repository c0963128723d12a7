import type { Page } from 'playwright-core'
import t from '../run/file-test.ts'
import { createHold, startChat } from '../support/chat.ts'
import { seedThread } from '../support/chat-seed.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole } from '../support/console.ts'

t.test('finding conversations in a browser', { skip: noChromium }, async (t) => {
  const chat = await startChat(t)
  const { server, agent_id, fake } = chat
  const browser = await startChromium(t)
  const { page, faults } = await openConsole(browser, server.url, { path: `/chat/${agent_id}` })
  const say = async (text: string, answer: string, thread_id?: string) => {
    fake.next({ text: [answer] })
    const socket = await chat.connect()
    const turn = await socket.ask({ text, ...(thread_id && { thread_id }) })
    socket.close()
    return turn.thread_id
  }
  const long = await seedThread(chat, 150)
  const { messages } = await chat.history(long, '?limit=200')
  const train = await say('Which train goes to Bergen?', 'The night train leaves at 23:03.')
  await server.call('PATCH', `/agents/${agent_id}/threads/${train}`, { title: 'Trip to Norway' })

  const isInView = (on: Page, text: string) =>
    on.getByRole('region', { name: 'Messages' }).getByText(text).first().waitFor()

  await t.test('the palette finds a sentence, and Enter opens it', async (t) => {
    await page.keyboard.press('Control+k')
    await page.keyboard.type('night train leaves')
    await page.getByRole('group', { name: 'Messages' }).getByRole('option', { name: /23:03/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Trip to Norway', level: 1 }).waitFor()
    await isInView(page, 'The night train leaves at 23:03.')
    t.match(page.url(), /\?message=msg_/)
    t.strictSame(faults, [])
  })

  await t.test('a message far above is loaded, shown and marked', async (t) => {
    await page.goto(`/chat/${agent_id}/${long}?message=${messages[0].id}`)
    await page.locator('[data-jumped]').waitFor()
    const box = await page.locator('[data-jumped]').boundingBox()
    t.ok(box!.y >= 0 && box!.y < 400, `at ${box!.y}`)
    await page.goto(`/chat/${agent_id}/${train}?message=msg_of_another_version`)
    await page.getByText('This message is no longer in the conversation.').waitFor()
    t.strictSame(faults, [])
  })

  await t.test('a message of a version that is not shown is found, and its version is chosen', async (t) => {
    const thread_id = await say('Where do puffins nest?', 'Puffins nest on Runde.')
    const [, { id: answer }] = (await chat.history(thread_id)).messages
    const regenerate = async (text: string, holding: object = {}) => {
      fake.next({ text: [text], ...holding })
      const { status } = await chat.threads('POST', `/${thread_id}/turns`, { body: { regenerate: answer } })
      t.equal(status, 202)
    }
    await regenerate('Mostly in the west.')
    const shown = page.getByRole('region', { name: 'Messages' })
    await page.goto(`/chat/${agent_id}/${thread_id}`)
    await shown.getByText('Mostly in the west.').waitFor()

    await page.keyboard.press('Control+k')
    await page.keyboard.type('puffins runde')
    await page.getByRole('option', { name: /nest on Runde/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('[data-jumped]').getByText('Puffins nest on Runde.').waitFor()
    await shown.getByText('1/2').waitFor()

    const { hold, release } = createHold()
    await regenerate('They are rare.', { hold })
    await page.goto(`/chat/${agent_id}/${thread_id}?message=${answer}`)
    await page.getByText('This message is in another version. You can switch to it').waitFor()
    release()
    await shown.getByText('They are rare.').waitFor()
    await page.route('**/path', (route) => route.abort())
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('The message could not be shown.').waitFor()
    await page.unroute('**/path')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('[data-jumped]').getByText('Puffins nest on Runde.').waitFor()
    t.strictSame(faults, [])
  })

  await t.test('the page of the search filters, groups, and keeps its words in the address', async (t) => {
    await page.goto('/search')
    const field = page.getByRole('searchbox', { name: 'Search titles and messages' })
    await field.fill('train')
    const results = page.getByRole('list', { name: 'Results' })
    await results.getByRole('link', { name: /night train leaves/ }).waitFor()
    await page.waitForURL(/q=train/)
    await page.getByText('By message').click()
    t.ok((await results.getByText('Trip to Norway').count()) > 1)
    await page.getByLabel('To', { exact: true }).fill('2020-01-01')
    await page.getByText('No results for “train”').waitFor()
    await page.reload()
    await page.getByText('No results for “train”').waitFor()
    t.equal(await field.inputValue(), 'train')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await results.getByRole('link', { name: /night train leaves/ }).click()
    await page.getByRole('heading', { name: 'Trip to Norway', level: 1 }).waitFor()
    t.strictSame(faults, [])
  })

  await t.test('what another tab changes is shown at once, without reading the lists again', async (t) => {
    await page.goto('/search')
    const column = page.getByRole('navigation', { name: 'Pages' })
    await column.getByRole('link', { name: 'Trip to Norway' }).waitFor()
    const lists: string[] = []
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/api/threads') lists.push(request.url())
    })
    const change = (body: object) => server.call('PATCH', `/agents/${agent_id}/threads/${train}`, body)
    const rows = column.getByRole('group', { name: 'Conversations' }).getByRole('listitem')
    const count = await rows.count()

    await change({ title: 'Journey to Norway', pinned: true })
    await column.getByRole('region', { name: 'Pinned' }).getByText('Journey to Norway').waitFor()
    await change({ archived: true })
    await column.getByText('Journey to Norway').waitFor({ state: 'detached' })
    await change({ archived: false, title: 'Trip to Norway', pinned: false })
    await column.getByRole('link', { name: 'Trip to Norway' }).waitFor()
    const fresh = await say('Which ferry is the last one?', 'The ferry at nine.')
    await rows.first().getByText('Which ferry is the last one?').waitFor()
    t.equal(await rows.count(), count + 1)
    await server.call('DELETE', `/agents/${agent_id}/threads/${fresh}`)
    await column.getByText('Which ferry is the last one?').waitFor({ state: 'detached' })
    t.strictSame(lists, [])
    t.strictSame(faults, [])
  })

  await t.test('a project is made, gets conversations, and is deleted', async (t) => {
    const column = page.getByRole('navigation', { name: 'Pages' })
    await column.getByRole('button', { name: 'Create project' }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByLabel('Name').fill('Norway')
    await sheet.getByLabel('Instructions').fill('Prices are in euros.')
    await sheet.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Norway', level: 1 }).waitFor()
    await page.getByText('Prices are in euros.').waitFor()

    await page.getByRole('button', { name: 'Actions for Norway' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await sheet.getByLabel('Instructions').fill('Prices are in kroner.')
    await sheet.getByRole('button', { name: 'Save' }).click()
    await sheet.waitFor({ state: 'detached' })
    await page.getByText('Prices are in kroner.').waitFor()

    await page.getByRole('main').getByRole('link', { name: 'New conversation' }).click()
    fake.next({ text: ['By train.'] })
    await page.getByRole('textbox', { name: 'Message assistant…' }).fill('How do we get there?')
    await page.keyboard.press('Enter')
    await isInView(page, 'By train.')
    t.match(JSON.stringify(fake.requests.at(-1)), /Prices are in kroner/, 'the instructions of the project')

    await column.getByRole('link', { name: 'Trip to Norway' }).hover()
    await column.getByRole('button', { name: 'Actions for Trip to Norway' }).click()
    await page.getByRole('menuitem', { name: 'Move to project' }).hover()
    await page.getByRole('menuitem', { name: 'Norway', exact: true }).click()
    await page.getByText('Moved to Norway').waitFor()
    await column.getByRole('link', { name: 'Norway', exact: true }).click()
    const list = page.getByRole('list', { name: 'Conversations' })
    await list.getByRole('link', { name: 'Trip to Norway' }).waitFor()
    t.equal(await list.getByRole('listitem').count(), 2)

    await page.getByRole('button', { name: 'Actions for Norway' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No projects yet').waitFor()
    await column.getByRole('link', { name: 'Trip to Norway' }).waitFor()
    t.strictSame(faults, [])
  })
})
