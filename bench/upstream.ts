import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises'
import { tokens, wordsAsked } from './chat-socket.ts'
import { vectorOf } from './vectors.ts'

// The minimal model server of the benchmarks, in a process of its own: it answers every chat completion with the same
// 50 tokens, one write per token, as fast as the client reads, or each "20 ms" later, or "200 words" of them, if the
// last message says so, and texts to embed with the same vectors each time. Its argument is the delay before the first
// token in ms.
const firstTokenMs = Number(process.argv[2] ?? 0)

const head = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 0, model: 'bench-model' }
const usage = { prompt_tokens: 25, completion_tokens: tokens.length, total_tokens: 25 + tokens.length }
const toEvent = (chunk: object) => Buffer.from(`data: ${JSON.stringify({ ...head, ...chunk })}\n\n`)
const toChoice = (delta: object, finish_reason: string | null = null) =>
  toEvent({ choices: [{ index: 0, delta, finish_reason }] })

const roleEvent = toChoice({ role: 'assistant', content: '' })
const tokenEvents = tokens.map((content) => toChoice({ content }))
const finishEvent = toChoice({}, 'stop')
const usageEvent = toEvent({ choices: [], usage })
const doneEvent = Buffer.from('data: [DONE]\n\n')
const completion = {
  ...head,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: tokens.join('') }, finish_reason: 'stop' }],
  usage,
}

async function stream(
  res: ServerResponse,
  withUsage: boolean,
  { pauseMs, words }: { pauseMs: number; words: number | undefined },
): Promise<void> {
  const startedAt = performance.now()
  // Timers that are set anew after each word make streams fall in step.
  const pauseBefore = (word: number) =>
    words ? Math.max(0, startedAt + (word + 1) * pauseMs - performance.now()) : pauseMs
  res.writeHead(200, { 'content-type': 'text/event-stream' })
  res.write(roleEvent)
  for (let word = 0; word < (words ?? tokens.length); word++) {
    const event = tokenEvents[word % tokenEvents.length]
    // Writes of one tick share a packet: a tick for each token sends packets as a real model does.
    await (pauseMs > 0 ? sleep(pauseBefore(word)) : nextTick())
    if (res.destroyed) return
    if (!res.write(event)) await Promise.race([once(res, 'drain'), once(res, 'close')])
  }
  res.write(finishEvent)
  if (withUsage) res.write(usageEvent)
  res.end(doneEvent)
}

const server = createServer(async (req, res) => {
  const url = req.url ?? ''
  if (req.method === 'POST' && url.endsWith('/chat/completions')) {
    const body = (await json(req)) as {
      stream?: boolean
      stream_options?: { include_usage?: boolean }
      messages: { content: unknown }[]
    }
    if (firstTokenMs > 0) await sleep(firstTokenMs)
    const asked = JSON.stringify(body.messages.at(-1))
    const [, pauseMs = 0] = /(\d+) ms/.exec(asked) ?? []
    const how = { pauseMs: Number(pauseMs), words: wordsAsked(asked) }
    if (body.stream) return stream(res, body.stream_options?.include_usage === true, how)
    return res.setHeader('content-type', 'application/json').end(JSON.stringify(completion))
  }
  if (req.method === 'POST' && url.endsWith('/embeddings')) {
    const { input, model } = (await json(req)) as { input: string | string[]; model: string }
    const data = [input]
      .flat()
      .map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }))
    const answer = { object: 'list', model, data, usage: { prompt_tokens: 25, total_tokens: 25 } }
    return res.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  }
  const models = {
    object: 'list',
    data: [{ id: 'bench-model', object: 'model', created: 0, owned_by: 'bench' }],
  }
  res.statusCode = url.endsWith('/models') ? 200 : 404
  res.setHeader('content-type', 'application/json').end(JSON.stringify(models))
})

// Longer than a whole run, so that no pooled connection of a client is closed between two figures.
server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.once('disconnect', () => process.exit())
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` })
