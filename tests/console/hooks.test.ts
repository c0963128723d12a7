import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import t, { type Test } from '../run/file-test.ts'
import { ALL_RULES, findBarriers } from '../support/axe.ts'
import { startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'

interface Call {
  headers: Record<string, string>
  body: { type: string }
}

/** A service that receives webhooks; `answer` is the status of its replies. */
async function startReceiver(t: Test) {
  const receiver = { answer: 200, calls: [] as Call[], url: '' }
  const server = createServer(async (request, response) => {
    const headers = request.headers as Record<string, string>
    receiver.calls.push({ headers, body: (await json(request)) as Call['body'] })
    response.writeHead(receiver.answer).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/svc`
  return receiver
}

t.test('webhooks and triggers in the console', { skip: noChromium }, async (t) => {
  const receiver = await startReceiver(t)
  const chat = await startChat(t, { config: { plugins: { webhooks: { allow_hosts: ['127.0.0.1'] } } } })
  const { server, agent_id, fake } = chat
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url)
  const sheet = page.getByRole('dialog')
  const close = () => sheet.getByRole('button', { name: 'Close', exact: true }).last().click()
  const choose = async (name: RegExp, action: string) => {
    await page.getByRole('main').getByRole('button', { name }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }

  await t.test('a webhook is added, tested, and its deliveries are sent again', async (t) => {
    await page.goto('/account')
    const section = page.getByRole('region', { name: 'Webhooks' })
    await section.getByRole('button', { name: 'Add webhook' }).click()
    await sheet.getByRole('button', { name: 'Create' }).click()
    await sheet.getByRole('alert').waitFor()
    await sheet.getByLabel('Address').fill(receiver.url)
    await sheet.getByLabel('An answer has finished').check()
    await sheet.getByLabel('An agent needs approval').check()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await sheet.getByRole('button', { name: 'Create' }).click()
    const secret = await sheet.getByText(/^whsec_/).textContent()
    await close()
    const [stored] = (await server.request('GET', '/webhooks')).body
    t.match(stored, { url: receiver.url, events: ['turn.ended', 'approval.requested'], agent_id: null })

    await choose(/^Actions .*svc/, 'Send test event')
    await section.getByText(/accepted the test event/).waitFor()
    const [call] = receiver.calls
    t.equal(call!.body.type, 'webhook.test')
    const verified = new Webhook(secret!).verify(JSON.stringify(call!.body), call!.headers)
    t.match(verified, { type: 'webhook.test' }, 'signed with the secret that was shown')

    receiver.answer = 500
    await choose(/^Actions .*svc/, 'Send test event')
    await section.getByText('The receiver answered with status 500.').waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    receiver.answer = 200
    await choose(/^Actions .*svc/, 'Deliveries')
    await sheet.getByText('Failed').waitFor()
    await sheet.getByText('Delivered').waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await sheet.getByRole('button', { name: 'Send again' }).first().click()
    await sheet.getByText('Failed').waitFor({ state: 'detached' })
    await close()

    await choose(/^Actions .*svc/, 'New secret')
    await sheet.getByRole('button', { name: 'New secret' }).click()
    t.not(await sheet.getByText(/^whsec_/).textContent(), secret)
    await close()
    await section.getByRole('switch', { name: /Enable/ }).uncheck({ force: true })
    t.strictSame(await findBarriers(page, ALL_RULES), [])
  })

  await t.test('a trigger is added, and the example starts a conversation', async (t) => {
    await page.goto(`/agents/${agent_id}/triggers`)
    for (const scheme of ['Any service, with a token', 'GitHub']) {
      await page.getByRole('button', { name: 'Add trigger' }).click()
      await sheet.getByLabel('Name').fill(scheme)
      await sheet.getByRole('combobox', { name: 'Sent by' }).click()
      await page.getByRole('option', { name: scheme, exact: true }).click()
      await sheet.getByLabel('Message to the agent').fill('Sort {{issue.title}} by {{labels.0.name}}')
      t.strictSame(await findBarriers(page, ALL_RULES), [])
      await sheet.getByRole('button', { name: 'Create' }).click()
      const command = await sheet.getByText(/curl/).textContent()
      t.strictSame(await findBarriers(page, ALL_RULES), [])
      fake.next({ text: ['Sorted.'] })
      const { stdout } = await promisify(execFile)('sh', ['-c', command!.replace(/curl /, 'curl -s ')])
      t.match(JSON.parse(stdout), { turn_id: /^trn_/ })
      await close()
      await choose(new RegExp(`^Actions .*${scheme.slice(0, 6)}`), 'Requests')
      await sheet.getByText('Started').waitFor()
      t.strictSame(await findBarriers(page, ALL_RULES), [])
      await sheet.getByRole('link').first().click()
      await page.getByText('Sorted.').first().waitFor()
      const asked = fake.requests.at(-1)!.body.messages.at(-1)!.content
      t.match(asked, /Sort[\s\S]*example title[\s\S]*example name/)
      await page.goto(`/agents/${agent_id}/triggers`)
    }
    await page.getByRole('button', { name: 'GitHub', exact: true }).click()
    await sheet.getByLabel('Name').fill('Issues')
    await sheet.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Issues', exact: true }).waitFor()
    const rows = (await server.request('GET', `/agents/${agent_id}/triggers`)).body
    t.match(rows, [{ name: 'Issues', verify: { scheme: 'github' } }, { verify: { scheme: 'token' } }])
    await choose(/^Actions .*Issues/, 'Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Issues', exact: true }).waitFor({ state: 'detached' })
  })

  t.strictSame(faults, [])
})
