import { readFileSync } from 'node:fs'
import t from '../run/file-test.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'
import { startServer } from '../support/server.ts'

t.test('The audit page', { skip: noChromium }, async (t) => {
  const server = await startServer(t)
  const { body: agent } = await server.request('POST', '/agents', { body: { name: 'numbers' } })
  const { body: other } = await server.request('POST', '/agents', { body: { name: 'short-lived' } })
  await server.request('DELETE', `/agents/${other.id}`)
  const browser = await startChromium(t)
  const { page, faults } = await openConsole(browser, await serveConsole(t, server), { path: '/audit' })
  const row = (name: string | RegExp) => page.getByRole('listitem').filter({ hasText: name })

  await t.test(
    'an entry names its object, also after it was deleted, and links to what exists',
    async (t) => {
      await row(/Agent deletedshort-lived/).waitFor()
      t.equal(
        await row(/short-lived/)
          .getByRole('link')
          .count(),
        0,
      )
      const time = row(/Agent deleted/).getByRole('time')
      t.match(await time.getAttribute('title'), /\d:\d\d:\d\d/, 'to the second')
      await row(/Agent creatednumbers/)
        .getByRole('link', { name: 'numbers' })
        .click()
      await page.getByRole('heading', { name: 'numbers' }).waitFor()
      t.ok(page.url().endsWith(`/agents/${agent.id}`))
      await page.goBack()
    },
  )

  await t.test('commands are named as such', async () => {
    const rows = server.db.collection('audit_log')
    const [newest] = await rows.find().sort({ _id: -1 }).limit(1).toArray()
    const { auditWriter } = server.server.runtime.cradleOf('audit')
    const { ts } = newest as never as { ts: number }
    const record = { ts, target: 'nora', payload: undefined, status: 0, ip: null, request_id: null }
    await auditWriter.append({ ...record, actor: 'os:0', action: 'user.disable' })
    await page.reload()
    await row(/Account disabled/)
      .filter({ hasText: 'Terminal (root)' })
      .waitFor()
  })

  await t.test('the filtered entries are saved as CSV', async (t) => {
    await page.getByLabel('Action').selectOption({ label: 'Agent deleted' })
    await row(/Account disabled/).waitFor({ state: 'detached' })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ])
    t.equal(download.suggestedFilename(), 'audit-log.csv')
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    t.equal(lines.length, 2)
    t.match(lines[1], /,agent\.delete,short-lived,/)
  })

  await t.test('the button verifies the log, and names the first broken entry', async () => {
    const verify = page.getByRole('button', { name: 'Verify', exact: true })
    await verify.click()
    await page.getByText(/^The log is intact: all \d+ entries/).waitFor()
    await server.db.collection<{ _id: number }>('audit_log').updateOne({ _id: 3 }, { $set: { actor: 'eve' } })
    await verify.click()
    const alert = page.getByRole('alert')
    await alert.filter({ hasText: 'Entry 3 was changed.' }).waitFor()
    await alert.filter({ hasText: '2 entries before it are intact.' }).waitFor()
    await server.db.collection<{ _id: number }>('audit_log').deleteOne({ _id: 3 })
    await verify.click()
    await alert.filter({ hasText: 'Entries are missing, from entry 3 on.' }).waitFor()
  })

  t.same(faults, [])
})
