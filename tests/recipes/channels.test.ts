import { spawnSync } from 'node:child_process'
import t from '../run/file-test.ts'
import { startFakeTelegram } from '../support/fake-telegram.ts'
import { runRecipe } from '../support/recipe-shell.ts'
import { startServer } from '../support/server.ts'

const skip = spawnSync('jq', ['--version']).status !== 0 && 'this machine has no jq'

t.test('the commands of the pages link an agent to Telegram', { skip }, async (t) => {
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
