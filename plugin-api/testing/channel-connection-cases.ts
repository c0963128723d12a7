import assert from 'node:assert/strict'
import { assertPart, assertSame } from './assert-part.ts'
import type { ChannelBench } from './channel-bench.ts'
import type { AddTest } from './test-function.ts'

/** Adds the cases of the connection to the platform: repeated calls, reconnecting, credentials and deletion. */
export async function addConnectionCases(
  { kind, server, can, hasBacklog, start }: ChannelBench,
  add: AddTest,
): Promise<void> {
  await add(
    'what the platform does not take at once is sent again, and comes once',
    async () => {
      const { platform, fake, seeMessage } = await start()
      fake.next({ text: 'after a pause' }, { text: 'after a fault' })
      if (can('rate_limit')) platform.limitRate(2, 1)
      await platform.say({ text: 'one' })
      await seeMessage('after a pause')
      platform.fail(1)
      await platform.say({ text: 'two' })
      await seeMessage('after a fault')
      for (const words of ['after a pause', 'after a fault'])
        assertSame(
          platform.shown().filter(({ text }) => text.includes(words)).length,
          1,
          `the number of messages with "${words}"`,
        )
      assertSame(platform.violations, [], 'what the platform did not expect of the bot (violations)')
    },
    "Let send throw a ChannelFailure with the reason 'rate_limited' and retry_after_ms, or 'unreachable' for a fault, and hand its key to the platform so that a repeated message comes once; add rate_limit to lacks if the platform has none.",
  )

  await add(
    'a connection that is cut comes back, and tokens that expire are renewed',
    async () => {
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
      assertSame(platform.violations, [], 'what the platform did not expect of the bot (violations)')
    },
    'Call link.lost(error) when a connection ends that does not come back by itself, or link.connecting() and link.connected() if the library reconnects; renew tokens that the platform refuses.',
  )

  if (hasBacklog)
    await add(
      'a channel that is opened again misses nothing and repeats nothing',
      async () => {
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
        assertSame(listPrompts(), ['one', 'two', 'three'], 'the questions that reached the model')
        assertSame(platform.violations, [], 'what the platform did not expect of the bot (violations)')
      },
      'Call link.receive(message, position) with the position behind the message, and begin at link.cursor.get() when the channel is opened again.',
    )

  await add(
    'credentials are tested without side effects, and a refusal has its reason',
    async () => {
      const { platform, fake, channels, channel_id, seeState, seeMessage } = await start()
      const { config, wrong_config } = platform
      assertSame(
        (await channels('POST', '/probe', { kind, config: wrong_config })).body.reason,
        'invalid_credentials',
        'the reason of a probe with wrong_config',
      )
      const missing = await channels('POST', '/probe', { kind, config: {} })
      assertPart(
        missing.body,
        { ok: false, reason: 'missing_field' },
        'the answer to a probe without credentials',
      )
      assertSame(
        (await channels('POST', `/${channel_id}/test`)).body,
        { ok: true },
        'the answer to a test of the channel',
      )
      fake.next({ text: 'still here' })
      await platform.say({ text: 'are you?' })
      await seeMessage('still here')
      assertPart(
        (await channels('GET', `/${channel_id}`)).body.runtime,
        {
          state: 'connected',
          reconnects: 0,
        },
        'the state of the channel after the tests',
      )
      const { body: row } = await channels('GET', `/${channel_id}`)
      const secrets = Object.entries(row.config).filter(([, value]) => String(value).startsWith('••••'))
      assert.ok(
        secrets.length > 0,
        'config_schema must mark at least one secret writeOnly: true, but no field is masked',
      )
      assertSame(
        (await channels('PATCH', `/${channel_id}`, { config: row.config })).status,
        200,
        'the status of a change to the same settings',
      )
      await seeState('connected')
      assertSame(
        (await channels('POST', `/${channel_id}/test`)).body,
        { ok: true },
        'the answer to a test with masked secrets',
      )
      for (const [name] of secrets)
        assert.ok(
          !server.logged().includes(String(config[name])),
          `the log must not have ${name}, but has it`,
        )
    },
    "Let probe(settings, signal) call the platform without sending anything, and throw new ChannelFailure('invalid_credentials', …) if it refuses the credentials; name required fields in required of config_schema.",
  )

  await add(
    'a channel that is deleted is disconnected at once',
    async () => {
      const { platform, channels, channel_id, listThreads } = await start()
      assertSame((await channels('DELETE', `/${channel_id}`)).status, 204, 'the status of the deletion')
      assertSame(platform.connections(), 0, 'the number of open connections of the bot')
      assertSame((await channels('GET', `/${channel_id}`)).status, 404, 'the status of a read')
      assertSame(await listThreads(), [], 'the threads')
    },
    'Let close of the connection end every request and socket before it resolves, and end what listens when link.signal is aborted.',
  )
}
