import { reply } from '#kernel'
import { askAgent, findAgent, THREAD_HEADER } from './agent-reply.ts'
import { completion, completionChunk, completionRequest } from './completion-schemas.ts'
import { toChunks, toCompletion, toRequestMessages } from './completions.ts'
import { toConversation } from './conversation.ts'
import { MAX_BODY_BYTES } from './files.ts'
import { route } from './manifest.ts'
import { assertSupported, toSettings } from './parameters.ts'
import { TURN_ERRORS } from './turn-errors.ts'

/** The routes of chat completions. */
export const completionRoutes = [
  route({
    method: 'POST',
    path: '/v1/chat/completions',
    operation_id: 'createChatCompletion',
    summary: "Ask an agent in the form of OpenAI's chat completions",
    description:
      "The header `X-Thread-Id` chooses a thread, of which only the last message of the request is new; without it, the messages begin a thread of their own. The reply has the thread's id in the same header. The agent's tools run on the server. A client that leaves stops the turn.",
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
    const { model, messages, stream, stream_options, temperature, top_p, reasoning_effort: effort } = body
    const conversation = toConversation(toRequestMessages(messages))
    const agent = await findAgent(model, asker, cradle)
    const named = headers[THREAD_HEADER.toLowerCase()]
    const place =
      typeof named === 'string' ? { thread_id: named, parts: conversation.parts } : { conversation }
    const max_output_tokens = body.max_completion_tokens ?? body.max_tokens
    const settings = toSettings({ temperature, top_p, max_output_tokens, effort })
    const { thread_id, turn_id, parts } = await askAgent({ agent, settings, place }, asker, cradle)
    const head = { id: turn_id.replace('trn_', 'chatcmpl-'), created: cradle.clock.seconds(), model }
    const named_thread = { [THREAD_HEADER]: thread_id }
    if (!stream) return reply(200, await toCompletion(parts, head), named_thread)
    const withUsage = stream_options?.include_usage ?? false
    return reply(200, toChunks(parts, { ...head, withUsage }), named_thread)
  }),
]
