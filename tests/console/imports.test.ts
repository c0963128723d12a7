import {
  archiveOf,
  chatGptConversation,
  chatGptMessage,
  claudeConversation,
} from '../plugins/conversations/import-archives.ts'
import t from '../run/file-test.ts'
import { ALL_RULES, findBarriers } from '../support/axe.ts'
import { startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]

const archive = archiveOf({
  'conversations-000.json': [
    chatGptConversation('c1', [
      chatGptMessage('user', ['Where is Oslo?']),
      chatGptMessage('assistant', ['Oslo is in **Norway**.']),
    ]),
    chatGptConversation('c2', []),
    { something: 'else' },
  ],
})

t.test('conversations are imported in a browser', { skip: noChromium }, async (t) => {
  const chat = await startChat(t)
  const { server } = chat
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url, { path: '/account' })
  const report = page.getByRole('list', { name: 'Report' })
  const choose = (name: string, content: Buffer) =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/zip', buffer: content })

  await t.test('the account leads to the page, which says where archives are', async (t) => {
    await page.getByRole('link', { name: 'Import conversations' }).click()
    await page.getByRole('heading', { name: 'Import conversations', level: 1 }).waitFor()
    await page.getByText('Next to “Export data”').waitFor()
    await page.getByText('Claude', { exact: true }).click()
    await page.getByText('open Settings → Privacy').waitFor()
    t.equal(await page.getByLabel('Agent').first().inputValue(), 'assistant')
    for (const size of SIZES) {
      await page.setViewportSize(size)
      t.strictSame(await findBarriers(page, ALL_RULES), [])
    }
    await page.setViewportSize(SIZES[0]!)
  })

  await t.test('an archive is uploaded, and its report is filtered', async (t) => {
    await choose('export.zip', archive)
    await report.getByText('Chat c1').waitFor()
    await page.getByText('1 imported').first().waitFor()
    await report.getByText('The entry has the form of no known conversation.').waitFor()
    for (const size of SIZES) {
      await page.setViewportSize(size)
      t.strictSame(await findBarriers(page, ALL_RULES), [])
    }
    await page.setViewportSize(SIZES[0]!)
    await page.getByRole('combobox', { name: 'Show' }).click()
    await page.getByRole('option', { name: '1 failed' }).click()
    await report.getByText('Chat c1').waitFor({ state: 'detached' })
    t.equal(await report.getByRole('listitem').count(), 1)
    await page.getByRole('combobox', { name: 'Show' }).click()
    await page.getByRole('option', { name: 'All (3)' }).click()
    await report.getByRole('link', { name: 'Chat c1' }).click()
    await page.getByText('Oslo is in Norway.').waitFor()
    await page.goBack()
    await report.waitFor()
  })

  await t.test('a file without conversations fails in words, and earlier imports are listed', async (t) => {
    await choose('photo.zip', archiveOf({ 'user.json': { id: 1 } }))
    await page.getByText('The file contains no conversations').waitFor()
    await page.getByRole('list', { name: 'Earlier imports' }).getByText('export.zip').click()
    await report.getByText('Chat c1').waitFor()
    await page.getByRole('button', { name: 'Delete report' }).click()
    await page.getByText('export.zip').waitFor({ state: 'detached' })
    t.strictSame(faults, [])
  })

  await t.test('a file is dropped on the page', async (t) => {
    const json = JSON.stringify([
      claudeConversation('d1', [
        { sender: 'human', text: 'Hi' },
        { sender: 'assistant', text: 'Hello' },
      ]),
    ])
    const data = await page.evaluateHandle((text) => {
      const { DataTransfer } = globalThis as unknown as {
        DataTransfer: new () => { items: { add(file: File): void } }
      }
      const transfer = new DataTransfer()
      transfer.items.add(new File([text], 'conversations.json', { type: 'application/json' }))
      return transfer
    }, json)
    await page.getByText('or drop a .zip or .json file here').dispatchEvent('drop', { dataTransfer: data })
    await report.getByText('Claude d1').waitFor()
    t.strictSame(faults, [])
  })
})
