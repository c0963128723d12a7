import { reply } from '#plugin-api'
import { findAgent, THREAD_HEADER } from './agent-reply.ts'
import { readAnswerFormat } from './answer-format.ts'
import { askWithMessages } from './asked-messages.ts'
import { completion, completionChunk, completionRequest } from './completion-schemas.ts'
import { toChunks, toCompletion, toRequestMessages } from './completions.ts'
import type { Conversation } from './conversation.ts'
import { TURN_ERRORS } from './errors.ts'
import { MAX_BODY_BYTES } from './files.ts'
import { route } from './manifest.ts'
import { assertSupported, toSettings } from './parameters.ts'

/** The routes of chat completions. */
export const completionRoutes = [
  route({
    method: 'POST',
    path: '/v1/chat/completions',
    operation_id: 'createChatCompletion',
    summary: "Ask an agent in the form of OpenAI's chat completions",
    description:
      "The header `X-Thread-Id` chooses a thread, of which only the last message of the request is new; without it, the messages begin a thread of their own. The reply has the thread's id in the same header. The agent's tools run on the server; a call of one of `tools` ends the reply, and the next request continues the turn with its results. A client that leaves stops the turn.",
    guard: 'user',
    scope: 'chat',
    audit: { none: 'Threads are private to their users, as on the socket, and usage is metered.' },
    body: completionRequest,
    body_bytes: MAX_BODY_BYTES,
    stream: 'events',
    events: completionChunk,
    response: { 200: completion },
    errors: TURN_ERRORS,
  }).handle(async ({ body, headers, ...asker }, cradle) => {
    assertSupported(body)
    const { model, stream, stream_options, temperature, top_p, reasoning_effort: effort } = body
    const max_output_tokens = body.max_completion_tokens ?? body.max_tokens
    const format = readAnswerFormat(body.response_format, 'response_format')
    const settings = toSettings(body, { temperature, top_p, max_output_tokens, effort, ...format })
    const messages = toRequestMessages(body.messages)
    const agent = await findAgent(model, asker, cradle)
    const named = headers[THREAD_HEADER.toLowerCase()]
    const question = {
      messages,
      agent,
      settings,
      thread_id: typeof named === 'string' ? named : undefined,
      partsOf: (conversation: Conversation) => conversation.parts,
    }
    const { thread_id, turn_id, after, parts } = await askWithMessages(question, asker, cradle)
    const id = `${turn_id.replace('trn_', 'chatcmpl-')}${after === undefined ? '' : `-${after}`}`
    const head = { id, created: cradle.clock.seconds(), model }
    const named_thread = { [THREAD_HEADER]: thread_id }
    if (!stream) return reply(200, await toCompletion(parts, head), named_thread)
    const withUsage = stream_options?.include_usage ?? false
    return reply(200, toChunks(parts, { ...head, withUsage }), named_thread)
  }),
]
