import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const head = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 0, model: 'paced' }

/** The tokens of an answer in Markdown: paragraphs, a list and code. */
const pacedTokens = Array.from({ length: 600 }, (_, index) => {
  if (index % 150 === 149) return '\n```\n\n'
  if (index % 150 === 120) return '\n\n```python\nx = 1\n'
  if (index % 30 === 29) return '.\n\n'
  return index % 30 === 0 ? '**Waves**' : ' water'
})

/** Starts a model server in this process that answers with these tokens at a fixed pace. */
export async function startPacedUpstream(tokensPerSecond: number) {
  const server = createServer(async (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const write = (delta: object, finish_reason: string | null = null) =>
      response.write(
        `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
      )
    const startedAt = performance.now()
    for (const [index, content] of pacedTokens.entries()) {
      const wait = startedAt + (index * 1000) / tokensPerSecond - performance.now()
      if (wait > 0) await sleep(wait)
      if (response.destroyed) return
      write({ content })
    }
    write({}, 'stop')
    response.end('data: [DONE]\n\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
