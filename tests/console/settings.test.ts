import { readFileSync } from 'node:fs'
import { createFakeOpenAI } from '../../plugin-api/testing/fake-openai.ts'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import t from '../run/file-test.ts'
import { onlyLong } from '../run/tier.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'
import { startFake } from '../support/model-calls.ts'
import { startServer, type TestReply, type TestServer } from '../support/server.ts'

const KEY = 'sk-test-0123456789abcdef'

const SCAN = { gives: 'credentials' }

/** A kind in plain JavaScript with a condition and a scan; this process scans and writes by events. */
const PAGER = `
const limits = { dialect: 'plain', max_length: 1000, length_unit: 'characters' }
let isScanned = false
process.on('pager scan', () => { isScanned = true })
const assertCode = ({ code }) => {
  if (code !== 'right') throw Object.assign(new Error('wrong code'), { reason: 'invalid_credentials' })
}
const pager = {
  kind: 'pager',
  label: { en: 'Pager', zh: '寻呼机' },
  config_schema: {
    type: 'object',
    properties: {
      number: { type: 'string', title: 'Number' },
      code: { type: 'string', writeOnly: true, title: 'Code' },
      network: { enum: ['public', 'private'], default: 'public', title: 'Network' },
      tower: { type: 'string', title: 'Tower' },
    },
    required: ['number', 'code', 'network'],
    if: { properties: { network: { const: 'private' } } },
    then: { required: ['tower'] },
    else: { properties: { tower: false } },
    additionalProperties: false,
  },
  capabilities: { direct: limits, group: limits },
  identity: ({ number }) => number,
  async probe({ config }) { assertCode(config) },
  async open({ config }, { receive }) {
    assertCode(config)
    process.on('pager message', receive)
    return {
      async send(target, { text, key }) { process.emit('pager answer', text); return { id: key } },
      async close() { process.off('pager message', receive) },
    }
  },
  registration: {
    ...${JSON.stringify(SCAN)},
    async begin() { return { qrcode_url: 'https://pager.example.org/scan', state: {}, expires_in_seconds: 60, interval_seconds: 0 } },
    async poll() {
      return isScanned ? { status: 'success', config: { number: '5551', code: 'right' } } : { status: 'waiting' }
    },
  },
}
export default {
  name: 'pager', summary: 'A pager', kernel: 1,
  setup(host) { host.extend('channels.kinds', pager) },
}
`

