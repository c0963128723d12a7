import t from '../run/file-test.ts'
import { runRecipe } from '../support/recipe-shell.ts'
import { startServer } from '../support/server.ts'

t.test('docs/users.md shows how an account and an agent get an external agent', async (t) => {
  const server = await startServer(t)
  const stdout = await runRecipe(t, 'acp.sh', server)
  t.match(stdout, /^\["npx",\["-y","@zed-industries\/codex-acp"\],\{"OPENAI_API_KEY":"••••mine"\}\]$/m)
  t.match(stdout, /^\[true,true\]$/m)
  t.notMatch(server.logged(), /a-key-of-mine/)
})
