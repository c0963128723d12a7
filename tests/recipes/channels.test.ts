import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import t from '../run/file-test.ts'
import { startFakeTelegram } from '../support/fake-telegram.ts'
import { startFakeWebhook } from '../support/fake-webhook.ts'
import { runRecipe } from '../support/recipe-shell.ts'
import { startServer } from '../support/server.ts'

const skip = spawnSync('jq', ['--version']).status !== 0 && 'this machine has no jq'

t.test('the commands of docs/channels.md link an agent to Telegram', { skip }, async (t) => {
  const telegram = await startFakeTelegram()
  t.teardown(() => telegram.close())
  const { endpoints, config } = telegram
  const server = await startServer(t, {
    config: { plugins: { channels: { endpoints: { telegram: endpoints } } } },
  })
  process.env.BOT_TOKEN = String(config.bot_token)
  process.env.MY_ID = '1'
  const output = await runRecipe(t, 'channels.sh', server)
  t.match(output, /^telegram: bot_token$/m)
  t.equal(output.match(/\{"ok":true\}/g)?.length, 2, 'the credentials are good, before and after')
  t.match(output, /"bot_token": "••••/)
  t.notMatch(output, config.bot_token)
})

const noOpenSSL = spawnSync('openssl', ['version']).status !== 0 && 'this machine has no openssl'

t.test('the commands of docs/channels.md post a signed message', { skip: noOpenSSL }, async (t) => {
  const webhook = await startFakeWebhook()
  t.teardown(() => webhook.close())
  const server = await startServer(t, { config: { plugins: { channels: { allow_hosts: ['127.0.0.1'] } } } })
  const body = { kind: 'webhook', name: 'our site', config: webhook.config }
  const { body: channel } = await server.request('POST', '/agents/assistant/channels', { body })
  const variables = { CHANNEL: channel.id, SECRET: String(webhook.config.secret) }
  t.equal(await runRecipe(t, 'webhook.sh', server, variables), '{"accepted":true}')
  while (webhook.shown().length === 0) await sleep(20)
  const forged = await runRecipe(t, 'webhook.sh', server, { ...variables, SECRET: 'another secret of 16' })
  t.match(JSON.parse(forged), { error: { code: 'AUTH_FAILED' } })
})
