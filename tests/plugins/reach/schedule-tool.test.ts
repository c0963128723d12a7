import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { chatUrl, connectChat } from '../../support/chat.ts'
import { startFakeWebhook } from '../../support/fake-webhook.ts'
import { startPlatform } from '../../support/platform-channel.ts'
import type { TestReply } from '../../support/server.ts'

const start = await startPlatform(t, { kind: 'webhook', startFake: startFakeWebhook })
const channel = await start({ allow_from: ['ann'], approvers: ['ann'] })
const { agent_id, channel_id, fake, platform, seeMessage, server } = channel

const cron = (method: string, path = '', body?: object, token?: string) =>
  server.request(method, `/agents/${agent_id}/cron${path}`, { body, token })
const list = async (): Promise<TestReply['body'][]> => (await cron('GET')).body
const call = (input: object) => ({ toolCalls: [{ name: 'schedule', arguments: input }] })
const yearly = { every_seconds: 31_536_000 }

/** Runs a schedule and waits for its end; `text` is what the model answers. */
const run = async (id: string, text: string) => {
  fake.next({ text })
  t.equal((await cron('POST', `/${id}/run-now`)).status, 202)
  return eventually('the end of the run', async () => {
    const [{ status }] = (await cron('GET', `/${id}/runs`)).body
    return status !== 'running' && status
  })
}

t.test('A conversation makes a schedule, with approval, and its answers are sent there', async (t) => {
  fake.next(call({ action: 'create', name: 'News', prompt: 'Tell the news.', schedule: yearly }), {
    text: 'It is set up.',
  })
  await platform.say({ text: 'The news, every year.' })
  await seeMessage('needs approval')
  t.strictSame(await list(), [], 'nothing is stored before')
  await platform.say({ text: '/approve' })
  await seeMessage('It is set up.')
  const [{ id, ...row }] = await list()
  const deliver = { channel_id, conversation_id: 'private' }
  t.match(row, { name: 'News', schedule: yearly, enabled: true, deliver })

  t.equal(await run(id, 'All is *well*.'), 'succeeded')
  t.equal((await seeMessage('All is')).place, 'direct')
  t.equal(fake.requests.at(-1)!.body.messages.at(-1)!.content, 'Tell the news.')
  t.equal(await run(id, 'Still well.'), 'succeeded')
  await seeMessage('Still well.')
  t.equal(platform.shown().filter(({ text }) => text.includes('All is')).length, 1)

  fake.next({ status: 400, error: { message: 'refused' } })
  await cron('POST', `/${id}/run-now`)
  await seeMessage('⚠️')

  fake.next({ text: 'Hello again.' })
  await platform.say({ text: 'Hello?' })
  await seeMessage('Hello again.')
  t.strictSame(platform.violations, [])
})

t.test('Only a known conversation can be chosen, by the owner with the permission', async (t) => {
  const [{ id }] = await list()
  const square = { channel_id, conversation_id: 'square' }
  const choose = (deliver: object) => cron('PATCH', `/${id}`, { deliver })
  t.match(await choose(square), {
    status: 422,
    body: { error: { details: { issues: [{ path: '/deliver', rule: 'conversation' }] } } },
  })
  fake.next({ text: 'Good evening, all.' })
  await platform.say({ text: 'Good evening', place: 'group', sender: 'ann' })
  await seeMessage('Good evening, all.')
  const { body: conversations } = await channel.channels('GET', `/${channel_id}/conversations`)
  t.match(conversations, [
    { conversation_id: 'square', type: 'group', sender: { id: 'ann' }, thread_id: /^thr_/ },
    { conversation_id: 'private', type: 'direct', sender: { id: 'ann' }, thread_id: /^thr_/ },
  ])
  t.match(await choose(square), { status: 200, body: { deliver: square } })
  t.equal(await run(id, 'To everybody.'), 'succeeded')
  t.equal((await seeMessage('To everybody.')).place, 'group')

  const { token } = await server.createUser({ username: 'plain' })
  const { body: agents } = await server.request('GET', '/agents', { token })
  const body = { name: 'x', prompt: 'x', schedule: yearly, deliver: square }
  t.match(await server.request('POST', `/agents/${agents[0].id}/cron`, { token, body }), {
    status: 403,
    body: { error: { code: 'FORBIDDEN', details: { permission: 'channels' } } },
  })
  const administrator = await server.createUser({ username: 'chief', role: 'admin' })
  t.equal((await cron('POST', '', body, administrator.token)).status, 403)
})

t.test('A schedule is disabled when the channel of its conversation is deleted', async (t) => {
  const [{ id }] = await list()
  t.equal((await channel.channels('DELETE', `/${channel_id}`)).status, 204)
  t.match((await cron('GET', `/${id}`)).body, {
    enabled: false,
    paused_reason: 'CHANNEL_REMOVED',
    deliver: null,
    next_run_at: null,
  })
  t.equal((await cron('DELETE', `/${id}`)).status, 204)
})

t.test('In the web, the tool lists, cancels, and says what is wrong', async (t) => {
  await server.request('PATCH', `/agents/${agent_id}`, {
    body: { config: { tools_without_approval: ['schedule'] } },
  })
  const socket = await connectChat(t, chatUrl(server.url, agent_id, server.admin.token))
  const use = async (input: object): Promise<string> => {
    fake.next(call(input), { text: 'ok' })
    const { frames } = await socket.ask({ text: 'go' })
    return frames.find(({ type }) => type === 'tool_result')!.output
  }
  const create = (schedule?: object) => use({ action: 'create', name: 'Tea', prompt: 'Make tea.', schedule })
  const table: [schedule: object | undefined, answer: RegExp][] = [
    [undefined, /schedule are needed/],
    [{}, /either cron, every_seconds or at/],
    [{ every_seconds: 60, cron: '* * * * *' }, /either cron/],
    [{ cron: '0 9 * * *' }, /needs a timezone/],
    [{ cron: '0 9 * * *', timezone: 'Mars/Base' }, /not a known time zone/],
    [{ at: '2001-01-01T00:00:00Z' }, /in the future/],
  ]
  for (const [schedule, answer] of table) t.match(await create(schedule), answer)
  t.match(await use({ action: 'list' }), /^It is \d{4}-.*Z\.\nThere are no schedules\.$/)
  t.match(
    await create({ cron: '0 9 * * *', timezone: 'Asia/Tokyo' }),
    /runs at \d{4}-\S+T00:00:00Z, .* and so on/,
  )
  t.match(await create({ at: '2999-01-01T00:00:00+01:00' }), /runs at 2998-12-31T23:00:00Z\./)
  const [once, daily] = await list()
  t.match(daily, { schedule: { cron: '0 9 * * *', timezone: 'Asia/Tokyo' }, deliver: null, thread: 'new' })
  t.match(await use({ action: 'list' }), new RegExp(`${once.id} "Tea".*\n${daily.id} "Tea"`))
  t.match(await use({ action: 'cancel' }), /job_id is needed/)
  t.match(await use({ action: 'cancel', job_id: 'job_x' }), /./)
  t.match(await use({ action: 'cancel', job_id: once.id }), /cancelled/)
  t.strictSame(
    (await list()).map(({ id }) => id),
    [daily.id],
  )
})
