import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { createFakeOpenAI } from '../../../plugin-api/testing/fake-openai.ts'
import t from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import type { AttackOrders, AttackReport } from '../../support/attacker.ts'
import { chatUrl, connectChat, MODEL, PROVIDER } from '../../support/chat.ts'
import { createHome } from '../../support/home.ts'
import { ADMIN } from '../../support/server.ts'
import { spawnService } from '../../support/service-process.ts'

/** The duration of the attack, and the minimum number of turns that are measured before it. */
const SECONDS = 60
const QUIET_TURNS = 100

/** The defaults, except for rates, which are low enough that a short attack exceeds them. */
const LIMITS = {
  SVC_LIMIT_REQUESTS_PER_MINUTE: '3000',
  SVC_LIMIT_REQUESTS_BURST: '500',
  SVC_LIMIT_FRAMES_PER_SECOND: '50',
  SVC_LIMIT_FRAMES_BURST: '200',
}

t.test('one attacking account does not block the others', { skip: onlyLong }, async (t) => {
  const fake = await createFakeOpenAI()
  t.teardown(() => fake.close())
  fake.script(({ body }) =>
    JSON.stringify(body.messages.at(-1)).includes('hang')
      ? { text: 'never', hold: new Promise(() => undefined) }
      : { text: ['a', 'short', 'answer'] },
  )
  const service = await spawnService(t, createHome(t), LIMITS)
  // biome-ignore lint/suspicious/noExplicitAny: the test knows the shape of the body
  const call = async (method: string, path: string, token: string, body?: object): Promise<any> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${service.url}/api${path}`, { method, headers, body: JSON.stringify(body) })
    return response.json().catch(() => undefined)
  }
  const logIn = async (username: string, password: string): Promise<string> =>
    (await call('POST', '/auth/login', '', { username, password })).access_token
  const admin = await logIn(ADMIN.username, ADMIN.password)
  await call('POST', '/admin/providers', admin, { ...PROVIDER, base_url: fake.url })
  await call('PUT', '/models/active', admin, { model: MODEL })
  const createPerson = async (username: string) => {
    const password = 'correct-horse-2'
    await call('POST', '/users', admin, { username, password })
    const token = await logIn(username, password)
    const [{ id }] = await call('GET', '/agents', token)
    return { token, agent_id: id as string }
  }
  const [ann, mallory] = [await createPerson('ann'), await createPerson('mallory')]

  const socket = await connectChat(t, chatUrl(service.url, ann.agent_id, ann.token))
  const { thread_id } = await call('POST', `/agents/${ann.agent_id}/threads`, ann.token)
  /** Measures the milliseconds from a message to the first word of its answer. */
  const firstTokens = async (goesOn: (turns: number) => boolean): Promise<number[]> => {
    const waits: number[] = []
    while (goesOn(waits.length)) {
      const begun = performance.now()
      const said = socket.say({ thread_id, text: 'hello' })
      const { turn_id } = await socket.until((frame) => frame.client_message_id === said)
      await socket.until((frame) => frame.turn_id === turn_id && frame.type === 'content')
      waits.push(performance.now() - begun)
      const { end } = await socket.seeTurn(said)
      t.equal(end.type, 'done')
      await pause(50)
    }
    return waits
  }
  const memory = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))![1]) / 1024
  const probes: number[] = []

  const quiet = await firstTokens((turns) => turns < QUIET_TURNS)
  const initialMemory = memory()
  let most = initialMemory
  let isOver = false
  const orders: AttackOrders = { url: service.url, ...mallory, seconds: SECONDS }
  const attack = new Worker(new URL('../../support/attacker.js', import.meta.url), { workerData: orders })
  const reported = once(attack, 'message').then(([report]) => {
    isOver = true
    return report as AttackReport
  })
  const watch = async () => {
    while (!isOver) {
      most = Math.max(most, memory())
      const begun = performance.now()
      await fetch(`${service.url}/api/health/live`)
      probes.push(performance.now() - begun)
      await pause(250)
    }
  }
  const [attacked, { statuses, closes }] = await Promise.all([firstTokens(() => !isOver), reported, watch()])

  const p95 = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length * 0.95)]!
  const figures = {
    statuses,
    closes,
    first_token_ms_p95: { quiet: Math.round(p95(quiet)), attacked: Math.round(p95(attacked)) },
    live_ms_p95: Math.round(p95(probes)),
    memory_mib: { before: Math.round(initialMemory), most: Math.round(most) },
  }
  t.comment(JSON.stringify(figures))
  process.stderr.write(`${JSON.stringify(figures)}\n`)
  t.strictSame(
    Object.keys(statuses).filter((status) => Number(status) >= 500),
    [],
    'no request was answered with an error of the server',
  )
  t.ok(statuses[429]! > 0, 'requests had their limit')
  t.ok(closes[1008]! > 0, 'floods were cut off')
  t.ok(attacked.length > 0)
  t.ok(most - initialMemory <= 150, `${Math.round(most - initialMemory)} MiB more than before`)
  t.ok(p95(attacked) <= 3 * p95(quiet), `${p95(attacked)} ms instead of ${p95(quiet)} ms`)
})
