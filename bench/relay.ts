import { readAnswer, serveSockets } from './relay-parts.ts'

// The baseline of the benchmarks, a minimal streaming chat server in a process of its own: it sends each message from
// a WebSocket to the upstream and returns every delta as a frame. Its argument is the base URL of the upstream.
const upstreamUrl = process.argv[2]!

await serveSockets(async (socket, { text }) => {
  await readAnswer(upstreamUrl, text, (content) => socket.send(JSON.stringify({ type: 'content', content })))
  socket.send(JSON.stringify({ type: 'done' }))
})
