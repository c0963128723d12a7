import t from '../../run/file-test.ts'
import { isLong, onlyLong } from '../../run/tier.ts'
import { noNats, startNats } from '../../support/nats-server.ts'
import { testThreeServers } from '../../support/three-servers.ts'

t.test('Servers that notify each other through NATS', { skip: noNats }, async (t) => {
  const nats = await startNats(t)
  const { chat, connectThere } = await testThreeServers(
    t,
    { SVC_NATS_URL: nats.url },
    // A killed server is the same for every carrier.
    { killsOne: isLong },
  )
  t.equal(await chat.server.db.collection('signals').countDocuments(), 0, 'nothing went through the database')

  await t.test('do without it while it is unavailable', { skip: onlyLong }, async (t) => {
    const thread_id = await chat.createThread()
    const reader = await connectThere()
    await reader.subscribe(thread_id)
    await nats.stop()
    const socket = await chat.connect()
    const seen = async (text: string) => {
      const turn = await socket.ask({ thread_id, text })
      t.strictSame(await reader.seeTurn(turn.client_message_id), turn)
    }
    await seen('while it is unavailable')
    await startNats(t, Number(new URL(nats.url).port))
    await seen('when it is back')
  })
})
