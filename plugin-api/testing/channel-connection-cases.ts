import assert from 'node:assert/strict'
import { assertPart } from './assert-part.ts'
import type { ChannelBench } from './channel-bench.ts'
import type { AddTest } from './test-function.ts'

/** Adds the cases of the connection to the platform: repeated calls, reconnecting, credentials and deletion. */
export async function addConnectionCases(
  { kind, server, can, hasBacklog, start }: ChannelBench,
  add: AddTest,
): Promise<void> {
  await add('what the platform does not take at once is sent again, and comes once', async () => {
    const { platform, fake, seeMessage } = await start()
    fake.next({ text: 'after a pause' }, { text: 'after a fault' })
    if (can('rate_limit')) platform.limitRate(2, 1)
    await platform.say({ text: 'one' })
    await seeMessage('after a pause')
    platform.fail(1)
    await platform.say({ text: 'two' })
    await seeMessage('after a fault')
    for (const words of ['after a pause', 'after a fault'])
      assert.equal(platform.shown().filter(({ text }) => text.includes(words)).length, 1, words)
    assert.deepEqual(platform.violations, [])
  })

  await add('a connection that is cut comes back, and tokens that expire are renewed', async () => {
    const { platform, fake, seeMessage, seeState } = await start()
    fake.next({ text: 'before' }, { text: 'behind' }, { text: 'renewed' })
    await platform.say({ text: 'one' })
    await seeMessage('before')
    platform.drop()
    await platform.say({ text: 'two' })
    await seeMessage('behind')
    await seeState('connected')
    platform.expireTokens?.()
    await platform.say({ text: 'three' })
    await seeMessage('renewed')
    assert.deepEqual(platform.violations, [])
  })

  if (hasBacklog)
    await add('a channel that is opened again misses nothing and repeats nothing', async () => {
      const { platform, fake, channels, channel_id, seeMessage, seeState, listPrompts } = await start()
      const reopen = async (meanwhile: () => Promise<unknown>) => {
        assert.equal((await channels('PATCH', `/${channel_id}`, { enabled: false })).status, 200)
        await meanwhile()
        assert.equal((await channels('PATCH', `/${channel_id}`, { enabled: true })).status, 200)
        await seeState('connected')
      }
      fake.next({ text: 'the first reply' }, { text: 'the second reply' }, { text: 'the third reply' })
      await platform.say({ text: 'one' })
      await seeMessage('the first reply')
      await reopen(() => platform.sayUnheard!({ text: 'two' }))
      await seeMessage('the second reply')
      await reopen(async () => undefined)
      await platform.say({ text: 'three' })
      await seeMessage('the third reply')
      assert.deepEqual(listPrompts(), ['one', 'two', 'three'])
      assert.deepEqual(platform.violations, [])
    })

  await add('credentials are tested without side effects, and a refusal has its reason', async () => {
    const { platform, fake, channels, channel_id, seeState, seeMessage } = await start()
    const { config, wrong_config } = platform
    assert.deepEqual(
      (await channels('POST', '/probe', { kind, config: wrong_config })).body.reason,
      'invalid_credentials',
    )
    const missing = await channels('POST', '/probe', { kind, config: {} })
    assertPart(missing.body, { ok: false, reason: 'missing_field' })
    assert.deepEqual((await channels('POST', `/${channel_id}/test`)).body, { ok: true })
    fake.next({ text: 'still here' })
    await platform.say({ text: 'are you?' })
    await seeMessage('still here')
    assertPart((await channels('GET', `/${channel_id}`)).body.runtime, {
      state: 'connected',
      reconnects: 0,
    })
    const { body: row } = await channels('GET', `/${channel_id}`)
    const secrets = Object.entries(row.config).filter(([, value]) => String(value).startsWith('••••'))
    assert.ok(secrets.length > 0, 'secrets are masked')
    assert.deepEqual((await channels('PATCH', `/${channel_id}`, { config: row.config })).status, 200)
    await seeState('connected')
    assert.deepEqual(
      (await channels('POST', `/${channel_id}/test`)).body,
      { ok: true },
      'masks keep what is stored',
    )
    for (const [name] of secrets)
      assert.ok(!server.logged().includes(String(config[name])), `${name} is not in the log`)
  })

  await add('a channel that is deleted is disconnected at once', async () => {
    const { platform, channels, channel_id, listThreads } = await start()
    assert.equal((await channels('DELETE', `/${channel_id}`)).status, 204)
    assert.equal(platform.connections(), 0)
    assert.equal((await channels('GET', `/${channel_id}`)).status, 404)
    assert.deepEqual(await listThreads(), [])
  })
}
