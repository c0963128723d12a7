import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t, { type Test } from '../../run/file-test.ts'
import { chatUrl, connectChat, createHold, startChat, textOf } from '../../support/chat.ts'
import { createHome, spawnCommand } from '../../support/kernel.ts'
import { startRelay } from '../../support/relay.ts'
import { serveHome } from '../../support/served-home.ts'
import { ADMIN } from '../../support/server.ts'

const post = (url: string, token: string) =>
  fetch(`${url}/api/admin/restart`, { method: 'POST', headers: { authorization: `Bearer ${token}` } })

const isGone = (pid: number) => {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

async function signIn(url: string): Promise<string> {
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  const { access_token } = (await response.json()) as { access_token: string }
  return access_token
}

t.test(
  'a server restarts itself at the same address, also twice, and stops with the first process',
  async (t) => {
    const home = createHome(t)
    const server = await serveHome(t, home)
    const [{ url, pid }] = server.starts as [{ url: string; pid: number }]
    const token = await signIn(url)
    const reply = await post(url, token)
    t.equal(reply.status, 202)
    t.match(await reply.json(), { started_at: Number, node_id: String })
    await server.untilStarts(2)
    t.equal(server.starts[1]!.url, url)
    t.not(server.starts[1]!.pid, pid)
    t.match(server.log(), /^Restarting\.$/m)

    const { code, stdout, stderr } = await spawnCommand(home, ['restart'])
    t.equal(code, 0, stderr)
    t.equal(stdout, `Restarted: ${url}\n`)
    await server.untilStarts(3)
    t.equal(server.starts[2]!.url, url)
    t.ok(isGone(server.starts[1]!.pid))

    server.child.kill('SIGTERM')
    t.strictSame(await server.ended, [0, null])
    t.ok(isGone(server.starts[2]!.pid))
    t.match(await spawnCommand(home, ['restart']), { code: 1, stderr: /no server runs on/ })
  },
)

t.test('a successor ends with its predecessor', async (t) => {
  const server = await serveHome(t, createHome(t))
  const { url } = server.starts[0]!
  await post(url, await signIn(url))
  await server.untilStarts(2)
  server.child.kill('SIGKILL')
  await eventually('the end of the successor', () => isGone(server.starts[1]!.pid))
})

t.test('under a supervisor the process exits with 75', async (t) => {
  const server = await serveHome(t, createHome(t), { SVC_SUPERVISED: '1' })
  const { url } = server.starts[0]!
  t.equal((await post(url, await signIn(url))).status, 202)
  t.strictSame(await server.ended, [75, null])
})

/** A client that reconnects, subscribes again and repeats a message that it has no answer to. */
function createPatientClient(t: Test, urlOf: () => string, thread_id: string) {
  let socket: Awaited<ReturnType<typeof connectChat>> | undefined
  return {
    async ask(text: string): Promise<string> {
      const client_message_id = `m-${text}`
      return eventually(`the answer to ${text}`, async () => {
        try {
          if (!socket) {
            socket = await connectChat(t, urlOf())
            await socket.subscribe(thread_id, 0)
          }
          const { frames, end } = await socket.ask({ thread_id, text, client_message_id })
          return end.type === 'done' && textOf(frames)
        } catch {
          socket = undefined
          return undefined
        }
      })
    },
  }
}

t.test('a conversation goes on while the servers of a database restart one after the other', async (t) => {
  const chat = await startChat(t)
  const { agent_id, fake } = chat
  const { token } = chat.server.admin
  const thread_id = await chat.createThread()
  const servers = await Promise.all([serveHome(t, chat.server.home), serveHome(t, chat.server.home)])
  await chat.server.stop()
  let turn = 0
  const relay = await startRelay(t, () => servers[turn++ % 2]!.starts[0]!.url)
  const client = createPatientClient(t, () => chatUrl(relay.url, agent_id, token), thread_id)

  const { hold, release } = createHold()
  fake.next({ text: ['before ', 'and after'], hold, holdAfter: 1 })
  const held = client.ask('held')
  await eventually('the call of the model', () => fake.requests.length > 0)
  const replies = []
  for (const [index, server] of servers.entries()) {
    replies.push((await post(server.starts[0]!.url, token)).status)
    if (index === 0) release()
    await server.untilStarts(2)
    fake.next({ text: [`answer ${index}`] })
    t.equal(await client.ask(`question ${index}`), `answer ${index}`)
  }
  t.strictSame(replies, [202, 202])
  t.match(await held, /before and after$/)
  const history = await fetch(
    `${servers[0]!.starts[0]!.url}/api/agents/${agent_id}/threads/${thread_id}/history`,
    {
      headers: { authorization: `Bearer ${token}` },
    },
  )
  const { messages } = (await history.json()) as { messages: { role: string; content: { text: string }[] }[] }
  const questions = messages.filter(({ role }) => role === 'user')
  t.strictSame(
    questions.map(({ content }) => content[0]!.text).sort(),
    ['held', 'question 0', 'question 1'],
    'each message once',
  )
})
