import { eventually } from '../../plugin-api/testing/waiting.ts'
import type { Test } from '../run/file-test.ts'
import t from '../run/file-test.ts'
import { startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole } from '../support/console.ts'
import { fakeTool, startFakeMcp } from '../support/fake-mcp.ts'
import { startFakeWebhook } from '../support/fake-webhook.ts'

const LOCALES = ['en-US', 'zh-CN'] as const

/** The words that a person reads, by the language of the browser. */
const WORDS = {
  'en-US': {
    refused: /^Last rejected message · .+ · The platform did not deliver part of an answer\./,
    failed: 'The server is down or cannot be reached.',
    needed: 'The server requires a sign-in.',
    findTools: 'Find tools',
    reply: 'Reply',
    steps: /^2 steps/,
    signIns: {
      expired: 'The sign-in timed out.',
      changed: 'The connector changed during the sign-in.',
      refused: 'The service denied the sign-in.',
      failed: 'The sign-in failed.',
      client: 'The service rejected this server as a client.',
      resource: 'Set “Resource parameter” to “Leave out”',
      unavailable: 'The service does not respond.',
    },
  },
  'zh-CN': {
    refused: /^最近被拒的消息 · .+ · 平台未能发送部分内容。/,
    failed: '无法连接服务器，或服务器出现故障。',
    needed: '服务器要求登录。',
    findTools: '查找工具',
    reply: '回复',
    steps: /^2 个步骤/,
    signIns: {
      expired: '登录超时',
      changed: '登录期间连接器已被更改',
      refused: '该服务拒绝了登录。',
      failed: '登录失败。',
      client: '该服务拒绝此服务器作为客户端。',
      resource: '将“资源参数”设为“省略”',
      unavailable: '该服务暂时没有响应',
    },
  },
}

