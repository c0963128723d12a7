import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../run/file-test.ts'
import { ALL_RULES, findBarriers } from '../support/axe.ts'
import { startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'
import { pluginSource } from '../support/kernel.ts'

/** A reader of `.slow` files, each of which names a file that it waits for. */
const SLOW_READER = `
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
async function read({ path }) {
  const gate = readFileSync(path, 'utf8')
  while (!existsSync(gate)) await pause(20)
  const lines = Array(40).fill('A line of the report').join('\\n')
  return { pages: [1, 2, 3, 4, 5, 6, 7, 8, 9].map((page) => ({ page, text: 'This is page ' + page + '.\\n' + lines })) }
}
const reader = { name: 'slow', media_types: [], extensions: ['slow'], read }
${pluginSource('slow', `host.extend('documents.readers', reader)`, "depends: ['documents'],")}`

const readCorpus = (path: string) => readFileSync(join('bench/corpus', path))

t.test('documents in a chat', { skip: noChromium }, async (t) => {
  const folder = t.testdir()
  const chat = await startChat(t, { plugins: { slow: SLOW_READER } })
  const { server, fake, agent_id } = chat
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url, { path: `/chat/${agent_id}` })
  const attach = (name: string, buffer: Buffer) =>
    page
      .locator('main input[type=file]')
      .first()
      .setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
  const chip = (name: string) => page.getByRole('listitem').filter({ hasText: name }).first()
  const begin = () => page.getByRole('link', { name: 'New conversation with assistant' }).click()
  const say = async (text: string) => {
    await page.getByRole('textbox', { name: 'Message assistant…' }).fill(text)
    await page.keyboard.press('Enter')
  }
  const panel = page.getByRole('complementary', { name: 'Files and sources' })
  const open = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const isInView = async (text: string) =>
    (await page.getByText(text, { exact: true }).boundingBox())!.y < page.viewportSize()!.height

  await t.test('the card for a document lets the person choose it', async (t) => {
    const opened = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: /^Summarize a document/ }).click()
    await (await opened).setFiles({
      name: 'letter.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Hello'),
    })
    await page.getByRole('button', { name: 'Remove letter.txt' }).click()
    t.match(await page.getByRole('textbox', { name: 'Message assistant…' }).inputValue(), /^Summarize/)
    t.strictSame(faults, [])
  })

  await t.test('a draft says what is known of its documents, and why some cannot be read', async (t) => {
    await attach('scan.pdf', readCorpus('pdf/scan-two-pages.pdf'))
    await attach('old.doc', readCorpus('refused/minutes.doc'))
    await attach('slides.pptx', readCorpus('pptx/en-minutes.pptx'))
    await chip('scan.pdf').getByText('Scan, no text').waitFor()
    await chip('old.doc').getByText('Cannot be read').waitFor()
    await chip('slides.pptx').getByText('2 pages').waitFor()
    await page.getByText('scan.pdf: This document has no text.').waitFor()
    await page.getByText('Save it as DOCX or PDF.').waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await page.getByRole('button', { name: 'Remove old.doc' }).click()
    await page.getByText('Save it as DOCX or PDF.').waitFor({ state: 'detached' })
    for (const name of ['scan.pdf', 'slides.pptx'])
      await page.getByRole('button', { name: `Remove ${name}` }).click()
    t.strictSame(faults, [])
  })

  await t.test('a document that is still read after a reload shows its pages then', async (t) => {
    const gate = join(folder, 'first')
    await attach('first.slow', Buffer.from(gate))
    await chip('first.slow').getByText('Reading…').waitFor()
    await page.reload()
    await chip('first.slow').getByText('Reading…').waitFor()
    writeFileSync(gate, '')
    await chip('first.slow').getByText('9 pages').waitFor()
    await page.getByRole('button', { name: 'Remove first.slow' }).click()
    t.strictSame(faults, [])
  })

  await t.test('a message says that it waits for a document; the answer links to a page of it', async (t) => {
    const gate = join(folder, 'second')
    await attach('report.slow', Buffer.from(gate))
    await chip('report.slow').getByText('Reading…').waitFor()
    fake.next({
      text: 'It is on [p. 7](inbound/report.slow#page=7), not in [a file](inbound/none.pdf#page=2).',
    })
    await say('Where is it?')
    await page.getByText('Reading the documents…').waitFor()
    writeFileSync(gate, '')
    await open('p. 7')
    await panel.getByText('This is page 7.').waitFor()
    await panel.getByRole('heading', { name: 'Page 7 of 9' }).waitFor()
    t.ok(await isInView('This is page 7.'), 'the page is scrolled to')
    t.notOk(await isInView('This is page 9.'))
    await open('a file')
    await panel.getByText('none.pdf does not exist.').waitFor()
    t.strictSame(faults, [])
  })

  await t.test('documents of all kinds are shown as text, and only links to files open them', async (t) => {
    await begin()
    const contents = {
      'zh-minutes.docx': 'docx/zh-minutes.docx',
      'quarters.xlsx': 'xlsx/quarters.xlsx',
      'sheet.csv': 'csv/zh-minutes-gb18030.csv',
      'contract.txt': 'text/zh-contract-utf-16-le.txt',
      '会议 纪要.docx': 'docx/zh-minutes.docx',
    }
    for (const [name, path] of Object.entries(contents)) {
      await attach(name, readCorpus(path))
      await chip(name).waitFor()
    }
    const path = 'inbound/%E4%BC%9A%E8%AE%AE%20%E7%BA%AA%E8%A6%81.docx'
    fake.next({
      text: `See [会议](${path}), [a site](example.com/a.pdf), [the web](https://example.com/a.pdf).`,
    })
    await say('Compare them')
    await page.getByRole('link', { name: 'the web' }).waitFor()
    t.equal(await page.getByRole('button', { name: 'a site' }).count(), 0, 'a site is no file')
    const texts = {
      'zh-minutes.docx': '项目例会会议纪要',
      'quarters.xlsx': 'Noord',
      'sheet.csv': '编制预算',
      'contract.txt': '房屋租赁合同',
      会议: '项目例会会议纪要',
    }
    for (const [name, text] of Object.entries(texts)) {
      await page
        .getByRole('button', { name: new RegExp(`^${name}`) })
        .first()
        .click()
      await panel.getByText(text).first().waitFor()
      t.strictSame(await findBarriers(page, ALL_RULES), [], name)
    }
    t.strictSame(faults, [])
  })

  await t.test('a browser with a viewer shows a PDF in a frame, at the page', async (t) => {
    await page.addInitScript('Object.defineProperty(navigator, "pdfViewerEnabled", { value: true })')
    await page.reload()
    await begin()
    await attach('contract.pdf', readCorpus('pdf/table-two-pages.pdf'))
    await chip('contract.pdf').getByText('2 pages').waitFor()
    fake.next({ text: 'On [p. 2](inbound/contract.pdf#page=2).' })
    await say('Where?')
    await open('p. 2')
    const frame = panel.locator('iframe[title="contract.pdf"]')
    t.match(await frame.getAttribute('src'), /^blob:.*#.*page=2$/)
    t.strictSame(faults, [])
  })

  await t.test('the files of the agent are shown as text, with their pages', async (t) => {
    await page.goto(`/agents/${agent_id}/files?path=inbound`)
    await page
      .getByText(/^2 pages/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'quarters.xlsx', exact: true }).click()
    await page.getByRole('dialog').getByText('Noord').first().waitFor()
    t.strictSame(faults, [])
  })
})
