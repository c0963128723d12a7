import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createParser } from 'eventsource-parser'
import { type WebSocket, WebSocketServer } from 'ws'

// The baseline of the benchmarks, a minimal streaming chat server in a process of its own: it sends each message from
// a WebSocket to the upstream and returns every delta as a frame. Its argument is the base URL of the upstream.
const upstreamUrl = `${process.argv[2]}/chat/completions`

async function relay(socket: WebSocket, text: string): Promise<void> {
  const response = await fetch(upstreamUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'bench-model', messages: [{ role: 'user', content: text }], stream: true }),
  })
  const parser = createParser({
    onEvent({ data }) {
      if (data === '[DONE]') return
      const content = JSON.parse(data).choices[0]?.delta.content
      if (content) socket.send(JSON.stringify({ type: 'content', content }))
    },
  })
  const decoder = new TextDecoder()
  for await (const bytes of response.body!) parser.feed(decoder.decode(bytes, { stream: true }))
  socket.send(JSON.stringify({ type: 'done' }))
}

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
server.on('connection', (socket) => {
  socket.on('message', (data) => relay(socket, JSON.parse(String(data)).text))
})
await once(server, 'listening')
process.once('disconnect', () => process.exit())
process.send?.({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` })
