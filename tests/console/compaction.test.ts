import t from '../run/file-test.ts'
import { ALL_RULES, chooseTheme, findBarriers } from '../support/axe.ts'
import { createHold, PROVIDER, startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'

const WINDOW = 10_000
const PHONE = { width: 390, height: 844 }

t.test('the window of the model, and summaries on request', { skip: noChromium }, async (t) => {
  const chat = await startChat(t)
  const { server, fake, agent_id } = chat
  const providers: { id: string; name: string }[] = (await server.request('GET', '/admin/providers')).body
  const { id } = providers.find(({ name }) => name === PROVIDER.name)!
  const models = [{ id: 'm', name: 'M', context_window: WINDOW }]
  t.equal((await server.request('PATCH', `/admin/providers/${id}`, { body: { models } })).status, 200)
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url, { path: `/chat/${agent_id}` })
  const composer = page.getByRole('textbox', { name: 'Message assistant…' })
  const gauge = page.getByRole('button', { name: /of what the model can read at once is used/ })
  const offer = page.getByRole('button', { name: 'Summarize now' })
  const line = page.getByRole('button', { name: '2 earlier messages were summarized for the model.' })
  const see = (text: string) => page.getByText(text).first().waitFor()
  /** Asks a question, whose answer uses a number of tokens in all. */
  const ask = async (question: string, tokens: number) => {
    const usage = { prompt_tokens: tokens - 100, completion_tokens: 100 }
    fake.next({ text: `Answer to ${question}`, usage })
    await composer.fill(question)
    await page.keyboard.press('Enter')
    await see(`Answer to ${question}`)
    await page.getByRole('button', { name: 'Regenerate', exact: true }).last().waitFor()
  }

  await t.test('the gauge appears at half, and offers a summary when little is left', async (t) => {
    await ask('one', 4900)
    t.equal(await gauge.count(), 0)
    await ask('two', 6200)
    await page.getByRole('button', { name: /^About 62%/ }).waitFor()
    t.equal(await offer.count(), 0)
    await gauge.click()
    await see('You still see every message.')
    await offer.waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await page.keyboard.press('Escape')
    await offer.waitFor({ state: 'detached' })
    await ask('three', 8800)
    await page.getByRole('button', { name: /^About 88%/ }).waitFor()
    await offer.waitFor()
    for (const theme of ['light', 'dark'] as const) {
      await chooseTheme(page, theme)
      t.strictSame(await findBarriers(page, ALL_RULES), [], theme)
    }
    await chooseTheme(page, 'light')
    t.strictSame(faults, [])
  })

  await t.test('a summary is made in sight, unfolds, and is still there after a reload', async (t) => {
    const hold = createHold()
    fake.next({ text: '- You **asked** one.', hold: hold.hold, holdAfter: 0 })
    await offer.click()
    await see('Summarizing earlier messages…')
    hold.release()
    await line.waitFor()
    t.equal(await gauge.count(), 0, 'the last answer no longer says how full the window is')
    t.match(JSON.stringify(fake.requests.at(-1)!.body.messages), /Answer to one/)
    for (const reload of [false, true]) {
      if (reload) await page.reload()
      await line.click()
      await page.getByRole('region', { name: 'Summary' }).getByText('asked').waitFor()
    }
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await ask('four', 5500)
    const prompt = JSON.stringify(fake.requests.at(-1)!.body.messages)
    t.match(prompt, /You \*\*asked\*\* one/)
    t.notMatch(prompt, /Answer to one/)
    await see('Answer to one')
    await page.getByRole('button', { name: /^About 55%/ }).waitFor()
    t.strictSame(faults, [])
  })

  await t.test('/compact does the same, and says why it cannot', async (t) => {
    fake.next({ text: 'You asked two things.' })
    await composer.fill('/comp')
    await page.getByRole('option', { name: 'Summarize earlier messages' }).waitFor()
    await page.keyboard.press('Enter')
    await page
      .locator('[data-index]')
      .last()
      .getByRole('button', { name: /^2 earlier messages/ })
      .click()
    await page.getByRole('region', { name: 'Summary' }).getByText('two things').waitFor()
    await composer.fill('/compact')
    await page.getByRole('option', { name: 'Summarize earlier messages' }).click()
    await see('There is nothing to summarize')
    t.equal(await composer.inputValue(), '')
    t.strictSame(faults, [])
  })

  await t.test('on a phone, in Chinese', async (t) => {
    await ask('five', 9000)
    const { page: phone, faults } = await openConsole(browser, url, {
      path: new URL(page.url()).pathname,
      viewport: PHONE,
      locale: 'zh-CN',
    })
    await phone.getByRole('button', { name: /已使用模型一次可读取内容的约 90%/ }).click()
    await phone.getByText('总结之前的消息可以腾出空间').waitFor()
    t.strictSame(await findBarriers(phone, ALL_RULES), [])
    fake.next({ text: '摘要。' })
    await phone.getByRole('button', { name: '立即总结' }).last().click()
    await phone
      .getByText(/之前的 \d+ 条消息已总结后提供给模型。/)
      .first()
      .click()
    await phone.getByRole('region', { name: '摘要' }).getByText('摘要。').waitFor()
    await phone.close()
    t.strictSame(faults, [])
  })
})
