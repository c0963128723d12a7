import { spawnSync } from 'node:child_process'
import t from '../run/file-test.ts'
import { startChat } from '../support/chat.ts'
import { runRecipe } from '../support/recipe-shell.ts'

const skip = spawnSync('jq', ['--version']).status !== 0 && 'this machine has no jq'

t.test('docs/users.md forks, lists, measures, exports and replays a thread', { skip }, async (t) => {
  const { connect, fake, server } = await startChat(t)
  fake.next({ text: 'Hello.', usage: { prompt_tokens: 20, completion_tokens: 3 } })
  const socket = await connect()
  await socket.ask({ text: 'Good morning' })
  const output = await runRecipe(t, 'threads.sh', server)
  const lines = output.split('\n')
  t.equal(lines[0], 'Good morning (fork)')
  t.ok(lines.includes('1 turn_started: Good morning'))
  t.ok(lines.includes('turns replayed: 1, with another outcome: 0'))
  t.equal(output.match(/"total_tokens": 23/g)?.length, 2, 'of the thread and of the account')
})
