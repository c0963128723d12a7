import { setTimeout as pause } from 'node:timers/promises'
import t from '../../run/file-test.ts'
import { amount, chooseSeed, isLong } from '../../run/tier.ts'
import { createChance } from '../../support/random.ts'
import { createHome } from '../../support/server.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'
import { startCrashService } from './crash-service.ts'

const KILLS = amount({ short: 3, long: 20 })
const seed = chooseSeed(23)

t.test(`all messages are found after the server was killed at any time (seed ${seed})`, async (t) => {
  const random = createChance(seed)
  const home = createHome(t, isLong ? {} : { database: { url: await createDatabaseUrl(t) } })
  const service = await startCrashService(t, home)
  const { thread_id } = await service.call('POST', '/threads')
  const search = async (q: string): Promise<{ message_id: string | null }[]> => {
    const url = new URL(`../../search?${new URLSearchParams({ q })}`, `${service.agentUrl()}/`)
    const response = await fetch(url, { headers: { authorization: `Bearer ${service.token}` } })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    return (await response.json()) as { message_id: string | null }[]
  }
  for (let n = 0; n < KILLS; n += 1) {
    const socket = await service.connect()
    service.fake.next({ text: [`answer${n} `, 'of ', 'words'] })
    socket.say({ thread_id, text: `question${n}` })
    await socket.until(({ type }) => type === (n % 2 === 0 ? 'turn_started' : 'content'))
    await pause(random.int(0, 30))
    await service.kill()
    await service.start({ isLast: n === KILLS - 1 })
    for (;;) {
      const { turn_active } = await service.call('GET', `/threads/${thread_id}/history?limit=1`)
      if (!turn_active) break
      await pause(20)
    }
  }
  const { messages } = await service.call('GET', `/threads/${thread_id}/history?limit=200`)
  let count = 0
  for (const { id, content } of messages as { id: string; content: { text?: string }[] }[])
    for (const word of content[0]?.text?.match(/(question|answer)\d+/g) ?? []) {
      const rows = (await search(`"${word}"`)).filter(({ message_id }) => message_id !== null)
      t.strictSame(
        rows.map(({ message_id }) => message_id),
        [id],
        word,
      )
      count += 1
    }
  t.ok(count >= KILLS)
})
