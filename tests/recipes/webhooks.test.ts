import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from '../run/file-test.ts'
import { readRecipe } from '../support/readme.ts'
import { startServer } from '../support/server.ts'
import { startReceiver } from '../support/webhook-receiver.ts'

t.test('the function of docs/api.md knows the requests of the server from others', async (t) => {
  const server = await startServer(t, { config: { plugins: { webhooks: { allow_hosts: ['127.0.0.1'] } } } })
  const receiver = await startReceiver(t)
  const { id, secret } = await server.call('POST', '/webhooks', { url: receiver.url, events: ['turn.ended'] })
  await server.call('POST', `/webhooks/${id}/test`)
  const [request] = await receiver.see(1)
  const file = join(t.testdir(), 'verify.mjs')
  writeFileSync(file, readRecipe('verify.mjs'))
  const { isFromServer } = await import(pathToFileURL(file).href)
  const { headers, body } = request!
  const text = JSON.stringify(body)
  t.equal(isFromServer(secret, headers, text), true)
  const old = String(Number(headers['webhook-timestamp']) - 400)
  for (const [key, changed, sent] of [
    [secret, headers, `${text} `],
    [`whsec_${Buffer.alloc(24).toString('base64')}`, headers, text],
    [secret, { ...headers, 'webhook-timestamp': old }, text],
    [secret, {}, text],
  ])
    t.equal(isFromServer(key, changed, sent), false)
})
