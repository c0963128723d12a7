import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from '../../run/file-test.ts'
import { amount, chooseSeed } from '../../run/tier.ts'
import { range } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'
import { createRandom } from '../../support/random.ts'
import { createHome, startServer } from '../../support/server.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'
import { startCrashService } from './crash-service.ts'

const CRASHES = amount({ short: 2, long: 20 })
/** The longest time between the first call and the kill, in milliseconds. */
const MAX_PAUSE_MS = 120
const seed = chooseSeed(23)

t.test('A server that is killed leaves whole shares and nothing else', async (t) => {
  const random = createRandom(seed)
  const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
  const service = await startCrashService(t, home)
  const { agent_id, fake } = service
  const folder = join(home, 'agents', agent_id, 'inbound')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'a.txt'), 'content')
  fake.next({ text: 'An answer.' })
  const file = { type: 'file', path: 'inbound/a.txt', filename: 'a.txt', media_type: 'text/plain' }
  const socket = await service.connect()
  const { thread_id } = await socket.ask({ content: [{ type: 'text', text: 'Look.' }, file] })
  const body = { audience: 'accounts', include_steps: true }
  const share = () => service.call('POST', `/threads/${thread_id}/shares`, body)
  const ask = async (method: string, path: string) => {
    const root = service.agentUrl().replace(/\/agents\/.*/, '')
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' }
    return fetch(`${root}${path}`, { method, headers, ...(method === 'PUT' && { body: '{}' }) })
  }
  const { share_id } = await share()

  for (const round of range(1, CRASHES)) {
    // All of these fail when the server is killed, unless they were faster.
    const calls = [share(), ...range(1, 3).map(() => ask('PUT', `/shares/${share_id}`))].map((call) =>
      call.then(
        () => 'answered',
        () => 'cut off',
      ),
    )
    await pause(random() * MAX_PAUSE_MS)
    await service.kill()
    t.comment(`round ${round}: ${(await Promise.all(calls)).join(', ')}`)
    await service.start()
    const read = await ask('GET', `/shared/${share_id}`)
    t.equal(read.status, 200)
    const { messages } = (await read.json()) as { messages: { content: { url?: string }[] }[] }
    t.equal(messages.length, 2)
    const copy = await ask('GET', messages[0]!.content[1]!.url!.replace(/^\/api/, ''))
    t.equal(await copy.text(), 'content')
  }
  await service.kill()

  const clock = createTestClock()
  clock.advance(2 * 3600)
  const { server, db } = await startServer(t, { home, signIn: false, clock })
  const { shares, snapshots } = server.runtime.cradleOf('shares')
  await shares.clean()
  await snapshots.clean()
  const shown: unknown[] = (await db.collection('shares').distinct('snapshot_id')).sort()
  t.strictSame((await db.collection('share_snapshots').distinct('_id')).sort(), shown)
  t.strictSame((await db.collection('shared_messages').distinct('snapshot_id')).sort(), shown)
  t.strictSame((await readdir(join(home, 'shares'))).sort(), shown)
})
