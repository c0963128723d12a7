import type { Page } from 'playwright-core'
import t from '../run/file-test.ts'
import { ALL_RULES, findBarriers } from '../support/axe.ts'
import { createHold, startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'

const PHONE = { width: 390, height: 844 }

/** A call that asks an agent. */
const ask = (id: string, agent: string, task: string) => ({
  id,
  name: 'ask_agent',
  arguments: { agent, task },
})
const list = (id: string) => ({ id, name: 'ls', arguments: { path: '.' } })

t.test('asking other agents in a browser', { skip: noChromium }, async (t) => {
  const chat = await startChat(t)
  const { server, fake, agent_id } = chat
  const create = async (body: object) =>
    (await server.request('POST', '/agents', { body: { ...body } })).body.id as string
  await create({
    name: 'Market Research',
    description: 'Finds out what others charge',
    icon: 'compass',
    color: '#0f766e',
  })
  const archivist = await create({ name: 'Archivist', icon: 'scale', color: '#b45309' })
  await server.request('PUT', `/agents/${agent_id}/files/content?path=notes/market.md`, { body: 'Notes' })
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url, { path: `/chat/${agent_id}` })
  const composer = (on: Page = page) => on.getByRole('textbox', { name: /^(Message|给) ?assistant|发消息/ })
  const option = (name: string | RegExp, on: Page = page) => on.getByRole('option', { name })
  const text = () => composer().inputValue()
  const see = (words: string | RegExp, on: Page = page) => on.getByText(words).first().waitFor()

  await t.test('@ completes the names of other agents, by keys and by pointer', async (t) => {
    await composer().pressSequentially('Please @ma')
    await option(/^Market Research/).waitFor()
    t.equal(await option(/assistant/).count(), 0, 'an agent does not ask itself')
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    const active = () => composer().getAttribute('aria-activedescendant')
    t.equal(await active(), await option(/^Market Research/).getAttribute('id'))
    await page.keyboard.press('Escape')
    await option(/^Market Research/).waitFor({ state: 'detached' })
    t.equal(await active(), null)

    await page.keyboard.type('rket r')
    await option(/^Market Research/).waitFor()
    await page.keyboard.press('Enter')
    t.equal(await text(), 'Please @Market Research ', 'a name has spaces')
    await page.keyboard.type('and @')
    await option(/^Archivist/).waitFor()
    await page.keyboard.press('ArrowDown')
    t.equal(await option(/^Market Research/).getAttribute('aria-selected'), 'false')
    await option(/^Archivist/).hover()
    await page.keyboard.press('Tab')
    t.equal(await text(), 'Please @Market Research and @Archivist ')

    // In the middle of a text, the caret stays behind the name.
    await composer().fill('Hello  now')
    await page.keyboard.press('Home')
    for (let n = 0; n < 6; n += 1) await page.keyboard.press('ArrowRight')
    await page.keyboard.type('@arch')
    await option(/^Archivist/).click()
    await page.keyboard.type('x')
    t.equal(await text(), 'Hello @Archivist x now')
    await composer().fill('mail me@arch')
    await option(/^Archivist/).waitFor({ state: 'detached' })
    t.strictSame(faults, [])
  })

  await t.test('files of the workspace are still found', async (t) => {
    await composer().fill('Read @market')
    await option('notes/market.md').click()
    await page.getByRole('button', { name: 'Remove market.md' }).click()
    t.equal(await text(), 'Read ')
    t.strictSame(faults, [])
  })

  await t.test('an agent without the tool offers no agents', async (t) => {
    const toggle = (enabled: boolean) =>
      server.request('PATCH', `/agents/${agent_id}/tool-settings/ask_agent`, { body: { enabled } })
    await toggle(false)
    await page.reload()
    await composer().fill('Read @market')
    await option('notes/market.md').waitFor()
    t.equal(await option(/^Market Research/).count(), 0)
    await composer().fill('')
    await toggle(true)
    await page.reload()
    t.strictSame(faults, [])
  })

  await t.test('the steps of an agent that was asked are below its call, two levels deep', async (t) => {
    await server.request('PATCH', `/agents/${archivist}`, {
      body: { config: { tools_with_approval: ['ls'] } },
    })
    const hold = createHold()
    fake.next(
      { toolCalls: [ask('call_1', 'market research', 'What do **others** charge?')] },
      { toolCalls: [list('call_l'), ask('call_7', 'Archivist', 'Find the prices of last year.')] },
      { toolCalls: [list('call_9')] },
      { text: 'Nine euros.', hold: hold.hold, holdAfter: 0 },
      { text: 'Others charge **nine** euros.' },
      { text: 'Nine euros, says Market Research.' },
    )
    await composer().fill('@Market Research what do others charge? Not you@Archivist.')
    await page.keyboard.press('Enter')
    const bubble = page.getByRole('region', { name: 'Messages' }).getByText(/what do others charge/)
    await bubble.waitFor()
    t.strictSame(await bubble.locator('span').allTextContents(), ['@Market Research'])

    const card = page.getByRole('region', { name: 'Needs your approval' })
    await card.getByText('Requested by Archivist').waitFor()
    await page.reload()
    await card.getByText('Requested by Archivist').waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await card.getByRole('button', { name: /^Approve/ }).click()

    const outer = page.getByRole('button', { name: /^Ask Market Research/ })
    const inner = page.getByRole('button', { name: /^Ask Archivist/ })
    await outer.click()
    await inner.click()
    await page
      .getByRole('button', { name: /^List files/ })
      .nth(1)
      .waitFor()
    t.equal(await page.getByRole('button', { name: /^List files/ }).count(), 2)
    hold.release()
    await see('Nine euros, says Market Research.')
    await page.getByRole('button', { name: /^3 steps|^1 step/ }).waitFor()

    for (const reload of [false, true]) {
      if (reload) await page.reload()
      await page.getByRole('button', { name: /^1 step/ }).click()
      if ((await inner.count()) === 0) await outer.click()
      await see('Others charge nine euros.')
      await inner.click()
      await see('Find the prices of last year.')
      await see('Nine euros.')
      const steps = page.getByRole('button', { name: /^List files/ })
      await steps.nth(1).click()
      await page.getByRole('region', { name: 'Output' }).getByText('market').waitFor({ state: 'detached' })
      await page.getByRole('region', { name: 'Output' }).first().waitFor()
      await page.getByRole('button', { name: /^1 step/ }).click()
    }
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    t.strictSame(faults, [])
  })

  await t.test('by touch on a phone, in Chinese', async (t) => {
    const { page: phone, faults } = await openConsole(browser, url, {
      path: `/chat/${agent_id}`,
      viewport: PHONE,
      locale: 'zh-CN',
    })
    await composer(phone).fill('请@mark')
    await option(/^Market Research/, phone).click()
    t.equal(await composer(phone).inputValue(), '请@Market Research ')
    await phone.close()
    t.strictSame(faults, [])
  })
})
