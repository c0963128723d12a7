import t from '../../run/file-test.ts'
import { startScripted } from '../../support/scripted-kind.ts'

const start = await startScripted(t)

t.test('a message that arrives while its channel is being removed leaves nothing', async (t) => {
  const channel = await start(t)
  const { say, server, agent_id, channel_id, runtime } = channel
  const countWaiting = async () => {
    const { body } = await server.request('GET', '/metrics')
    return /svc_channel_messages_waiting (\d+)/.exec(String(body))?.[1]
  }
  const path = `/agents/${agent_id}/channels/${channel_id}`
  await server.request('PATCH', path, { body: { enabled: false } })
  await say('too early')
  t.equal(await countWaiting(), '1', 'it waits until the channel is enabled')
  await server.request('DELETE', path)
  t.equal(await countWaiting(), '0')
  await say('too late')
  await say('overheard too late', { conversation: { id: 'square', type: 'group' }, mentioned: false })
  t.equal(await countWaiting(), '0')
  t.equal(await runtime(), undefined)
})
