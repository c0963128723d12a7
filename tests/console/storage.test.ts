import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '../run/file-test.ts'
import { ALL_RULES, findBarriers } from '../support/axe.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'
import { startServer } from '../support/server.ts'

const MB = 2 ** 20

t.test('What fills a workspace is shown and deleted in a browser', { skip: noChromium }, async (t) => {
  const limits = { workspace_bytes: 10 * MB, account_bytes: 20 * MB }
  const [server, browser] = await Promise.all([startServer(t, { config: { limits } }), startChromium(t)])
  const url = await serveConsole(t, server)
  const createAgent = async (name: string, sizes: Record<string, number>): Promise<string> => {
    const { body: agent } = await server.request('POST', '/agents', { body: { name } })
    for (const [path, size] of Object.entries(sizes)) {
      const file = join(server.home, 'agents', agent.id, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, '')
      truncateSync(file, size)
    }
    return agent.id
  }
  const many = Object.fromEntries(Array.from({ length: 110 }, (_, n) => [`log/${n}.txt`, 0]))
  const id = await createAgent('research', {
    'video.bin': 5 * MB,
    'data/deep/table.bin': 3 * MB,
    '会议.bin': 1.5 * MB,
    'plan.md': 100,
    ...many,
  })
  await createAgent('travel', { 'map.bin': 2 * MB })
  const { page, faults } = await openConsole(browser, url, { path: '/account' })
  const upload = (size: number) =>
    page.setInputFiles('input[type=file]', {
      name: 'more.bin',
      mimeType: 'application/octet-stream',
      buffer: Buffer.alloc(size),
    })
  const files = () => page.getByRole('list', { name: 'Largest files' }).getByRole('listitem')
  const isFull = () => page.getByText('This agent’s workspace is full. The limit is 10 MB.').waitFor()

  await t.test('from the limit in the account, agent by agent', async (t) => {
    await page.getByRole('link', { name: 'View storage' }).click()
    await page.getByRole('heading', { name: 'Storage' }).waitFor()
    await page.getByText('11.5 MB of 20 MB').waitFor()
    const agents = page.getByRole('list', { name: 'Agents by size' }).getByRole('listitem')
    t.match(await agents.allInnerTexts(), [
      /research\s+9\.5 MB of 10 MB/,
      /travel\s+2 MB of 10 MB/,
      /assistant/,
    ])
    await page.getByRole('link', { name: 'research' }).last().click()
    await page.getByText('9.5 MB of 10 MB').waitFor()
    await page.getByText('video.bin').waitFor()
    const texts = (await files().allInnerTexts()).slice(0, 4).map((text) => text.split(/\s*\n\s*/))
    t.match(texts, [
      ['video.bin', String, '5 MB'],
      ['table.bin', /^data\/deep · /, '3 MB'],
      ['会议.bin', String, '1.5 MB'],
      ['plan.md', String, '100 bytes'],
    ])
    t.equal(await files().count(), 100)
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('99.txt', { exact: true }).waitFor()
    t.equal(await files().count(), 114)
    t.strictSame(await findBarriers(page, ALL_RULES), [])
  })

  await t.test('from a file that has no room, among the files of an agent and in a chat', async (t) => {
    await page.goto(`/agents/${id}/files`)
    await page.getByRole('link', { name: 'Storage' }).waitFor()
    await upload(MB)
    await isFull()
    await page.goto('/chat/research')
    await page.getByRole('textbox', { name: /Message/ }).fill('a draft')
    await upload(MB)
    await isFull()
    const [tab] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'View storage' }).click(),
    ])
    await tab.getByText('9.5 MB of 10 MB').waitFor()
    await tab.getByText('video.bin').waitFor()
    await tab.close()
    t.equal(await page.getByRole('textbox', { name: /Message/ }).inputValue(), 'a draft')
  })

  await t.test('several files are deleted after one question, and the bar follows at once', async (t) => {
    await page.goto(`/storage?agent=${id}`)
    await page.getByRole('checkbox', { name: 'Select video.bin' }).check()
    await page.getByRole('checkbox', { name: 'Select data/deep/table.bin' }).check()
    await page.getByText('2 files · 8 MB').waitFor()
    // Somebody else is faster with one of them.
    await server.request('DELETE', `/agents/${id}/files?path=video.bin`)
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 2 files (8 MB)?' })
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('1.5 MB of 10 MB').waitFor()
    t.equal(await page.getByText('table.bin').count(), 0)
    t.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0, 'nothing is selected any more')
    t.equal((await server.request('GET', `/agents/${id}/files?path=data/deep`)).body.length, 0)

    await page.getByRole('checkbox', { name: 'Select all shown' }).check()
    await page.getByText('100 files · 1.5 MB').waitFor()
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await page.getByRole('checkbox', { name: 'Select all shown' }).check()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    t.equal(await files().count(), 12)
    await page.getByRole('navigation', { name: 'Storage' }).getByRole('link', { name: 'All agents' }).click()
    await page.getByText('2 MB of 20 MB').waitFor()
    await page.goto('/account')
    await page.getByText('2 MB of 20 MB').waitFor()
  })

  await t.test('a guest reads who can delete, and a phone in Chinese has room', async (t) => {
    await server.request('PATCH', `/agents/${id}`, { body: { is_shared: true } })
    const guest = await server.createUser({ username: 'guest' })
    const { page: phone, faults: phoneFaults } = await openConsole(browser, url, {
      path: `/storage?agent=${id}`,
      username: guest.username,
      password: guest.password,
      viewport: { width: 390, height: 844 },
      locale: 'zh-CN',
    })
    await phone.getByText('只有可以编辑此智能体的人才能删除其文件。').waitFor()
    t.equal(await phone.getByRole('checkbox').count(), 0)
    await phone.goto('/storage')
    await phone.getByRole('heading', { name: '存储空间' }).waitFor()
    await phone.getByText('全部智能体').waitFor()
    t.strictSame(await findBarriers(phone, ALL_RULES), [])
    t.ok(await phone.evaluate('document.documentElement.scrollWidth <= innerWidth'))
    t.strictSame(phoneFaults, [])
  })
  t.strictSame(faults, [])
})
