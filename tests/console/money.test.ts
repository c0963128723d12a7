import t from '../run/file-test.ts'
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
})
