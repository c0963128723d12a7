import t from '../run/file-test.ts'
import { PROVIDER, startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'

t.test('versions in a browser', { skip: noChromium }, async (t) => {
  const chat = await startChat(t)
  const { fake, server } = chat
  const other = {
    ...PROVIDER,
    name: 'other',
    base_url: fake.url,
    models: [{ id: 'm', name: 'Second model' }],
  }
  await server.request('POST', '/admin/providers', { body: other })
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url, { path: `/chat/${chat.agent_id}` })

  const composer = page.getByRole('textbox', { name: 'Message assistant…' })
  const ask = async (question: string, answer: string) => {
    fake.next({ text: answer })
    await composer.fill(question)
    await page.keyboard.press('Enter')
    await see(answer)
  }
  const see = (text: string, on = page) => on.getByText(text, { exact: true }).first().waitFor()
  const isShown = (text: string) => page.getByText(text, { exact: true }).locator('visible=true').count()
  const log = page.getByRole('region', { name: 'Messages' })

  await t.test('a message is edited and sent again in two clicks', async (t) => {
    await ask('Where is Olso?', 'There is no Olso.')
    await ask('And Bergen?', 'In the west.')
    await page.getByRole('button', { name: 'Edit message' }).first().click()
    const editor = page.getByRole('textbox', { name: 'Edit message' })
    t.equal(await editor.inputValue(), 'Where is Olso?')
    await editor.fill('Where is Oslo?')
    fake.next({ text: 'In Norway.' })
    await page.getByRole('button', { name: 'Send' }).first().click()
    await see('In Norway.')
    t.equal(await isShown('And Bergen?'), 0, 'what followed belongs to the other version')
    await see('2/2')
  })

  await t.test('the other version is one click away, in every open page', async (t) => {
    const second = await openConsole(browser, url, { path: new URL(page.url()).pathname })
    await see('In Norway.', second.page)
    await page.getByRole('button', { name: 'Previous version' }).click()
    await see('And Bergen?')
    await see('In the west.', second.page)
    await see('1/2', second.page)
    await page.getByRole('button', { name: 'Next version' }).click()
    await see('2/2')
    t.equal(await isShown('And Bergen?'), 0)
    await second.page.close()
  })

  await t.test('an answer is written anew by one click, and by another model', async (t) => {
    fake.next({ text: 'In the north.' })
    await page.getByRole('button', { name: 'Regenerate', exact: true }).click()
    await see('In the north.')
    t.equal(await isShown('In Norway.'), 0)
    t.equal(await log.getByText('Where is Oslo?', { exact: true }).count(), 1)

    fake.next({ text: 'By a fjord.' })
    await page.getByRole('button', { name: 'Regenerate with another model' }).click()
    await page.getByRole('option', { name: /Second model/ }).click()
    await see('By a fjord.')
    await see('3/3')
    await page.reload()
    await see('By a fjord.')
    await see('3/3')
    await page.getByRole('button', { name: 'Previous version' }).last().click()
    await see('In the north.')
  })

  await t.test('an edit can be cancelled by Escape', async (t) => {
    await page.getByRole('button', { name: 'Edit message' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('textbox', { name: 'Edit message' }).waitFor({ state: 'detached' })
    t.strictSame(faults, [])
  })
})
