import type { Page } from 'playwright-core'
import t from '../run/file-test.ts'
import { ALL_RULES, findBarriers } from '../support/axe.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole } from '../support/console.ts'
import { startServer } from '../support/server.ts'

t.test('what an expert lacks, in a browser', { skip: noChromium }, async (t) => {
  const server = await startServer(t)
  const { token, username, password } = await server.createUser({ username: 'mei' })
  const browser = await startChromium(t)
  const create = (owner?: string): Promise<{ id: string }> =>
    server.call('POST', '/agents/from-expert/research-assistant', { name: 'research' }, owner)
  const agents = { admin: await create(), mei: await create(token) }
  const open = (who: 'admin' | 'mei', options: object = {}) =>
    openConsole(browser, server.url, {
      path: `/chat/${agents[who].id}`,
      ...(who === 'mei' && { username, password }),
      ...options,
    })
  const card = (page: Page, name: RegExp) => page.getByRole('button', { name })

  await t.test('people read what is missing and whom to ask, and use what works', async (t) => {
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
    ]) {
      const { page, faults } = await open('mei', { viewport })
      await page.getByText('Needs web search. Ask your administrator to set it up.').waitFor()
      await page.getByText('Find sources').waitFor()
      t.equal(await page.getByText('Needs web search.', { exact: true }).count(), 2, 'on the cards')
      t.equal(await card(page, /Find sources/).count(), 0, 'it can only be read')
      t.strictSame(await findBarriers(page, ALL_RULES), [])
      await card(page, /Read a paper/).click()
      t.match(await page.getByRole('textbox', { name: /^Message/ }).inputValue(), /critical reading note/)
      t.equal(await page.getByRole('link', { name: 'Set up web search' }).count(), 0)
      t.strictSame(faults, [])
      await page.close()
    }
    const { page } = await open('mei', { locale: 'zh-CN' })
    await page.getByText('需要联网搜索。请联系管理员配置。').waitFor()
    await page.close()
  })

  await t.test('the list of experts says it, and an agent can be made all the same', async (t) => {
    const { page, faults } = await open('mei', { path: '/agents' })
    await page.getByRole('button', { name: 'New agent' }).first().click()
    const row = page.getByRole('listitem').filter({ hasText: 'Research assistant' })
    await row.getByText('Needs web search. Ask your administrator to set it up.').waitFor()
    t.equal(await page.getByText(/^Needs/).count(), 1, 'of the experts, only this one lacks something')
    await row.getByRole('button', { name: 'Research assistant' }).click()
    await page.getByLabel('Name').waitFor()
    t.strictSame(faults, [])
    await page.close()
  })

  await t.test(
    'an agent that has the tool switched off says so, to those who can switch it on',
    async (t) => {
      const { page, faults } = await open('mei')
      await server.call(
        'PATCH',
        `/agents/${agents.mei.id}/tool-settings/web_fetch`,
        { enabled: false },
        token,
      )
      await page.reload()
      await page.getByText('Needs access to web pages.').first().waitFor()
      await page.getByRole('link', { name: 'Turn it on for this agent' }).click()
      await page.waitForURL(`**/agents/${agents.mei.id}/tools`)
      await server.call('PATCH', `/agents/${agents.mei.id}/tool-settings/web_fetch`, { enabled: true }, token)
      t.strictSame(faults, [])
      await page.close()
    },
  )

  await t.test('administrators are led to the settings, and then nothing is missing', async (t) => {
    const { page, faults } = await open('admin')
    await page.getByRole('link', { name: 'Set up web search' }).click()
    await page.waitForURL('**/web-search')
    await server.call('PUT', '/admin/web-search', {
      engines: [{ kind: 'brave', api_key: 'a-key-of-a-test' }],
      per_day: null,
    })
    await page.goto(`/chat/${agents.admin.id}`)
    await card(page, /Find sources/).click()
    t.match(await page.getByRole('textbox', { name: /^Message/ }).inputValue(), /search the web/)
    t.equal(await page.getByText(/Needs/).count(), 0)
    t.strictSame(faults, [])
    await page.close()
  })
})
