import { readFile } from 'node:fs/promises'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import t from '../run/file-test.ts'
import { ALL_RULES, findBarriers } from '../support/axe.ts'
import { startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'

t.test('ratings in a browser', { skip: noChromium }, async (t) => {
  const chat = await startChat(t)
  const { fake, server } = chat
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url, { path: `/chat/${chat.agent_id}` })
  const votes = async (): Promise<Record<string, unknown>[]> =>
    (await server.request('GET', '/admin/feedback')).body
  const up = page.getByRole('button', { name: 'Good answer' })
  const down = page.getByRole('button', { name: 'Bad answer' })
  const isPressed = (button: typeof up) => button.getAttribute('aria-pressed')

  await t.test('an answer is rated with one click, and not with the next', async (t) => {
    fake.next({ text: 'In Norway.' })
    await page.getByRole('textbox', { name: 'Message assistant…' }).fill('Where is Oslo?')
    await page.keyboard.press('Enter')
    await page.getByText('In Norway.', { exact: true }).first().waitFor()
    await up.click()
    await page.getByText('Administrators can read this question and answer', { exact: false }).waitFor()
    t.equal(await isPressed(up), 'true')
    t.match(await votes(), [{ value: 1, question: 'Where is Oslo?', answer: 'In Norway.' }])
    t.equal(await up.count(), 1, 'questions have no thumbs')
    await up.click()
    await page.getByText('Rating removed').waitFor()
    t.equal(await isPressed(up), 'false')
    t.strictSame(await votes(), [])
  })

  await t.test('a bad answer is explained by keyboard', async (t) => {
    await down.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'What is wrong with this answer?' })
    await dialog.waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await dialog.getByLabel('Incomplete').focus()
    await page.keyboard.press('Space')
    await dialog.getByRole('textbox').fill('Which county?')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await eventually('the remarks are stored', async () => (await votes())[0]?.comment === 'Which county?')
    t.match(await votes(), [{ value: -1, reasons: ['incomplete'] }])
    t.equal(await isPressed(down), 'true')
  })

  await t.test('ratings are shown when the conversation is opened again', async (t) => {
    await page.reload()
    await page.locator('button[aria-pressed=true][aria-label="Bad answer"]').waitFor()
    await up.click()
    await page.locator('button[aria-pressed=true][aria-label="Good answer"]').waitFor()
    t.equal(await isPressed(down), 'false')
    await down.click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    t.match(await votes(), [{ value: -1, reasons: [], comment: null }], 'Escape skips the reasons')
    await page.getByRole('button', { name: 'Bad answer' }).and(page.locator(':focus')).waitFor()
  })

  await t.test('administrators filter and download ratings', async (t) => {
    await page.goto('/feedback')
    await page.getByText('admin · assistant · fake:m').waitFor()
    await page.getByText('Question and answer').click()
    await page.getByText('In Norway.').waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await page.getByLabel('Rating').selectOption('Good answers')
    await page.getByText('No ratings match.').waitFor()
    await page.getByLabel('Rating').selectOption('Bad answers')
    await page.getByText('admin · assistant · fake:m').waitFor()
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    const download = await downloading
    t.equal(download.suggestedFilename(), 'feedback.csv')
    t.match(await readFile(await download.path(), 'utf8'), /Where is Oslo\?,In Norway\./)
  })

  await t.test('the words are Chinese for Chinese people, and the page is not for everybody', async (t) => {
    const { username, password } = await server.createUser({ username: 'li' })
    const open = (account: object) =>
      openConsole(browser, url, { path: '/feedback', locale: 'zh-CN', ...account })
    const { page: admin } = await open({})
    await admin.getByRole('heading', { name: '回答评价' }).waitFor()
    await admin.getByText('提问和回答').waitFor()
    await admin.close()
    const { page: other } = await open({ username, password })
    await other.getByRole('link').first().waitFor()
    t.equal(await other.getByText('回答评价').count(), 0)
    await other.close()
  })

  t.strictSame(faults, [])
})
