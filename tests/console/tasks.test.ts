import { createFakeOpenAI } from '../../plugin-api/testing/fake-openai.ts'
import type { MessageDocument, ThreadDocument } from '../../plugins/conversations/chat/documents.ts'
import t from '../run/file-test.ts'
import { startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { countClicks } from '../support/clicks.ts'
import { openConsole } from '../support/console.ts'
import { startFake } from '../support/model-calls.ts'
import { drawPdf, show } from '../support/pdf-files.ts'
import { ADMIN, startServer } from '../support/server.ts'

const CONVERSATIONS = 5000
const MONTH_SECONDS = 31 * 86_400
/** The most rows of the list that are rendered before somebody scrolls. */
const MAX_FIRST_ROWS = 120

t.test('tasks by roles and visible words', { skip: noChromium }, async (t) => {
  const chat = await startChat(t)
  const { server, fake, agent_id } = chat
  const browser = await startChromium(t)
  const { page, faults } = await openConsole(browser, server.url, { path: `/chat/${agent_id}` })
  const clicks = await countClicks(page)
  const composer = page.getByRole('textbox', { name: 'Message assistant…' })
  const messages = page.getByRole('region', { name: 'Messages' })
  const see = (text: string) => messages.getByText(text, { exact: true }).first().waitFor()
  const ask = async (question: string, answer: string) => {
    fake.next({ text: [answer] })
    await composer.fill(question)
    await page.keyboard.press('Enter')
    await see(answer)
  }

  await t.test('a question about a PDF: 2 clicks', async (t) => {
    await composer.waitFor()
    await clicks.take()
    const chosen = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Attach files' }).click()
    const buffer = drawPdf([{ content: show([72, 700, 'The ferry leaves at nine.']) }])
    await (await chosen).setFiles({ name: 'ferry.pdf', mimeType: 'application/pdf', buffer })
    await page.getByRole('listitem').filter({ hasText: 'ferry.pdf' }).first().getByText('1 page').waitFor()
    fake.next({ text: ['At nine.'] })
    await composer.fill('When does the ferry leave?')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await see('At nine.')
    t.match(JSON.stringify(fake.requests.at(-1)!.body), /ferry\.pdf/)
    t.equal(await clicks.take(), 2)
  })

  await t.test('a message is edited and sent again: 2 clicks', async (t) => {
    await ask('Where is Olso?', 'There is no Olso.')
    await clicks.take()
    await page.getByRole('button', { name: 'Edit message' }).last().click()
    await page.getByRole('textbox', { name: 'Edit message' }).fill('Where is Oslo?')
    fake.next({ text: ['In Norway.'] })
    await messages.getByRole('button', { name: 'Send' }).click()
    await see('In Norway.')
    t.equal(await clicks.take(), 2)
  })

  await t.test('an answer is regenerated: 1 click', async (t) => {
    fake.next({ text: ['In the south of Norway.'] })
    await page.getByRole('button', { name: 'Regenerate', exact: true }).last().click()
    await see('In the south of Norway.')
    t.equal(await clicks.take(), 1)
  })

  await t.test('a link is shared: 2 clicks', async (t) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByText('Link copied.').waitFor()
    t.equal(await clicks.take(), 2)
    t.match(await page.evaluate<string>('navigator.clipboard.readText()'), /\/shared\//)
  })

  await t.test(
    `a sentence of last month is found among ${CONVERSATIONS} conversations: 1 click`,
    async (t) => {
      const said = 'Puffins return to Runde in April.'
      const socket = await chat.connect()
      fake.next({ text: [said] })
      const { thread_id } = await socket.ask({ text: 'When do the birds come back?' })
      socket.close()
      const threads = server.db.collection<ThreadDocument>('threads')
      const stored = server.db.collection<MessageDocument>('messages')
      const copied = (await threads.findOne({ _id: thread_id }))!
      const turn = await stored.find({ thread_id }).sort({ position: 1 }).toArray()
      await threads.updateOne({ _id: thread_id }, { $inc: { last_active: -MONTH_SECONDS } })
      await stored.updateMany({ thread_id }, { $inc: { timestamp: -MONTH_SECONDS * 1000 } })
      const numbers = Array.from({ length: CONVERSATIONS - 2 }, (_, index) => index)
      await threads.insertMany(
        numbers.map((n) => ({
          ...copied,
          _id: `${thread_id}-${n}`,
          session_key: `${copied.session_key}-${n}`,
          title: `Matter ${n}`,
          last_active: copied.last_active - n * 600,
        })),
      )
      await stored.insertMany(
        numbers.flatMap((n) =>
          turn.map((message) => ({
            ...message,
            _id: `${message._id}-${n}`,
            thread_id: `${thread_id}-${n}`,
            content: [{ type: 'text' as const, text: `About matter ${n}` }],
          })),
        ),
      )

      const requests: string[] = []
      page.on('request', (request) => requests.push(new URL(request.url()).pathname))
      await page.goto(`/chat/${agent_id}`)
      const column = page.getByRole('navigation', { name: 'Pages' })
      await column.getByRole('link', { name: 'Matter 1', exact: true }).waitFor()
      const list = column.getByRole('group', { name: 'Conversations' })
      t.ok(
        (await list.getByRole('listitem').count()) <= MAX_FIRST_ROWS,
        'a long list is not rendered as a whole',
      )
      t.ok(requests.filter((path) => path === '/api/threads').length <= 3)
      t.notOk(await list.getByText('When do the birds come back?').count(), 'too far below to be seen')

      await clicks.take()
      await page.keyboard.press('Control+k')
      await page.keyboard.type('puffins return')
      await page.getByRole('option', { name: /Puffins return to Runde/ }).click()
      await page.getByRole('heading', { name: 'When do the birds come back?', level: 1 }).waitFor()
      await page.locator('[data-jumped]').getByText(said).waitFor()
      t.equal(await clicks.take(), 1)
      t.strictSame(faults, [])
    },
  )
})

t.test('the first chat of a fresh server with a provider: 6 clicks', { skip: noChromium }, async (t) => {
  const server = await startServer(t)
  const key = 'sk-test-0123456789abcdef'
  const fake = await startFake(t, createFakeOpenAI({ apiKey: key, models: ['large'] }))
  const browser = await startChromium(t)
  const page = await browser.newPage({ baseURL: server.url, locale: 'en-US', reducedMotion: 'reduce' })
  page.setDefaultTimeout(30_000)
  await page.goto('/')
  const clicks = await countClicks(page)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await page.getByLabel('Username').fill(ADMIN.username)
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
  await page.keyboard.press('Enter')

  await page.getByLabel('New password').fill('7-quiet-lanterns')
  await page.keyboard.press('Enter')
  await button('Connect a model').click()
  await button('OpenAI-compatible').click()
  await page.getByLabel('URL').fill(fake.url)
  await page.getByLabel('API key').fill(key)
  await button('Add').click()
  await button('Next').click()
  await button('Save and continue').click()
  await button('Say hello').click()
  fake.next({ text: ['Good day.'] })
  await page.getByRole('textbox', { name: /^Message/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Good day.', { exact: true }).first().waitFor()
  t.equal(fake.requests.at(-1)!.body.model, 'large')
  t.equal(await clicks.take(), 6)
})
