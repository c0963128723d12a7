import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page, Route } from 'playwright-core'
import { createHold, eventually } from '../../plugin-api/testing/waiting.ts'
import type { MemoryDocument } from '../../plugins/agents/memory/types.ts'
import t from '../run/file-test.ts'
import { ALL_RULES, findBarriers } from '../support/axe.ts'
import { startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'

t.test('what agents remember, in a browser', { skip: noChromium }, async (t) => {
  const chat = await startChat(t)
  const { server, fake, agent_id } = chat
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url, { path: '/memory' })
  const listed = async (query = ''): Promise<Record<string, unknown>[]> =>
    (await server.request('GET', `/memories${query}`)).body
  const texts = async (query?: string) => (await listed(query)).map(({ text }) => text)
  const memories = page.getByRole('list', { name: 'Memories' })
  const dialog = page.getByRole('dialog')
  const add = (on: Page) => on.getByRole('button', { name: 'Add memory' })

  /** Asks something; the model calls tools and then answers. */
  const ask = async (text: string, calls: { name: string; arguments: object }[], answer: string) => {
    for (const [index, call] of calls.entries()) fake.next({ toolCalls: [{ id: `c${index}`, ...call }] })
    fake.next({ text: answer })
    await page.getByRole('textbox', { name: 'Message assistant…' }).fill(text)
    await page.keyboard.press('Enter')
    await page.getByText(answer, { exact: true }).first().waitFor()
  }
  const remember = (text: string) => ({ name: 'remember', arguments: { text, scope: 'me' } })
  const noticeOf = (text: string) => page.getByRole('status').filter({ hasText: text })

  await t.test('an empty page says what it is for, and a memory is added by hand', async (t) => {
    await page.getByText('Nothing remembered yet').waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await add(page).first().click()
    t.equal(await dialog.getByRole('button', { name: 'Save' }).isDisabled(), true)
    await dialog.getByLabel('What to remember').fill('Writes reports on Fridays')
    await dialog.getByLabel('For').selectOption('assistant')
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await memories.getByText('Only for assistant · Added by you').waitFor()
    t.match(await listed(), [{ text: 'Writes reports on Fridays', scope: 'agent', agent_id, source: null }])
  })

  await t.test('a memory is undone in the conversation, now and after a reload', async (t) => {
    await page.goto(`/chat/${agent_id}`)
    await ask('I live in Oslo.', [remember('Lives in Oslo')], 'Noted, Oslo.')
    const notice = noticeOf('Lives in Oslo')
    await notice.getByRole('button', { name: 'Undo' }).waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    t.ok((await texts()).includes('Lives in Oslo'))
    await notice.getByRole('button', { name: 'Undo' }).click()
    await notice.getByText('Forgotten').waitFor()
    t.notOk((await texts()).includes('Lives in Oslo'))

    await ask('I drink green tea.', [remember('Drinks green tea')], 'Noted, tea.')
    await page.reload()
    await noticeOf('Drinks green tea').getByRole('button', { name: 'Undo' }).waitFor()
    await notice.getByText('Forgotten').waitFor()
    t.equal(await notice.getByRole('button').count(), 0, 'what no longer exists has no button')
    t.strictSame(faults, [])
  })

  await t.test('a proposal waits for a decision in the conversation', async (t) => {
    writeFileSync(join(server.home, 'agents', agent_id, 'note.txt'), 'Ann is allergic to nuts.')
    const read = { name: 'read_file', arguments: { path: 'note.txt' } }
    await ask(
      'What is in the file?',
      [read, remember('Allergic to nuts'), remember('Owns a bakery'), remember('Sings in a choir')],
      'Read.',
    )
    t.strictSame(await texts('?state=proposed'), ['Sings in a choir', 'Owns a bakery', 'Allergic to nuts'])
    const nuts = noticeOf('Allergic to nuts')
    await nuts.getByRole('button', { name: 'Remember' }).click()
    await nuts.getByText('Remembered', { exact: true }).waitFor()
    await nuts.getByRole('button', { name: 'Undo' }).waitFor()
    t.ok((await texts()).includes('Allergic to nuts'))
    await noticeOf('Owns a bakery').getByRole('button', { name: 'No', exact: true }).click()
    await noticeOf('Owns a bakery').getByText('Not remembered').waitFor()
    t.strictSame(await texts('?state=proposed'), ['Sings in a choir'])
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await noticeOf('Sings in a choir').getByRole('link', { name: 'What agents remember' }).click()
  })

  await t.test('the page shows proposals first, and where each memory comes from', async (t) => {
    const proposals = page.getByRole('list', { name: 'An agent wants to remember' })
    await proposals.getByText('Sings in a choir').waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await proposals.getByRole('button', { name: 'Remember' }).click()
    await memories.getByText('Sings in a choir').waitFor()
    await proposals.waitFor({ state: 'detached' })
    const rows = await memories.getByRole('listitem').allTextContents()
    t.match(rows[0], /^Sings in a choir/, 'the newest is the first')
    await memories
      .getByRole('listitem')
      .filter({ hasText: 'Drinks green tea' })
      .getByRole('link', { name: 'From a conversation with assistant' })
      .click()
    await page.waitForURL(/\/chat\/[^/]+\/thr_[^?]+\?message=/)
    await page.getByText('I drink green tea.').waitFor()
    await page.goBack()
  })

  await t.test('memories are searched, filtered, changed in place and deleted', async (t) => {
    const search = page.getByRole('searchbox', { name: 'Search in Memories' })
    await search.fill('GREEN tea')
    await memories.getByText('Allergic to nuts').waitFor({ state: 'detached' })
    await memories.getByRole('button', { name: 'Drinks green tea', exact: true }).click()
    const field = memories.getByRole('textbox', { name: 'What to remember' })
    await field.fill('Drinks green tea, no sugar')
    await page.keyboard.press('Escape')
    await memories.getByRole('button', { name: 'Drinks green tea', exact: true }).click()
    await field.fill('Drinks green tea without sugar')
    const saving = createHold()
    const pauseSaving = async (route: Route) => {
      await saving.hold
      await route.continue()
    }
    await page.route('**/api/memories/*', pauseSaving, { times: 1 })
    await page.keyboard.press('Enter')
    await search.focus()
    saving.release()
    await memories.getByRole('button', { name: 'Drinks green tea without sugar', exact: true }).waitFor()
    t.equal(await search.evaluate('document.activeElement.type'), 'search', 'the focus stays there')
    t.ok((await texts()).includes('Drinks green tea without sugar'))

    await search.fill('')
    await page.getByLabel('For', { exact: true }).selectOption('Only for assistant')
    await memories.getByText('Drinks green tea').waitFor({ state: 'detached' })
    await memories.getByText('Writes reports on Fridays').waitFor()
    await page.getByLabel('For', { exact: true }).selectOption('For all agents')
    await memories.getByText('Writes reports on Fridays').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Actions for Allergic to nuts' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await memories.getByText('Allergic to nuts').waitFor({ state: 'detached' })
    await eventually('the end of the note', async () => !(await texts()).includes('Allergic to nuts'))
    t.strictSame(faults, [])
  })

  await t.test('everything is exported, more than a page holds too', async (t) => {
    const stored = server.db.collection<MemoryDocument>('memories')
    const like = (await stored.findOne({ agent_id: null }))!
    const facts = Array.from({ length: 205 }, (_, number) => `Fact ${number}`)
    await stored.insertMany(facts.map((text, number) => ({ ...like, _id: `mem_0${number}`, text })))
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ])
    t.equal(download.suggestedFilename(), 'memories.json')
    const saved = JSON.parse(await readFile(await download.path(), 'utf8'))
    t.equal(saved.length, 208)
    t.ok(facts.every((fact) => saved.some(({ text }: { text: string }) => text === fact)))
  })

  await t.test('memory is switched off, and everything is deleted', async (t) => {
    await page.getByRole('switch', { name: 'Agents remember things about me' }).click({ force: true })
    await page.getByText('Agents remember nothing new').waitFor()
    t.equal((await server.request('GET', '/auth/me')).body.memory, false)
    await page.getByRole('button', { name: 'Delete all' }).click()
    t.equal(await dialog.getByRole('button', { name: 'Delete all' }).isDisabled(), true)
    await dialog.getByRole('textbox').fill('admin')
    await dialog.getByRole('button', { name: 'Delete all' }).click()
    await page.getByText('Nothing remembered yet').waitFor()
    t.strictSame(await listed(), [])
    t.strictSame(faults, [])
  })
})
