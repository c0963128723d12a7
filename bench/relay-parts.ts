import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createParser } from 'eventsource-parser'
import { type WebSocket, WebSocketServer } from 'ws'

/** Sends a text to the upstream and calls `onText` for each delta of the answer, until its end. */
export async function readAnswer(
  upstreamUrl: string,
  text: string,
  onText: (content: string) => void,
): Promise<void> {
  const response = await fetch(`${upstreamUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'bench-model', messages: [{ role: 'user', content: text }], stream: true }),
  })
  const parser = createParser({
    onEvent({ data }) {
      if (data === '[DONE]') return
      const content = JSON.parse(data).choices[0]?.delta.content
      if (content) onText(content)
    },
  })
  const decoder = new TextDecoder()
  for await (const bytes of response.body!) parser.feed(decoder.decode(bytes, { stream: true }))
}

/** The message of a client that starts a turn. */
export interface Message {
  text: string
  thread_id?: string
}

/** Serves WebSockets, and sends their address to the parent process. */
export async function serveSockets(
  answer: (socket: WebSocket, message: Message) => Promise<void>,
): Promise<void> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
  server.on('connection', (socket) => {
    socket.on('message', (data) => answer(socket, JSON.parse(String(data))))
  })
  await once(server, 'listening')
  process.once('disconnect', () => process.exit())
  process.send?.({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` })
}