t.test('Settings of agents, channels and models', { skip: noChromium }, async (t) => {
  const server = await startServer(t, { plugins: { pager: PAGER } })
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url, { path: '/models' })
  const sheet = page.getByRole('dialog')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const inSheet = (name: string) => sheet.getByRole('button', { name, exact: true })
  const closed = () => sheet.waitFor({ state: 'detached' })
  const menu = async (name: string, item: string) => {
    await button(`Actions for ${name}`).click()
    await page.getByRole('menuitem', { name: item }).click()
  }

  await t.test('a provider is tested, added with some of its models, changed and deleted', async (t) => {
    const fake = await startFake(t, createFakeOpenAI({ apiKey: KEY, models: ['large', 'small'] }))
    await page.goto('/models')
    await button('Add provider').first().click()
    await inSheet('OpenAI-compatible').click()
    await inSheet('Add').click()
    await sheet.getByText('Required.').waitFor()
    t.equal(
      await page.evaluate('document.activeElement.getAttribute("aria-invalid")'),
      'true',
      'the refused field has the focus',
    )
    await sheet.getByLabel('URL').fill(fake.url)
    await sheet.getByLabel('API key').fill('wrong-key-0123456789')
    await inSheet('Test').click()
    await sheet.getByRole('alert').filter({ hasText: 'key' }).waitFor()
    await sheet.getByLabel('API key').fill(KEY)
    await inSheet('Test').click()
    await sheet.getByText(/answered in/).waitFor()
    await sheet.getByText('Only these').click()
    await sheet.getByLabel('large').check()
    await sheet.getByRole('textbox', { name: 'Name', exact: true }).fill('local')
    await inSheet('Add').last().click()
    await closed()
    await page.getByText('OpenAI-compatible · 1 model').waitFor()
    const { body: models } = await server.request('GET', '/models')
    t.ok(models.some(({ id }: { id: string }) => id === 'local:large'))
    t.notOk(models.some(({ id }: { id: string }) => id === 'local:small'))

    await page.getByLabel('Default model').first().click()
    await page.getByRole('option', { name: 'large' }).click()
    await reaches(server, '/models/active', ({ model }) => model === 'local:large')
    await menu('local', 'Delete')
    await inSheet('Delete').click()
    await sheet.getByText('the default model').waitFor()
    await inSheet('Cancel').click()

    await button('local').click()
    await sheet.getByText('Stored', { exact: true }).waitFor()
    await sheet.getByLabel('Concurrent calls').fill('2')
    await inSheet('Cancel').click()
    await page.getByText('Your changes are not saved yet.').waitFor()
    await button('Cancel').last().click()
    await inSheet('Save').click()
    await closed()
    const { body: providers } = await server.request('GET', '/providers')
    t.match(
      providers.find(({ name }: { name: string }) => name === 'local'),
      { max_concurrency: 2, has_api_key: true, scope: 'global' },
    )
    await server.request('PUT', '/models/active', { body: { model: 'demo:demo' } })
    await menu('local', 'Delete')
    await inSheet('Delete').click()
    await closed()
    t.equal((await server.request('GET', '/providers')).body.length, 1)
  })

  await t.test('an agent is made from an expert, described, stopped, started and deleted', async (t) => {
    await page.goto('/agents')
    await button('New agent').click()
    await sheet.getByLabel('Search in Experts').fill('data')
    await inSheet('Data analyst').click()
    const name = sheet.getByLabel('Name')
    t.equal(await name.inputValue(), 'Data analyst')
    await name.fill('')
    t.ok(await inSheet('Create').isDisabled())
    await name.fill('numbers')
    await inSheet('Create').click()
    await page.getByRole('heading', { name: 'numbers' }).waitFor()

    await page.getByLabel('Description').fill('Counts things.')
    await page.getByLabel('Code', { exact: true }).check({ force: true })
    await page.getByRole('link', { name: 'Instructions' }).click()
    await page.getByText('Your changes are not saved yet.').waitFor()
    await button('Cancel').click()
    await button('Save').click()
    await button('Save').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Instructions' }).click()
    await page.getByRole('region', { name: 'AGENTS.md' }).getByText(/data/i).first().waitFor()
    await page.getByLabel('Instructions', { exact: true }).last().fill('Be brief.')
    await button('Save').click()
    await button('Save').waitFor({ state: 'detached' })
    const agent = (await server.request('GET', '/agents/numbers')).body
    t.match(agent, { description: 'Counts things.', icon: 'code-xml', system_prompt: 'Be brief.' })

    await page.getByRole('link', { name: 'Persona' }).click()
    await page.getByText('INTJ').click()
    await page.getByRole('heading', { name: 'Architect' }).waitFor()
    await page.getByRole('link', { name: 'Tools' }).click()
    await page.getByRole('switch', { name: 'Read a web page' }).uncheck({ force: true })
    await page.getByLabel('Approval: Write a file').first().click()
    await page.getByRole('option', { name: 'Ask first' }).click()
    await reaches(server, '/agents/numbers', ({ config }) =>
      config.tools_with_approval?.includes('write_file'),
    )
    await reaches(server, '/agents/numbers/tool-settings', ({ builtin }) =>
      builtin.some(
        ({ name, enabled }: { name: string; enabled: boolean }) => name === 'web_fetch' && !enabled,
      ),
    )
    t.equal((await server.request('GET', '/agents/numbers')).body.persona_mbti, 'INTJ')

    await menu('numbers', 'Stop')
    await inSheet('Stop').click()
    await closed()
    await page.getByText('Stopped', { exact: true }).waitFor()
    await button('Start').click()
    await page.getByText('Running', { exact: true }).waitFor()
    await menu('numbers', 'Delete')
    t.ok(await inSheet('Delete').isDisabled(), 'the name must be typed')
    await sheet.getByLabel('Type “numbers” to confirm').fill('numbers')
    await inSheet('Delete').click()
    await page.getByRole('main').getByRole('link', { name: 'assistant', exact: true }).waitFor()
    t.equal((await server.request('GET', '/agents/numbers')).status, 404)
  })

  await t.test(
    'skills and files of an agent are written, shown, renamed and published',
    { skip: onlyLong },
    async (t) => {
      const { id } = (await server.request('GET', '/agents/assistant')).body
      await page.goto(`/agents/${id}/skills`)
      await button('New skill').click()
      await sheet.getByLabel('Name').fill('Weekly report')
      await sheet.getByLabel('Description').fill('Writes the report of a week. Use it on Fridays.')
      await inSheet('Create and edit').click()
      await sheet.getByLabel('Add file').fill('notes/style.md')
      await inSheet('Add').click()
      await sheet.getByRole('textbox', { name: 'notes/style.md' }).fill('Short sentences.')
      await inSheet('Save').click()
      await closed()
      const skill = await server.request('GET', `/agents/${id}/skills/weekly-report?contents=true`)
      t.match(skill.body, { name: 'weekly-report', paths: ['SKILL.md', 'notes/style.md'] })

      await page.getByRole('link', { name: 'Files' }).click()
      await button('New folder').click()
      await sheet.getByLabel('Folder name').fill('reports')
      await inSheet('Save').click()
      await closed()
      await page.getByRole('link', { name: 'reports' }).click()
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        button('Upload').first().click(),
      ])
      await chooser.setFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('first') })
      await button('a.txt').click()
      await sheet.getByRole('textbox', { name: 'reports/a.txt' }).fill('second')
      await inSheet('Save').click()
      await closed()
      await menu('a.txt', 'Rename or move')
      await sheet.getByLabel('Path').fill('reports/b.txt')
      await inSheet('Save').click()
      await closed()
      await button('b.txt').waitFor()
      const [download] = await Promise.all([page.waitForEvent('download'), menu('b.txt', 'Download')])
      t.equal(readFileSync(await download.path(), 'utf8'), 'second')

      await page.getByRole('link', { name: 'Sharing' }).click()
      await button('Publish…').click()
      await sheet.getByText('files are copied').click()
      await sheet.getByText('reports/b.txt').waitFor()
      await sheet.getByLabel('Name').fill('Reporter')
      await inSheet('Publish').click()
      await sheet.getByText('Reporter is published.', { exact: false }).waitFor()
      await inSheet('Close').last().click()
      t.match((await server.request('GET', '/experts/published')).body, [{ name: 'Reporter' }])
      await page.getByLabel('Access: Everyone on this server').selectOption('Can use')
      await button('Save').click()
      await reaches(server, `/agents/${id}`, ({ is_shared }) => is_shared)
    },
  )

  await t.test('a channel is linked by a scan, checked, changed and deleted', async (t) => {
    await page.goto('/channels')
    await button('Add channel').first().click()
    await inSheet('Pager').click()
    await sheet.getByRole('img', { name: 'QR code for Pager' }).waitFor()
    process.emit('pager scan' as never)
    const number = sheet.getByRole('textbox', { name: 'Number', exact: true })
    await number.waitFor()
    t.equal(await number.inputValue(), '5551')
    t.equal(await sheet.getByLabel('Tower').count(), 0)
    await sheet.getByLabel('Private').check()
    const sent: string[] = []
    page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())))
    await inSheet('Add').click()
    await sheet.getByText('Required.').waitFor()
    t.strictSame(sent, [], 'the form itself knows what it needs')
    await sheet.getByLabel('Tower').fill('north')
    await inSheet('Check').click()
    await sheet.getByText('The platform accepted these settings.').waitFor()
    await inSheet('Add').click()
    await closed()
    await page.getByText('Connected', { exact: true }).waitFor()

    await button('Pager').click()
    await inSheet('Replace').click()
    await sheet.getByLabel('Code').fill('wrong')
    await sheet.getByLabel('Public').check()
    await inSheet('Check').click()
    await sheet.getByText('The platform rejected these credentials.').waitFor()
    await inSheet('Save').click()
    await closed()
    await page.getByText('The platform rejected these credentials.').waitFor()
    const path = `/agents/assistant/channels`
    t.strictSame((await server.request('GET', path)).body[0].config, {
      number: '5551',
      network: 'public',
      code: '••••',
    })
    await menu('Pager', 'Delete')
    await inSheet('Delete').click()
    await page.getByText('No channels yet').waitFor()
    t.strictSame((await server.request('GET', path)).body, [])
  })

  await t.test(
    'an example becomes a schedule, which delivers to a conversation, runs, pauses and goes',
    { skip: onlyLong },
    async (t) => {
      const { id } = (await server.request('GET', '/agents/assistant')).body
      const channel = {
        kind: 'pager',
        name: 'Desk',
        config: { number: '7', code: 'right', network: 'public' },
      }
      await server.request('POST', `/agents/${id}/channels`, { body: channel })
      await reaches(server, `/agents/${id}/channels`, ([desk]) => desk.runtime.state === 'connected')
      const receive = () => new Promise((resolve) => process.once('pager answer' as never, resolve))
      const answered = receive()
      process.emit(
        'pager message' as never,
        {
          id: 'first',
          conversation: { id: 'room-7', type: 'group' },
          sender: { id: '7', name: 'Grace' },
          text: 'hello',
          mentioned: true,
          target: {},
        } as never,
      )
      await answered

      const base = (await server.request('POST', '/knowledge-bases', { body: { name: 'Plans' } })).body
      const tracker = { name: 'tracker', kind: 'mcp', config: { url: 'https://tracker.example/mcp' } }
      const connector = (await server.request('POST', '/connectors', { body: tracker })).body

      await page.goto(`/chat/${id}`)
      await page.getByRole('region', { name: 'On a schedule' }).getByRole('link').first().click()
      await sheet.getByText('Monday to Friday at 8:30 AM').waitFor()
      await sheet.getByLabel('Name').fill('Morning plan')
      await sheet.getByLabel('Repeat').selectOption('week')
      await sheet.getByText('Wed', { exact: true }).click()
      await sheet.getByText('Monday and Wednesday at 8:30 AM').waitFor()
      await sheet
        .getByRole('region', { name: 'Next runs' })
        .getByText(/^Wed, .*8:30/)
        .first()
        .waitFor()
      await sheet.getByRole('combobox', { name: 'Knowledge bases' }).click()
      await page.getByRole('option', { name: 'Plans' }).click()
      await page.keyboard.press('Escape')
      await sheet.getByLabel('Also send answers to').click()
      await page.getByRole('option', { name: 'Desk' }).click()
      await inSheet('Create').click()
      await sheet.getByText('Required.').waitFor()
      await sheet.getByLabel('Channel conversation').click()
      await page.getByRole('option', { name: 'Grace · group' }).click()
      await inSheet('Create').click()
      await closed()
      const [job] = (await server.request('GET', `/agents/${id}/cron`)).body
      t.match(job, { schedule: { cron: '30 8 * * 1,3' }, deliver: { conversation_id: 'room-7' } })
      t.strictSame([job.knowledge_base_ids, job.connector_ids], [[base.id], []])

      const delivered = receive()
      await menu('Morning plan', 'Run now')
      t.type(await delivered, 'string')
      await page.getByText('Succeeded', { exact: true }).waitFor()
      await menu('Morning plan', 'Runs')
      await sheet.getByText('Started manually').waitFor()
      await inSheet('Close').last().click()

      await page.getByRole('switch', { name: 'Run Morning plan' }).uncheck({ force: true })
      await page.getByText('Paused', { exact: false }).first().waitFor()
      await button('Morning plan').click()
      await sheet.getByLabel('Repeat').selectOption('custom')
      await sheet.getByLabel('Cron expression').last().fill('61 * * * *')
      await sheet.getByText('No upcoming runs', { exact: false }).waitFor()
      await page.setViewportSize({ width: 1440, height: 760 })
      let answer = () => {}
      const asked = new Promise<void>((resolve) => {
        answer = resolve
      })
      await page.route('**/cron/preview', (route) => asked.then(() => route.continue()))
      await sheet.getByLabel('Repeat').selectOption('interval')
      await sheet.getByRole('combobox', { name: 'Connectors' }).click()
      const option = page.getByRole('option', { name: 'tracker' })
      await option.waitFor()
      const top = async () => (await option.boundingBox())?.y ?? Number.NaN
      const topBefore = await top()
      answer()
      await sheet.getByRole('listitem').first().waitFor()
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
      t.ok(Math.abs((await top()) - topBefore) < 1, 'dates that are shown late move no open dropdown')
      await option.click()
      await page.keyboard.press('Escape')
      await page.unroute('**/cron/preview')
      await page.setViewportSize({ width: 1440, height: 900 })
      await sheet.getByLabel('Repeat').selectOption('custom')
      await inSheet('Save').click()
      await sheet.getByRole('alert').waitFor()
      await sheet.getByLabel('Repeat').selectOption('interval')
      await inSheet('Save').click()
      await closed()
      t.match((await server.request('GET', `/agents/${id}/cron/${job.id}`)).body, {
        knowledge_base_ids: [base.id],
        connector_ids: [connector.id],
      })
      await page.getByText('Every hour', { exact: false }).waitFor()
      for (const [cron, words] of [
        ['0 9 * * FRI-MON', 'Sunday, Monday, Friday, and Saturday at'],
        ['17 9 * * 0-7', 'Every day at 9:17'],
        ['17 9 * * mon-fri', 'Monday to Friday at 9:17'],
        ['0 22-2 * * *', 'Cron expression 0 22-2 * * *'],
      ] as const) {
        const schedule = { cron, timezone: 'Europe/Berlin' }
        await server.request('PATCH', `/agents/${id}/cron/${job.id}`, { body: { schedule } })
        await page.reload()
        await page.getByText(words, { exact: false }).waitFor()
      }
      await menu('Morning plan', 'Delete')
      await inSheet('Delete').click()
      await page.getByText('No schedules yet').waitFor()

      await page
        .getByRole('button', { name: /^Add “/ })
        .first()
        .click()
      await page.getByText(/^Next/).waitFor()
      await page.getByRole('link', { name: 'Schedules' }).first().click()
      await page.getByRole('switch', { name: /^Run / }).waitFor()
      await server.request(
        'DELETE',
        `/agents/${id}/channels/${(await server.request('GET', `/agents/${id}/channels`)).body[0].id}`,
      )
    },
  )

  await t.test('an administrator shares the agent of somebody else', async () => {
    const cleo = await server.createUser({ username: 'cleo' })
    const { id } = (await server.request('GET', '/agents/assistant', { token: cleo.token })).body
    await page.goto(`/agents/${id}/sharing`)
    await page.getByLabel('Access: Everyone on this server').selectOption('Can use')
    await button('Save').click()
    await reaches(server, `/agents/${id}`, ({ is_shared }) => is_shared)
  })

  await t.test('a guest sees what a guest may do', { skip: onlyLong }, async (t) => {
    const ben = await server.createUser({ username: 'ben' })
    const { page, faults } = await openConsole(browser, url, {
      path: '/models',
      username: ben.username,
      password: ben.password,
    })
    await page.getByRole('heading', { name: 'Your providers' }).waitFor()
    t.equal(await page.getByRole('link', { name: 'Channels' }).count(), 0)
    t.equal(await page.getByLabel('Default model').count(), 0)
    t.equal(await page.getByLabel('Actions for demo').count(), 0)
    await page.getByRole('link', { name: 'Agents' }).click()
    const { id } = (await server.request('GET', '/agents/assistant')).body
    await page.getByRole('main').locator(`a[href="/agents/${id}"]`).click()
    await page.getByText('admin shares this agent with you.', { exact: false }).waitFor()
    const tabs = page.getByRole('navigation', { name: 'Agent settings' }).getByRole('link')
    t.strictSame(await tabs.allTextContents(), ['General', 'Files', 'Schedules'])
    t.equal(await page.getByRole('button', { name: 'Actions for assistant' }).count(), 0)
    await page.goto(`/agents/${id}/sharing`)
    await page.getByText('This page does not exist.').waitFor()
    t.strictSame(faults, [])
  })
  t.strictSame(faults, [])
})

/** Waits until an object of the server is as expected. */
const reaches = (server: TestServer, path: string, holds: (body: TestReply['body']) => boolean) =>
  eventually(path, async () => holds((await server.request('GET', path)).body))
