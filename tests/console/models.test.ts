import { eventually } from '../../plugin-api/testing/waiting.ts'
import t from '../run/file-test.ts'
import { MODEL, startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'

/** The models of a gateway: many, and one about which everything is known. */
const MANY = [
  { id: 'vendor/seer', name: 'Seer', context_window: 128_000, input: ['text', 'image'], tools: true },
  ...Array.from({ length: 399 }, (_, number) => ({
    id: `vendor/model-${number}`,
    tools: number === 0 ? false : null,
  })),
]
/** A picture of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

t.test('choices of models', { skip: noChromium }, async (t) => {
  const { server, fake, agent_id } = await startChat(t)
  const gateway = {
    kind: 'openai-compatible',
    name: 'gate',
    base_url: fake.url,
    api_key: 'sk-0123456789abcdef',
  }
  await server.request('POST', '/admin/providers', { body: { ...gateway, models: MANY } })
  const openai = { kind: 'openai', name: 'paid', api_key: 'sk-0123456789abcdef', models: [{ id: 'gpt-4o' }] }
  await server.request('POST', '/admin/providers', { body: openai })
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url, { path: `/agents/${agent_id}` })
  const sheet = page.getByRole('dialog')
  const option = (name: string | RegExp) => page.getByRole('option', { name })
  const readAgent = async () => (await server.request('GET', `/agents/${agent_id}`)).body
  const readProvider = async (name: string) => {
    const { body } = await server.request('GET', '/providers')
    return body.find((provider: { name: string }) => provider.name === name)
  }

  await t.test('a model among 400 is found, with what is known of it', async (t) => {
    const field = page.getByLabel('Model', { exact: true }).first()
    await field.click()
    await option(/model-398/).waitFor({ state: 'attached' })
    await field.fill('gate seer')
    await option(/^Seer/).getByText('128K context · pictures · tools').waitFor()
    t.equal(await page.getByRole('option').locator('visible=true').count(), 1)
    await field.fill('paid 4o')
    await option(/4o/i)
      .getByText(/128K context · pictures · tools · \$2.50 input, \$10 output per 1M tokens/)
      .waitFor()
    await field.fill('vendor/model-0')
    await option(/model-0/)
      .getByText('no tools')
      .waitFor()
    await field.fill('nonsense')
    await page.getByText('No models found').waitFor()
    await field.fill('seer')
    await option(/^Seer/).click()
    t.strictSame(faults, [])
  })

  await t.test('fallback models are stored in their order, three at most', async (t) => {
    const field = page.getByLabel('Fallback models').first()
    for (const name of ['model-7', 'Demo', 'model-8']) {
      await field.fill(name)
      await option(new RegExp(`^(vendor/)?${name}`, 'i'))
        .first()
        .click()
    }
    await page.getByText('Used in this order').waitFor()
    const stored = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await page.getByRole('button', { name: 'Save' }).click()
    t.equal((await stored).status(), 200)
    await page.reload()
    await page.getByText('vendor/model-8').first().waitFor()
    const { default_model, config } = await readAgent()
    t.equal(default_model, 'gate:vendor/seer')
    t.strictSame(config.fallback_models, ['gate:vendor/model-7', 'demo:demo', 'gate:vendor/model-8'])
    t.strictSame(faults, [])
  })

  await t.test('the composer names the model that answers, and another one is chosen there', async (t) => {
    const answers = (name: string) => page.getByRole('button', { name: `Model: ${name}`, exact: true })
    const ask = async (text: string) => {
      fake.next({ text: `Answer to ${text}.` })
      await page.getByRole('textbox', { name: 'Message assistant…' }).fill(text)
      await page.keyboard.press('Enter')
      await page.getByText(`Answer to ${text}.`).first().waitFor()
      return fake.requests.at(-1)!.body.model
    }
    const choose = async (shown: string, search: string, wanted: RegExp) => {
      await answers(shown).click()
      if (search) await page.getByRole('textbox', { name: 'Search models' }).fill(search)
      await option(wanted).waitFor()
      if (search) await page.keyboard.press('Enter')
      else await option(wanted).click()
      await page.getByRole('listbox', { name: 'Model' }).waitFor({ state: 'detached' })
    }
    const modelOf = async () => {
      const path = new URL(page.url()).pathname.split('/')
      return (await server.request('GET', `/agents/${agent_id}/threads/${path.at(-1)}`)).body.model
    }
    await page.goto(`/chat/${agent_id}`)
    await choose('Seer', '398', /^vendor\/model-398/)
    await answers('vendor/model-398').waitFor()
    t.equal(await ask('one'), 'vendor/model-398')
    t.equal(await modelOf(), 'gate:vendor/model-398', 'the conversation keeps its model')
    await page.reload()
    await choose('vendor/model-398', 'seer', /^Seer/)
    await answers('Seer').waitFor()
    t.equal(await ask('two'), 'vendor/seer')
    await choose('Seer', '', /^Agent default \(Seer\)/)
    t.equal(await ask('three'), 'vendor/seer')
    t.equal(await modelOf(), null)
    t.strictSame(faults, [])
  })

  await t.test('reasoning is beside the model unless the model has none', async (t) => {
    const level = (name: string) => page.getByRole('button', { name: `Reasoning: ${name}` })
    await page.goto(`/chat/${agent_id}`)
    await page.getByRole('button', { name: 'Model: Seer' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('listbox', { name: 'Model' }).waitFor({ state: 'detached' })
    await level('Agent default').click()
    await page.getByRole('menuitemradio', { name: 'High' }).click()
    await level('High').waitFor()
    fake.next({ text: 'Thought about.' })
    await page.getByRole('textbox', { name: 'Message assistant…' }).fill('Think')
    await page.keyboard.press('Enter')
    await page.getByText('Thought about.').first().waitFor()
    await level('High').waitFor()
    t.strictSame(faults, [])
  })

  await t.test('a choice of a model that is refused is taken back, and says why', async (t) => {
    await page.route('**/threads/thr_*', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 404, json: { error: { code: 'PROVIDER_NOT_VISIBLE', message: 'Gone.' } } })
        : route.continue(),
    )
    await page.getByRole('button', { name: 'Model: Seer' }).click()
    await page.getByRole('textbox', { name: 'Search models' }).fill('model-7')
    await option(/model-7$/)
      .first()
      .click()
    await page.getByRole('alert').filter({ hasText: 'Gone.' }).waitFor()
    await page.getByRole('button', { name: 'Model: Seer' }).waitFor()
    await page.unrouteAll()
    t.strictSame(faults, [])
  })

  await t.test('it is said by hand whether a model reads pictures', async (t) => {
    await page.goto('/models')
    await page.getByRole('button', { name: 'gate', exact: true }).click()
    await sheet.getByText('300 more models. Search to find them.').waitFor()
    const reads = (name: string) => sheet.getByLabel(`Input: ${name}`)
    const search = sheet.getByRole('searchbox', { name: 'Search models' })
    await search.fill('seer')
    t.equal(await reads('Seer').inputValue(), 'pictures')
    await reads('Seer').selectOption('Text input')
    await search.fill('model-398')
    t.equal(await reads('vendor/model-398').inputValue(), 'unknown')
    await reads('vendor/model-398').selectOption('Text and picture input')
    await sheet.getByRole('button', { name: 'Save' }).click()
    await sheet.waitFor({ state: 'detached' })
    const { models } = await readProvider('gate')
    const inputOf = (wanted: string) => models.find(({ id }: { id: string }) => id === wanted).input
    t.equal(models.length, 400)
    t.strictSame(inputOf('vendor/seer'), ['text'])
    t.strictSame(inputOf('vendor/model-398'), ['text', 'image'])
    t.equal(inputOf('vendor/model-397'), null)
    t.strictSame(faults, [])
  })

  await t.test('what refusals have taught is shown and forgotten', async (t) => {
    await server.request('PATCH', `/agents/${agent_id}`, { body: { default_model: MODEL } })
    await page.goto(`/chat/${agent_id}`)
    await page
      .locator('main input[type=file]')
      .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: PIXEL })
    await page.getByRole('button', { name: 'Remove dot.png' }).waitFor()
    fake.next(
      { status: 400, error: { message: 'This model does not support image input' } },
      { text: 'None.' },
    )
    await page.getByRole('textbox', { name: 'Message assistant…' }).fill('What is it?')
    await page.keyboard.press('Enter')
    await page.getByText('None.').first().waitFor()

    const [provider, model] = MODEL.split(':') as [string, string]
    await page.goto('/models')
    await page.getByRole('button', { name: provider, exact: true }).click()
    const learned = sheet.getByRole('region', { name: 'Adjustments' })
    await learned.getByText(`${model}: No pictures`).waitFor()
    await sheet.getByLabel('Concurrent calls').fill('7')
    await learned.getByRole('button', { name: 'Remove' }).click()
    await learned.waitFor({ state: 'detached' })
    t.strictSame((await readProvider(provider)).learned, [])
    // The rest of the form is stored over the version without them.
    await sheet.getByRole('button', { name: 'Save' }).click()
    await sheet.waitFor({ state: 'detached' })
    t.equal((await readProvider(provider)).max_concurrency, 7)
    t.strictSame(faults, [])
  })

  await t.test('the purpose of a model is changed, and the server then uses it', async (t) => {
    const models = [
      { id: 'lark', name: 'Lark' },
      { id: 'flux-image', model_kind: 'image', price: { image: 0.04 } },
    ]
    await server.request('POST', '/admin/providers', { body: { ...gateway, name: 'studio', models } })
    await page.goto('/models')
    await page.getByRole('button', { name: 'studio', exact: true }).click()
    await sheet.getByLabel('Purpose: Lark').selectOption('Reading aloud')
    await sheet.getByText('generates pictures · $0.04 per picture').waitFor()
    await sheet.getByRole('button', { name: 'Save' }).click()
    await sheet.waitFor({ state: 'detached' })

    const uses = page.getByRole('region', { name: 'What the server uses' })
    await uses.getByLabel('Reading aloud').click()
    await option(/^Lark/).click()
    await uses.getByLabel('Pictures').click()
    await option(/flux-image/).click()
    const defaults = async () => (await server.request('GET', '/models/defaults')).body
    await eventually('both are chosen', async () => (await defaults()).image !== null)
    t.match(await defaults(), { image: 'studio:flux-image', speech: 'studio:lark', transcription: null })

    await page.setViewportSize({ width: 390, height: 844 })
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    t.equal(width, 390, 'a phone shows the page without scrolling sideways')
    await uses.scrollIntoViewIfNeeded()
    await page.getByRole('button', { name: 'studio', exact: true }).click()
    await sheet.getByLabel('Purpose: Lark').scrollIntoViewIfNeeded()
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 1440, height: 900 })

    await server.createUser({ username: 'ada' })
    const reader = await openConsole(browser, url, {
      path: '/models',
      username: 'ada',
      password: 'ada-password-1',
    })
    await reader.page.getByText('Default model').first().waitFor()
    t.equal(await reader.page.getByText('What the server uses').count(), 0, 'others do not choose')
    const chinese = await openConsole(browser, url, { path: '/models', locale: 'zh-CN' })
    await chinese.page.getByRole('region', { name: '服务器使用的模型' }).waitFor()
    t.strictSame([...faults, ...reader.faults, ...chinese.faults], [])
  })
})
