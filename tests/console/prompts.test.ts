import type { Page } from 'playwright-core'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import t from '../run/file-test.ts'
import { startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'

t.test('saved prompts in a browser', { skip: noChromium }, async (t) => {
  const chat = await startChat(t)
  const { server, fake, agent_id } = chat
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url, { path: '/prompts' })
  const sheet = page.getByRole('dialog')
  const composer = (on: Page = page) => on.getByRole('textbox', { name: 'Message assistant…' })
  const listed = async () => (await server.request('GET', '/prompts')).body
  const suggestion = (name: string) => page.getByRole('option', { name: new RegExp(`/${name}$`) })

  await t.test('a prompt is written with a preview, found, shared, changed and deleted', async (t) => {
    await page.getByText('No prompts yet').waitFor()
    await page.getByRole('button', { name: 'New prompt' }).first().click()
    t.equal(await sheet.getByRole('button', { name: 'Save' }).isDisabled(), true)
    await sheet.getByLabel('Name').fill('weekly report')
    await sheet.getByLabel('Description').fill('For Monday')
    await sheet.getByLabel('Text').fill('Report on {{team}} for {{team}}, {{date}}, not {{ }}.')
    await sheet
      .getByRole('region', { name: 'Preview' })
      .locator('mark', { hasText: 'team' })
      .first()
      .waitFor()
    t.equal(await sheet.locator('mark').count(), 3)
    await sheet.getByRole('button', { name: 'Save' }).click()
    await sheet.waitFor({ state: 'detached' })
    const [prompt] = await listed()
    t.match(prompt, { name: 'weekly-report', description: 'For Monday', shared: false })

    await page.getByRole('button', { name: 'New prompt' }).click()
    await sheet.getByLabel('Name').fill('Weekly-Report')
    await sheet.getByLabel('Text').fill('Other')
    await sheet.getByRole('button', { name: 'Save' }).click()
    await sheet.getByRole('alert').getByText('A prompt named "Weekly-Report" already exists.').waitFor()
    await sheet.getByLabel('Name').fill('other')
    await sheet.getByRole('button', { name: 'Save' }).click()
    await sheet.waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Actions for weekly-report' }).click()
    await page.getByRole('menuitem', { name: 'Share…' }).click()
    await sheet.getByLabel('Access: Everyone on this server').selectOption('Can use')
    await sheet.getByRole('button', { name: 'Save' }).click()
    await sheet.waitFor({ state: 'detached' })
    t.equal((await listed()).find(({ name }: { name: string }) => name === 'weekly-report').shared, true)

    await page.getByRole('button', { name: '/other' }).click()
    await sheet.getByLabel('Description').fill('Another one')
    await sheet.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Another one').waitFor()
    await page.getByRole('searchbox', { name: 'Search in Prompts' }).fill('another')
    await page.getByRole('button', { name: '/weekly-report' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Actions for other' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await sheet.getByRole('button', { name: 'Delete' }).click()
    await sheet.waitFor({ state: 'detached' })
    t.equal((await listed()).length, 1)
    t.strictSame(faults, [])
  })

  await t.test(
    'a prompt without variables fills the composer, and one with variables asks for them',
    async (t) => {
      await server.request('POST', '/prompts', { body: { name: 'greeting', text: 'Say hello on {{date}}' } })
      await page.goto(`/chat/${agent_id}`)
      await composer().fill('/greet')
      await suggestion('greeting').waitFor()
      await page.keyboard.press('Enter')
      const today = new Intl.DateTimeFormat('en', { dateStyle: 'long' }).format()
      await eventually('the text', async () => (await composer().inputValue()) === `Say hello on ${today}`)

      // The description is searched as well as the name.
      await composer().fill('/monday')
      await suggestion('weekly-report').click()
      const form = page.getByRole('form', { name: 'Fill in /weekly-report' })
      await form.getByLabel('team').fill('Sales {{date}}')
      await form.getByText('Sales').first().waitFor()
      await page.keyboard.press('Enter')
      await form.waitFor({ state: 'detached' })
      const text = `Report on Sales {{date}} for Sales {{date}}, ${today}, not {{ }}.`
      t.equal(await composer().inputValue(), text, 'a value is not read as a variable')
      fake.next({ text: 'Reported.' })
      await page.keyboard.press('Enter')
      await page.getByText('Reported.').first().waitFor()
      t.match(JSON.stringify(fake.requests.at(-1)!.body.messages.at(-1)), /Report on Sales/)

      await composer().fill('/weekly')
      await suggestion('weekly-report').click()
      await form.getByLabel('team').press('Escape')
      await form.waitFor({ state: 'detached' })
      t.equal(await page.evaluate('document.activeElement.name'), 'message', 'the composer has the focus')
      t.strictSame(faults, [])
    },
  )

  await t.test('a message and a draft are saved as prompts', async (t) => {
    await page
      .getByText(/^Report on Sales/)
      .first()
      .hover()
    await page.getByRole('button', { name: 'Save as prompt' }).first().click()
    t.match(await sheet.getByLabel('Text').inputValue(), /^Report on Sales/)
    await sheet.getByLabel('Name').fill('from-message')
    await sheet.getByRole('button', { name: 'Save' }).click()
    await sheet.waitFor({ state: 'detached' })
    await composer().fill('A draft')
    await page.getByRole('button', { name: 'Save as prompt' }).last().click()
    t.equal(await sheet.getByLabel('Text').inputValue(), 'A draft')
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    t.equal(await composer().inputValue(), 'A draft')
    t.strictSame(faults, [])
  })

  await t.test('others use what is shared, and cannot change it', async (t) => {
    const ben = await server.createUser({ username: 'ben' })
    const { page: guest, faults } = await openConsole(browser, url, {
      ...ben,
      path: '/prompts',
      viewport: { width: 390, height: 844 },
      locale: 'zh-CN',
    })
    await guest.getByText('来自 admin').waitFor()
    t.equal(await guest.getByRole('button', { name: /weekly-report/ }).count(), 1)
    await guest.getByRole('button', { name: '/weekly-report' }).click()
    await guest.getByRole('dialog').getByRole('button', { name: '另存一份' }).click()
    await guest.getByRole('dialog').getByLabel('名称').fill('我的周报')
    await guest.getByRole('dialog').getByRole('button', { name: '保存' }).click()
    await guest.getByRole('button', { name: '/我的周报' }).waitFor()
    await guest.close()
    t.strictSame(faults, [])
  })

  await t.test('a list of prompts that cannot be read says so, and the actions still work', async (t) => {
    await page.route('**/api/prompts?*', (route) => route.abort())
    await page.goto(`/chat/${agent_id}`)
    await composer().fill('/')
    await page.getByText('Saved prompts cannot be loaded.').waitFor()
    await page.getByRole('option', { name: 'Attach files' }).waitFor()
    await page.unrouteAll()
    t.strictSame(faults, [])
  })
})
