import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../run/file-test.ts'
import { ALL_RULES, findBarriers } from '../support/axe.ts'
import { startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

t.test('shared conversations', { skip: noChromium }, async (t) => {
  const chat = await startChat(t, { config: { plugins: { shares: { public: true } } } })
  const { server, fake, agent_id } = chat
  const workspace = join(server.home, 'agents', agent_id)
  mkdirSync(join(workspace, 'inbound'), { recursive: true })
  writeFileSync(join(workspace, 'inbound/dot.png'), PIXEL)
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const socket = await chat.connect()
  fake.next(
    { toolCalls: [{ id: 'c', name: 'write_file', arguments: { path: 'out/notes.md', content: '# Notes' } }] },
    { text: 'It is **one dot**. See [the notes](out/notes.md).' },
  )
  const content = [
    { type: 'text', text: 'What do you see?' },
    { type: 'image', path: 'inbound/dot.png', filename: 'dot.png', media_type: 'image/png' },
  ]
  const { thread_id } = await socket.ask({ content })
  const ann = await server.createUser({ username: 'ann' })
  const { page, faults } = await openConsole(browser, url, { path: `/chat/${agent_id}/${thread_id}` })
  const context = page.context()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const readClipboard = () => page.evaluate<string>('navigator.clipboard.readText()')
  let address = ''

  await t.test('two clicks make a link and copy it', async (t) => {
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByText('Link copied.').waitFor()
    address = await readClipboard()
    t.match(address, /\/shared\/[\w-]{32}$/)
    const sheet = page.getByRole('dialog', { name: 'Share this conversation' })
    t.equal(await sheet.getByRole('textbox', { name: 'Link' }).inputValue(), address)
    await sheet.getByText('Only this computer can open this link').waitFor()
    await sheet.getByText('People with an account ·').waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
  })

  await t.test('a person with an account reads it and continues with their own agent', async (t) => {
    const reader = await openConsole(browser, url, {
      username: ann.username,
      password: ann.password,
    })
    const { page } = reader
    await page.goto(new URL(address).pathname)
    await page.getByRole('heading', { name: 'What do you see?' }).waitFor()
    await page.getByText('Shared conversation with assistant').waitFor()
    await page.locator('strong', { hasText: 'one dot' }).waitFor()
    const picture = page.getByRole('img', { name: 'dot.png' })
    await picture.waitFor()
    t.equal(await picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth), 1)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'the notes' }).click(),
    ])
    t.equal(download.suggestedFilename(), 'notes.md')
    t.strictSame(await findBarriers(page, ALL_RULES), [])

    await page.getByRole('button', { name: 'Continue this conversation' }).click()
    await page.getByRole('button', { name: 'Continue', exact: true }).click()
    await page.waitForURL(/\/chat\/[^/]+\/thr_/)
    await page.getByRole('article').getByText('one dot').waitFor()
    t.strictSame(reader.faults, [])
  })

  await t.test('a stranger is asked to sign in, and comes back to it', async (t) => {
    const context = await browser.newContext({ baseURL: url, locale: 'en-US', reducedMotion: 'reduce' })
    t.teardown(() => context.close())
    const page = await context.newPage()
    const reply = await page.goto(new URL(address).pathname)
    t.match(reply!.headers(), { 'x-robots-tag': /noindex/, 'referrer-policy': 'no-referrer' })
    await page.getByText('It is shared with people who have an account').waitFor()
    t.notOk(await page.getByText('one dot').count())
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Username').fill(ann.username)
    await page.locator('input[name=password]').fill(ann.password)
    await page.locator('button[type=submit]').click()
    await page.getByRole('button', { name: 'Continue this conversation' }).waitFor()
    t.equal(new URL(page.url()).pathname, new URL(address).pathname)
  })

  await t.test('anybody opens a link that is for anybody, with its picture', async (t) => {
    const sheet = page.getByRole('dialog', { name: 'Share this conversation' })
    await sheet.getByRole('radio', { name: 'Anyone with the link' }).check()
    await sheet.getByLabel('Link expires').selectOption('7')
    await sheet.getByRole('button', { name: 'Create link' }).click()
    await sheet.getByText('Anyone with the link ·').waitFor()
    const link = await sheet.getByRole('textbox', { name: 'Link' }).first().inputValue()
    t.not(link, address)
    const context = await browser.newContext({ baseURL: url, locale: 'en-US', reducedMotion: 'reduce' })
    t.teardown(() => context.close())
    const stranger = await context.newPage()
    await stranger.goto(new URL(link).pathname)
    await stranger.getByRole('heading', { name: 'What do you see?' }).waitFor()
    await stranger.locator('strong', { hasText: 'one dot' }).waitFor()
    await stranger.getByRole('img', { name: 'dot.png' }).waitFor()
    await stranger.getByRole('button', { name: 'Sign in to continue' }).waitFor()
    t.strictSame(await findBarriers(stranger, ALL_RULES), [])
  })

  await t.test('an update keeps the address, and a deleted link shows a friendly sentence', async (t) => {
    fake.next({ text: 'A second answer.' })
    await socket.ask({ thread_id, text: 'Again?' })
    const sheet = page.getByRole('dialog', { name: 'Share this conversation' })
    await sheet.getByRole('button', { name: 'Update' }).last().click()
    await sheet.getByText('Updated.').waitFor()
    const reader = await openConsole(browser, url, {
      username: ann.username,
      password: ann.password,
    })
    await reader.page.goto(new URL(address).pathname)
    await reader.page.getByText('A second answer.').waitFor()

    await page.goto('/account')
    const links = page.getByRole('list', { name: 'Shared links' })
    await links.getByRole('listitem').nth(1).waitFor()
    await links.getByRole('button', { name: 'Delete' }).last().click()
    await page
      .getByRole('dialog', { name: 'Delete this link?' })
      .getByRole('button', { name: 'Delete' })
      .click()
    await links.getByRole('listitem').nth(1).waitFor({ state: 'detached' })
    await reader.page.reload()
    await reader.page.getByRole('heading', { name: 'This conversation is not available' }).waitFor()
    t.strictSame(faults, [])
  })
})
