import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t from '../../run/file-test.ts'
import { isLong, onlyLong } from '../../run/tier.ts'
import { type ChatSocket, range, startChat, textOf } from '../../support/chat.ts'
import type { TestFrame } from '../../support/socket.ts'

// A stopped reader answers no pings.
const chat = await startChat(t, { pingIntervalMs: 600_000 })
const { fake, createThread } = chat

const PIECE = 'x'.repeat(8000)
/** The most turns that it takes until the buffers of the operating system are full. */
const TURNS = 16

/** Runs turns until the buffers of the operating system are full and the server's begins to fill; returns their text. */
async function sayMuch(
  speaker: ChatSocket,
  thread_id: string,
  isFilling: () => boolean | Promise<boolean>,
): Promise<string> {
  fake.script(({ body }) => ({ text: body.tools ? Array.from({ length: 128 }, () => PIECE) : 'much' }))
  for (let turn = 1; ; turn += 1) {
    // One more turn when it has begun.
    const isLast = turn === TURNS || (!isLong && (await isFilling()))
    const { end } = await speaker.ask({ thread_id, text: 'more' })
    if (end.type !== 'done') throw new Error(JSON.stringify(end))
    if (isLast) return PIECE.repeat(128 * turn)
  }
}
const isLast =
  (end: TestFrame) =>
  ({ seq }: TestFrame): boolean =>
    seq === end.seq

/** Opens a connection and returns the server's side of it as well. */
async function connectBothSides() {
  const accepted: Socket[] = []
  const note = (message: unknown) => void accepted.push((message as { socket: Socket }).socket)
  subscribe('net.server.socket', note)
  const socket = await chat.connect()
  unsubscribe('net.server.socket', note)
  const port = (socket.webSocket as unknown as { _socket: Socket })._socket.localPort
  return { socket, serverSide: accepted.find(({ remotePort }) => remotePort === port)! }
}

/** Returns the server's WebSocket on a connection, where `ws` keeps it. */
function webSocketOf(socket: Socket): { readyState: number } {
  const kept = Object.getOwnPropertySymbols(socket).map((symbol) => Reflect.get(socket, symbol))
  return kept.find((value) => typeof value?.readyState === 'number')
}

const seqsOf = (frames: readonly TestFrame[]) => frames.map(({ seq }) => seq)

t.test('A reader that stops reading is disconnected, uses no more memory and delays nobody', async (t) => {
  const speaker = await chat.connect()
  const thread_id = await createThread()
  const { socket: slow, serverSide } = await connectBothSides()
  await slow.subscribe(thread_id)
  slow.webSocket.pause()
  let most = 0
  speaker.webSocket.on('message', () => {
    most = Math.max(most, serverSide.writableLength)
  })
  /** On a busy machine bytes may wait for a moment before the buffers are full. */
  const isFilling = async () => {
    if (serverSide.writableLength > 0) await pause(200)
    return serverSide.writableLength > 0
  }
  const whole = await sayMuch(speaker, thread_id, isFilling)
  const frames = speaker.of(thread_id)
  t.ok(textOf(frames) === whole, 'the other reader has everything while this one has stopped')
  t.ok(most > 0 && most < 1024 * 1024, `at most ${most} bytes waited for it`)

  const { OPEN } = slow.webSocket
  while (webSocketOf(serverSide).readyState === OPEN) await pause(50)
  slow.webSocket.resume()
  t.match(await slow.closed, { code: 1013 })
  const seen = slow.of(thread_id)
  t.ok(seen.length < frames.length)
  const back = await chat.connect()
  await back.subscribe(thread_id, seen.length)
  await back.until(isLast(frames.at(-1)!))
  t.strictSame(seqsOf([...seen, ...back.of(thread_id)]), range(1, frames.length))
  t.ok(textOf([...seen, ...back.of(thread_id)]) === whole)
})

t.test('A reader that is slow but reads gets everything at its own pace', { skip: onlyLong }, async (t) => {
  const speaker = await chat.connect()
  const thread_id = await createThread()
  const { socket: slow, serverSide } = await connectBothSides()
  await slow.subscribe(thread_id)
  let most = 0
  slow.webSocket.on('message', () => {
    most = Math.max(most, serverSide.writableLength)
    slow.webSocket.pause()
    setTimeout(() => slow.webSocket.resume(), 1)
  })
  const whole = await sayMuch(speaker, thread_id, () => most > 0)
  const frames = speaker.of(thread_id)
  await slow.until(isLast(frames.at(-1)!))
  t.strictSame(seqsOf(slow.of(thread_id)), seqsOf(frames))
  t.ok(textOf(slow.of(thread_id)) === whole)
  t.ok(most < 1024 * 1024, `at most ${most} bytes waited for it`)
})
