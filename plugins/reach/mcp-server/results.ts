import type { CallToolResult } from '@modelcontextprotocol/server'
import { AppError, describeEnd, type Locale, sayEnd } from '#plugin-api'
import type { Answer } from './ask.ts'
import { say } from './phrases.ts'

/** Returns the result of a tool whose agent has answered, failed, or waits for a person. */
export function toResult(answer: Answer, { locale, base }: { locale: Locale; base: string }): CallToolResult {
  const { thread_id, files, end } = answer
  const shown = answer.text.trim() === '' ? sayEnd('no_answer', locale) : answer.text
  const structured = (text: string) => ({ structuredContent: { text, thread_id } })
  const links = files.map(({ filename, url }) =>
    textBlock(say('file', locale, { filename, url: new URL(url, base).href })),
  )
  switch (end.type) {
    case 'paused': {
      const requests = end.requests.map((request) => `- ${request}`).join('\n')
      const text = say('waits', locale, { thread_id, requests })
      return { content: [textBlock(text), ...links], ...structured(text) }
    }
    case 'failed':
    case 'stopped': {
      const reason = end.type === 'failed' ? end.message : say('stopped', locale)
      const content = answer.text.trim() === '' ? [] : [textBlock(answer.text)]
      return { content: [...content, textBlock(reason)], ...structured(reason), isError: true }
    }
    default: {
      const note = describeEnd(end.type, locale)
      const notes = note === undefined ? [] : [textBlock(note)]
      return { content: [textBlock(shown), ...notes, ...links], ...structured(shown) }
    }
  }
}

/** Returns the result of a tool whose agent was not asked. */
export const toRefusal = (message: string): CallToolResult => ({
  content: [textBlock(message)],
  isError: true,
})

const textBlock = (text: string) => ({ type: 'text' as const, text })

/** The code of JSON-RPC for a request whose connection has ended. */
const CONNECTION_ENDED = -32_000

/** The parts of a reply that may need a last message. */
interface EndedReply {
  /** The message of the client, as parsed. */
  message: unknown
  /** Aborted when the reply ends early: with an AppError if the server has ended it. */
  signal: AbortSignal
  /** Returns an error as the client sees it. */
  explain(error: AppError): { code: string; message: string }
}

/** Adds a last message to the stream of a reply, with the reason why the server ended it before the answer. */
export function withLastMessage(response: Response, ended: EndedReply): Response {
  if (!response.body) return response
  return new Response(ReadableStream.from(withReason(response.body, ended)), response)
}

async function* withReason(
  body: ReadableStream<Uint8Array>,
  { message, signal, explain }: EndedReply,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  // The library learns of the end by a signal that may be lost, so its stream is not waited for.
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  try {
    for (let next = await reader.read(); !next.done; ) {
      yield next.value
      const following = await Promise.race([reader.read(), aborted])
      if (!following) break
      next = following
    }
  } finally {
    await reader.cancel()
  }
  const { reason } = signal
  if (!(reason instanceof AppError) || reason.code === 'CLIENT_LEFT') return
  const { code, message: sentence } = explain(reason)
  const error = { code: CONNECTION_ENDED, message: sentence, data: { code } }
  const text = JSON.stringify({ jsonrpc: '2.0', id: idOf(message), error })
  yield new TextEncoder().encode(`event: message\ndata: ${text}\n\n`)
}

/** Returns the id of a message; null if it has none. */
export const idOf = (message: unknown) => (message as { id?: string | number } | undefined)?.id ?? null
