import { readFileSync } from 'node:fs'
import t from '../run/file-test.ts'
import { ALL_RULES, chooseTheme, findBarriers } from '../support/axe.ts'
import { startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'

t.test('costs, prices and budgets in the console', { skip: noChromium }, async (t) => {
  const { server, fake, agent_id } = await startChat(t)
  await server.call('POST', '/admin/providers', {
    name: 'shop',
    kind: 'openai-compatible',
    base_url: fake.url,
    models: [
      { id: 'dear', name: 'Dear', price: { input: 2, output: 10 } },
      { id: 'secret', name: 'Secret' },
    ],
  })
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url, { path: `/chat/${agent_id}` })

  /** Asks one question with a model, and waits for its answer. */
  const ask = async (text: string, model: string, [prompt_tokens, completion_tokens]: [number, number]) => {
    await server.call('PATCH', `/agents/${agent_id}`, { default_model: model })
    await page.goto(`/chat/${agent_id}`)
    fake.next({ text: `Answer to ${text}.`, usage: { prompt_tokens, completion_tokens } })
    await page.getByRole('textbox', { name: 'Message assistant…' }).fill(text)
    await page.keyboard.press('Enter')
    await page.getByText(`Answer to ${text}.`).first().waitFor()
  }

  await t.test('an answer and its conversation show what they cost', async (t) => {
    await ask('one', 'shop:dear', [1000, 220])
    const answer = page.getByRole('article').last()
    await answer.getByText('$0.0042', { exact: true }).waitFor()
    t.equal(await answer.getByTitle('1,220 tokens').textContent(), '$0.0042')
    await page.reload()
    await answer.getByText('$0.0042', { exact: true }).waitFor()
    await page
      .getByRole('banner')
      .or(page.getByRole('main'))
      .getByRole('button', { name: 'Conversation menu' })
      .click()
    await page.getByRole('menu').getByText('$0.0042 · 1,220 tokens').waitFor()
    await page.getByRole('menuitem', { name: 'View steps' }).click()
    await page.getByRole('list', { name: 'Conversation totals' }).getByText('$0.0042').waitFor()
    await ask('little', 'shop:dear', [10, 2])
    await answer.getByText('less than $0.0001').waitFor()
    await ask('two', 'shop:secret', [500, 500])
    await answer.getByText('Answer to two.').waitFor()
    t.equal(await answer.getByText('$').count(), 0, 'a model without a price shows no cost')
    t.strictSame(faults, [])
  })

  await t.test('usage tells what was spent, by model, agent and person, also as a file', async (t) => {
    await server.createUser({ username: 'ada' })
    await page.goto('/usage')
    const row = (table: string, name: string) =>
      page.getByRole('table', { name: table }).getByRole('row', { name: new RegExp(`^${name}`) })
    const cells = async (table: string, name: string) => row(table, name).getByRole('cell').allTextContents()
    await row('By model', 'shop:dear').waitFor()
    t.strictSame(await cells('By model', 'shop:dear'), ['$0.0042', '1.2K', '2'])
    t.strictSame(await cells('By model', 'shop:secret'), ['No price', '1K', '1'])
    t.match(await page.getByRole('list', { name: 'Totals' }).textContent(), /^Cost\$0.0042/)
    await page.getByText('1K tokens without a price').first().waitFor()
    await page.getByText('Show as table').click()
    t.equal(await page.getByRole('table', { name: 'By day' }).getByRole('row').count(), 2)
    await page.getByText('Everyone', { exact: true }).click()
    await row('By person', 'admin').waitFor()
    await row('By group', 'Everyone').waitFor()
    await page.getByRole('radiogroup', { name: 'Compare' }).getByText('Tokens').click()
    for (const period of ['Today', 'This month', '7 days']) {
      await page.getByText(period, { exact: true }).click()
      await row('By agent', 'assistant').waitFor()
    }
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: 'By person' }).click()
    const file = await download
    t.equal(file.suggestedFilename(), 'usage-by-user.csv')
    t.match(readFileSync(await file.path(), 'utf8'), /,admin,3,/)
    for (const theme of ['light', 'dark'] as const) {
      await chooseTheme(page, theme)
      t.strictSame(await findBarriers(page, ALL_RULES), [])
    }
    t.strictSame(faults, [])
  })

  await t.test('administrators set the price of a model, and remove it', async (t) => {
    await page.goto('/usage')
    await page.getByRole('link', { name: 'Set prices' }).click()
    const table = page.getByRole('table', { name: 'Prices' })
    const rows = table.getByRole('row')
    const row = (name: string) => table.getByRole('row', { name: new RegExp(`^${name}`) })
    await row('Secret').getByText('1K tokens in 30 days').waitFor()
    t.match(await rows.nth(1).textContent(), /^Secret/, 'models in use without a price come first')
    await page.getByRole('searchbox', { name: 'Search in Prices' }).fill('shop secr')
    await row('Dear').waitFor({ state: 'detached' })
    await row('Secret').getByRole('button').click()
    const sheet = page.getByRole('dialog')
    await sheet.getByLabel('Input', { exact: true }).fill('3')
    await sheet.getByLabel('Output', { exact: true }).fill('12.5')
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await sheet.getByRole('button', { name: 'Save' }).click()
    await row('Secret').getByText('$12.50').waitFor()
    await row('Secret').getByText('Set here').waitFor()
    const [stored] = (await server.request('GET', '/admin/prices?q=secret')).body
    t.match(stored, { source: 'override', price: { input: 3, output: 12.5, cache_read: null } })
    await row('Secret').getByRole('button').click()
    await sheet.getByRole('button', { name: 'Remove this price' }).click()
    await row('Secret').getByText('No price').waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    t.strictSame(faults, [])
  })

  await t.test('administrators set the budget of the server', async (t) => {
    await page.goto('/usage')
    await page.getByText('Everyone', { exact: true }).click()
    await page.getByRole('button', { name: 'Set a budget' }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByRole('textbox', { name: 'Budget' }).fill('25')
    await sheet.getByRole('combobox', { name: 'Budget period' }).selectOption('per week')
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await sheet.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Budget this week').waitFor()
    await page.getByText(/^\$0.0042 of \$25 · resets/).waitFor()
    const { budget } = (await server.request('GET', '/admin/budget')).body
    t.match(budget, { amount: 25, window: 'week', scope: 'server' })
    await page.getByRole('button', { name: 'Change budget' }).click()
    await sheet.getByRole('textbox', { name: 'Budget' }).fill('')
    await sheet.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Set a budget' }).waitFor()
    t.equal((await server.request('GET', '/admin/budget')).body.budget, null)
    t.strictSame(faults, [])
  })

  await t.test(
    'a budget that is nearly spent is announced, and one that is spent ends a turn as an answer',
    async (t) => {
      const { token, password } = await server.createUser({ username: 'bea' })
      const [agent] = (await server.request('GET', '/agents', { token })).body
      await server.request('PATCH', `/agents/${agent.id}`, { token, body: { default_model: 'shop:dear' } })
      const path = `/chat/${agent.id}`
      const { page, faults } = await openConsole(browser, url, { username: 'bea', password, path })
      await server.call('PATCH', '/users/bea', { budget: { amount: 0.2, window: 'month' } })
      const say = async (text: string) => {
        await page.getByRole('textbox', { name: 'Message assistant…' }).fill(text)
        await page.keyboard.press('Enter')
      }
      fake.next({ text: 'Nearly.', usage: { prompt_tokens: 1000, completion_tokens: 18_000 } })
      await say('Much')
      await page.getByText('You have spent $0.18 of your budget of $0.20.').waitFor()
      await page.getByRole('article').getByText('Nearly.').waitFor()
      await server.call('PATCH', '/users/bea', { budget: { amount: 0.18, window: 'month' } })
      await say('More')
      const answer = page.getByRole('article').last()
      await answer
        .getByText(/^The budget of 0.18 USD is too low .* begins anew on .* Ask an administrator/)
        .waitFor()
      t.equal(await page.getByRole('alert').count(), 0)
      t.strictSame(await findBarriers(page, ALL_RULES), [])
      await answer.getByRole('link', { name: 'See usage' }).click()
      await page.getByText(/^\$0.18 of \$0.18 · resets/).waitFor()
      await page.goto('/account')
      await page.getByText('Budget this month').waitFor()
      t.strictSame(faults, [])
    },
  )

  await t.test('an account has the time zone of the browser until another is chosen', async (t) => {
    const readZone = async () => (await server.request('GET', '/auth/me')).body.timezone
    t.equal(await readZone(), await page.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone'))
    await page.goto('/account')
    const field = page.getByRole('combobox', { name: 'Time zone' })
    await field.fill('Berlin')
    await page.getByRole('option', { name: 'Europe/Berlin' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    t.equal(await readZone(), 'Europe/Berlin')
    await page.reload()
    await field.waitFor()
    t.equal(await readZone(), 'Europe/Berlin')
    t.strictSame(faults, [])
  })
})
