import type { Page } from 'playwright-core'
import t from '../run/file-test.ts'
import { createHold, MODEL, startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

t.test('the end of an answer', { skip: noChromium }, async (t) => {
  const { server, fake, agent_id } = await startChat(t)
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url, { path: `/chat/${agent_id}` })
  const { page: chinese } = await openConsole(browser, url, { path: '/agents', locale: 'zh-CN' })

  const say = async (text: string) => {
    await page.getByRole('textbox', { name: 'Message assistant…' }).fill(text)
    await page.keyboard.press('Enter')
  }
  const see = (text: string | RegExp, on: Page = page) => on.getByText(text).first().waitFor()
  const begin = () => page.getByRole('link', { name: 'New conversation with assistant' }).click()
  const goOn = (on: Page = page, name = 'Continue') => on.getByRole('button', { name, exact: true })
  /** Begins a conversation, and checks the answer as it comes, and as it is read later. */
  const ask = async (check: () => Promise<unknown>) => {
    await begin()
    await say('Write a long story')
    await check()
    await page.reload()
    await check()
    t.strictSame(faults, [])
  }

  await t.test('an answer that reached its limit says so, and is continued', async (t) => {
    fake.next({ text: 'Once upon', finishReason: 'length' }, { text: 'a time.' })
    await ask(() => see('reached the output limit'))
    await chinese.goto(new URL(page.url()).pathname)
    await see('回答已达到输出上限', chinese)
    await goOn(chinese, '继续').waitFor()

    await goOn().click()
    await see('a time.')
    t.match(JSON.stringify(fake.requests.at(-1)!.body.messages.at(-1)), /Continue/)
    await see('reached the output limit')
    t.equal(await goOn().count(), 0, 'only the last answer is continued')
  })

  await t.test('an answer that was filtered or refused says so', async (t) => {
    for (const [finishReason, sentence] of [
      ['content_filter', 'A content filter blocked or cut off'],
      ['refusal', 'The model declined'],
    ] as const) {
      fake.next({ text: 'Once upon', finishReason })
      await ask(() => see(sentence))
      t.equal(await goOn().count(), 0)
    }
  })

  await t.test('an answer without its pictures says so', async () => {
    fake.next(
      { status: 400, error: { message: 'This model does not support image input' } },
      { text: 'I see nothing.' },
    )
    await begin()
    await page
      .locator('main input[type=file]')
      .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: PIXEL })
    await page.getByRole('button', { name: 'Remove dot.png' }).waitFor()
    await say('What is this?')
    await see('does not accept pictures')
    await page.reload()
    await see('does not accept pictures')
    await chinese.goto(new URL(page.url()).pathname)
    await see('不接受图片', chinese)
  })

  await t.test(
    'a notice is shown in the language of the page while the answer is still written',
    async (t) => {
      // The refusal above has taught that the model reads no pictures: the notice comes before the answer.
      const { hold, release } = createHold()
      fake.next({ text: ['一段', '回答'], holdAfter: 1, hold })
      await chinese.goto(`/chat/${agent_id}`)
      await chinese
        .locator('main input[type=file]')
        .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: PIXEL })
      await chinese.getByRole('button', { name: /^移除 dot/ }).waitFor()
      await chinese.locator('textarea[name=message]').fill('这是什么？')
      await chinese.keyboard.press('Enter')
      await see('一段', chinese)
      await see('不接受图片', chinese)
      t.equal(await chinese.getByText('回答', { exact: true }).count(), 0, 'the answer is not over')
      release()
      await see('一段回答', chinese)
    },
  )

  await t.test('an answer of another model says so', async () => {
    await server.request('PATCH', `/agents/${agent_id}`, {
      body: { config: { fallback_models: ['demo:demo'] } },
    })
    fake.next(...Array(3).fill({ status: 503, error: { message: 'overloaded' } }))
    await ask(() => see(`${MODEL} did not respond, so demo:demo answered.`))
  })

  await t.test('the steps of a conversation show notices and ends in words', async (t) => {
    await page.goto(`${page.url()}/trajectory`)
    const steps = page.getByRole('list', { name: 'Turns' })
    await steps
      .getByRole('button', { name: `Notice ${MODEL} did not respond, so demo:demo answered.` })
      .waitFor()
    await steps.getByRole('button', { name: 'End The answer is complete.' }).waitFor()
    fake.next({ text: 'Once upon', finishReason: 'length' })
    await server.request('PATCH', `/agents/${agent_id}`, { body: { config: { fallback_models: [] } } })
    await ask(() => see('reached the output limit'))
    await page.goto(`${page.url()}/trajectory`)
    await steps.getByRole('button', { name: /^End The answer reached the output limit/ }).waitFor()
    await page.goBack()
    t.strictSame(faults, [])
  })

  await t.test('a turn that waits for its program does not wait for the reader', async (t) => {
    fake.next({ toolCalls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] })
    const { status } = await server.request('POST', '/v1/chat/completions', {
      body: {
        model: 'assistant',
        messages: [{ role: 'user', content: 'What is the weather?' }],
        tools: [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }],
      },
    })
    t.equal(status, 200)
    const [{ thread_id }] = (await server.request('GET', `/agents/${agent_id}/threads`)).body
    await page.goto(`/chat/${agent_id}/${thread_id}`)
    await page.getByRole('status').getByText('Waiting for a program', { exact: true }).waitFor()
    await see('runs get_weather and returns the results')
    t.equal(await page.getByText('Waiting for you').count(), 0)
    await page.getByRole('button', { name: 'Stop' }).click()
    await see('Stopped')
    t.strictSame(faults, [])
  })

  await t.test('tokens that were estimated are marked', async (t) => {
    const usage = { prompt_tokens: 0, completion_tokens: 0 }
    fake.next(
      { toolCalls: [{ name: 'write_file', arguments: { path: 'a.md', content: 'a' } }], usage },
      { text: 'Written.', usage },
    )
    await ask(() => page.getByRole('button', { name: /^1 step .*about [\d,]+ tokens/ }).waitFor())
    await page.goto('/usage')
    await see(/^[\d.]+K? estimated$/)
    t.strictSame(faults, [])
  })
})