t.test('What platforms and servers refuse, in a browser', { skip: noChromium }, async (t) => {
  const { server, agent_id, fake } = await startChat(t, {
    config: { plugins: { channels: { allow_hosts: ['127.0.0.1'] } } },
  })
  const browser = await startChromium(t)
  const open = (locale: keyof typeof WORDS, path: string) =>
    openConsole(browser, server.url, { locale, path, viewport: { width: 390, height: 844 } })

  await t.test('the last refusal of a channel is in its list and in its sheet', async (t) => {
    const platform = await startFakeWebhook()
    t.teardown(() => platform.close())
    await server.request('POST', `/agents/${agent_id}/start`)
    const path = `/agents/${agent_id}/channels`
    const body = { kind: 'webhook', name: 'Support desk', config: platform.config }
    const { id } = (await server.request('POST', path, { body })).body
    await eventually('the connection', async () => {
      const channel = await server.request('GET', `${path}/${id}`)
      return channel.body.runtime.state === 'connected'
    })
    platform.answer(418, {}, { text: 'No tea here.' })
    platform.attach!(async ({ headers, body: bytes }) => {
      const reply = await fetch(`${server.url}/api/hooks/${id}`, {
        method: 'POST',
        headers: headers as Record<string, string>,
        body: new Uint8Array(bytes),
      })
      return { status: reply.status, headers: {}, body: await reply.text() }
    })
    await platform.say({ text: 'hello' })
    await eventually('the refusal', async () => {
      const channel = await server.request('GET', `${path}/${id}`)
      return channel.body.runtime.last_refusal !== null
    })
    for (const locale of LOCALES) {
      const { page, faults } = await open(locale, '/channels')
      const main = page.getByRole('main')
      await main.getByText(WORDS[locale].refused).waitFor()
      await main.getByText('The callback address answered 418: No tea here.').waitFor()
      await page.getByRole('button', { name: 'Support desk', exact: true }).click()
      const sheet = page.getByRole('dialog')
      await sheet.getByText(WORDS[locale].refused).waitFor()
      await sheet.getByText('The callback address answered 418: No tea here.').waitFor()
      await fits(t, page, locale)
      t.strictSame(faults, [])
      await page.close()
    }
  })

  await t.test('the failure of a connector is a sentence with the words of the server', async (t) => {
    const mcp = await startFakeMcp()
    t.teardown(() => mcp.close())
    const connect = async (name: string, status: number) => {
      mcp.onRequest = (_, __, reply) => {
        reply.writeHead(status, { 'content-type': 'application/json' }).end('{"error":"Closed until noon"}')
        return true
      }
      const body = { name, kind: 'mcp', config: { url: mcp.url } }
      return server.request('POST', '/connectors', { body })
    }
    t.match((await connect('outage', 503)).body, { status: 'failed', reason: 'unreachable' })
    t.match((await connect('locked', 401)).body, { status: 'unauthorized', reason: 'unauthorized' })
    for (const locale of LOCALES) {
      const { page, faults } = await open(locale, '/connectors')
      await page.getByRole('main').getByText(WORDS[locale].failed).waitFor()
      await page.getByRole('button', { name: 'outage', exact: true }).click()
      const sheet = page.getByRole('dialog')
      await sheet.getByText(WORDS[locale].failed).waitFor()
      await sheet.getByText('The server answered with the status 503: Closed until noon').waitFor()
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'locked', exact: true }).click()
      await sheet.getByText(WORDS[locale].needed).waitFor()
      await fits(t, page, locale)
      t.strictSame(faults, [])
      await page.close()
    }
  })

  await t.test('the time of calls and the parameter of sign-ins are saved', async (t) => {
    const { page, faults } = await open('en-US', '/connectors')
    const stored = async () => {
      const { body } = await server.request('GET', '/connectors')
      return body.find(({ name }: { name: string }) => name === 'outage').config
    }
    const { url } = await stored()
    await page.getByRole('button', { name: 'outage', exact: true }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByRole('button', { name: 'More settings' }).click()
    await sheet.getByLabel('Call timeout').fill('7200')
    await sheet.getByRole('radio', { name: 'Leave out' }).check({ force: true })
    await sheet.getByRole('button', { name: 'Save', exact: true }).click()
    await sheet.getByText('Some fields are not valid.').waitFor()
    await sheet.getByLabel('Call timeout').fill('300')
    await sheet.getByRole('button', { name: 'Save', exact: true }).click()
    await sheet.waitFor({ state: 'detached' })
    t.strictSame(await stored(), { url, call_seconds: 300, oauth_resource: 'omit' })
    t.strictSame(faults, [])
    await page.close()
  })

  for (const locale of LOCALES)
    await t.test(`a sign-in that failed says why (${locale})`, async (t) => {
      const { page, faults } = await open(locale, '/connectors')
      for (const [reason, words] of Object.entries(WORDS[locale].signIns)) {
        await page.goto(`/connectors?connector_error=${reason}`)
        await page.getByRole('alert').getByText(words).waitFor()
      }
      t.strictSame(faults, [])
      await page.close()
    })

  await t.test('a picture of a tool is shown once, and a search of tools is named', async (t) => {
    const mcp = await startFakeMcp()
    t.teardown(() => mcp.close())
    const reads = { annotations: { readOnlyHint: true } }
    mcp.tools = Array.from({ length: 130 }, (_, index) => fakeTool(`draw_${index}`, reads))
    mcp.onCall = async () => ({ content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] })
    const body = { name: 'studio', kind: 'mcp', config: { url: mcp.url }, is_default: true }
    await server.request('POST', '/connectors', { body })
    for (const locale of LOCALES) {
      const { page, faults } = await open(locale, `/chat/${agent_id}`)
      fake.next(
        { toolCalls: [{ name: 'find_tools', arguments: { query: 'draw 129' } }] },
        { toolCalls: [{ name: 'studio__draw_129', arguments: {} }] },
        { text: 'This is the picture.' },
      )
      await page.getByRole('textbox').last().fill('Draw it')
      await page.keyboard.press('Enter')
      const main = page.getByRole('main')
      await main
        .getByRole('article', { name: WORDS[locale].reply })
        .getByText('This is the picture.')
        .waitFor()
      await main.locator('img').waitFor()
      await page.reload()
      await main.locator('img').waitFor()
      await main.getByRole('button', { name: WORDS[locale].steps }).click()
      await main.getByRole('button', { name: `${WORDS[locale].findTools} draw 129` }).waitFor()
      t.equal(await main.locator('img').count(), 1, 'beside the answer alone')
      t.strictSame(faults, [])
      await page.close()
    }
  })
})

/** A picture of one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Checks that nothing is wider than the screen. */
async function fits(t: Test, page: Awaited<ReturnType<typeof openConsole>>['page'], name: string) {
  t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${name} fits`)
}
