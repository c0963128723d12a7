import { reply, rowOf } from '#plugin-api'
import { findAgent, THREAD_HEADER } from './agent-reply.ts'
import { readAnswerFormat } from './answer-format.ts'
import { askWithMessages } from './asked-messages.ts'
import { joinParts, type RequestMessage, readInstructions } from './conversation.ts'
import { TURN_ERRORS } from './errors.ts'
import { MAX_BODY_BYTES } from './files.ts'
import { toResponseId } from './ids.ts'
import { route } from './manifest.ts'
import { assertSupported, toSettings } from './parameters.ts'
import { type InputItem, readInput } from './response-input.ts'
import { response, responseEvent, responseRequest } from './response-schemas.ts'
import { readResponse, toResponseEvents } from './responses.ts'
import { readStoredResponse, showSettings } from './stored-responses.ts'

import { continueThread } from './threads.ts'

/** The routes of responses. */
export const responseRoutes = [
  route({
    method: 'POST',
    path: '/v1/responses',
    operation_id: 'createResponse',
    summary: "Ask an agent in the form of OpenAI's responses",
    description:
      '`previous_response_id` continues the thread of a response, or a fork of it if the conversation went on after that response, or its turn if that waits for results of `tools`. The instructions are those of the request. A client that leaves stops the turn.',
    guard: 'user',
    scope: 'chat',
    audit: { none: 'Threads are private to their users, as on the socket, and usage is metered.' },
    body: responseRequest,
    body_bytes: MAX_BODY_BYTES,
    stream: 'events',
    events: responseEvent,
    response: { 200: response },
    errors: [...TURN_ERRORS, 'RESPONSE_NOT_FOUND', 'REPLY_NOT_FOUND'],
  }).handle(async ({ body, headers, ...asker }, cradle) => {
    assertSupported(body)
    const { model, input, instructions, previous_response_id, stream, temperature, top_p } = body
    const { max_output_tokens, reasoning, metadata } = body
    const effort = reasoning?.effort
    const format = readAnswerFormat(body.text?.format, 'text.format')
    const settings = toSettings(body, { temperature, top_p, max_output_tokens, effort, ...format })
    const items = await readInput(input as string | InputItem[], asker.caller.id, cradle)
    const messages: RequestMessage[] = instructions
      ? [{ path: '/instructions', role: 'system', text: instructions }, ...items]
      : items
    const agent = await findAgent(model, asker, cradle)
    const continued = await continueThread(
      { agent, previous: previous_response_id, named: headers[THREAD_HEADER.toLowerCase()] },
      asker,
      cradle,
    )
    const question = {
      messages,
      agent,
      settings,
      thread_id: continued,
      instructions: readInstructions(messages),
      partsOf: joinParts,
    }
    const { parts, ...turn } = await askWithMessages(question, asker, cradle)
    const { thread_id } = turn
    const head = {
      id: toResponseId(turn),
      created_at: cradle.clock.seconds(),
      model,
      instructions: question.instructions || null,
      max_output_tokens: max_output_tokens ?? null,
      metadata: metadata ?? {},
      previous_response_id: previous_response_id ?? null,
      reasoning: { effort: effort ?? null, summary: null },
      temperature: temperature ?? null,
      top_p: top_p ?? null,
      ...showSettings(settings),
    }
    const explanation = { ...asker, explainError: cradle.explainError }
    const named_thread = { [THREAD_HEADER]: thread_id }
    return stream
      ? reply(200, toResponseEvents(parts, head, explanation), named_thread)
      : reply(200, await readResponse(parts, head, explanation), named_thread)
  }),

  route({
    method: 'GET',
    path: '/v1/responses/:id',
    operation_id: 'getResponse',
    summary: 'Read a response',
    description:
      'It is read from the ledger of its thread; `metadata` and `previous_response_id` are not stored.',
    guard: 'user',
    params: rowOf({ id: { type: 'string', description: 'The id of a response' } }),
    response: { 200: response },
    errors: ['RESPONSE_NOT_FOUND'],
  }).handle(({ params, ...asker }, cradle) => readStoredResponse(params.id, asker, cradle)),
]
