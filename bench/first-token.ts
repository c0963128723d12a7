import { MongoClient } from 'mongodb'
import { openChatSocket } from './chat-socket.ts'
import { type Figure, median, quantile } from './figure.ts'

const warmUp = 30
const turns = 300

/**
 * Measures the time from sending a turn to its first text on one socket, of the relay and of the service, beside three
 * journaled writes.
 */
export const measureFirstToken: Figure = async (stage) => {
  const relaySocket = await openChatSocket((await stage.relay()).url)
  const service = await stage.startService(await stage.createHome())
  const { chatUrl } = await stage.createAccount(service)
  const serviceSocket = await openChatSocket(chatUrl)

  const relay = { socket: relaySocket, times: [] as number[] }
  const served = { socket: serviceSocket, times: [] as number[] }
  for (let turn = 0; turn < warmUp + turns; turn++) {
    // The order changes with each pair, because the second turn of a pair benefits from warm caches.
    for (const side of turn % 2 === 0 ? [relay, served] : [served, relay]) {
      const firstMs = await side.socket.turn('Tell me something about the sea.')
      if (turn >= warmUp) side.times.push(firstMs)
    }
  }

  const client = await MongoClient.connect((await service.engine()).uri)
  const writes = client.db('bench').collection('writes')
  const writeTimes: number[] = []
  for (let write = 0; write < warmUp + turns; write++) {
    const startedAt = performance.now()
    for (let step = 0; step < 3; step++) await writes.insertOne({}, { writeConcern: { j: true } })
    if (write >= warmUp) writeTimes.push(performance.now() - startedAt)
  }
  await client.close()

  const note = `${turns} turns`
  return [
    { measure: 'relay p50', value: median(relay.times), unit: 'ms', note },
    { measure: 'relay p95', value: quantile(relay.times, 0.95), unit: 'ms', note },
    { measure: 'service p50', value: median(served.times), unit: 'ms', note },
    { measure: 'service p95', value: quantile(served.times, 0.95), unit: 'ms', note },
    { measure: 'service - relay, p50', value: median(served.times) - median(relay.times), unit: 'ms' },
    { measure: 'three journaled writes, p50', value: median(writeTimes), unit: 'ms', note: 'by the driver' },
  ]
}
