import { AppError } from '#plugin-api'
import type { TurnSettings } from '../../conversations/chat/documents.ts'
import type { ReadEvent } from '../../conversations/chat/ledger/ledger-reader.ts'
import type { Asker } from './agent-reply.ts'
import { type ResponsePlace, readResponseId } from './ids.ts'
import type { Cradle } from './manifest.ts'
import { toReplyParts } from './reply-parts.ts'
import { type ResponseRow, readResponse } from './responses.ts'

const PAGE = 200

/** Reads a response from the ledger of its thread. Throws RESPONSE_NOT_FOUND. */
export async function readStoredResponse(
  id: string,
  { caller, locale, request_id }: Omit<Asker, 'signal'>,
  { agents, threads, ledgerReader, explainError }: Cradle,
): Promise<ResponseRow> {
  const { thread_id, turn_id, after } = readResponseId(id)
  const thread = await threads.getOfUser(caller.id, thread_id).catch((error) => {
    throw error instanceof AppError && error.code === 'THREAD_NOT_FOUND'
      ? new AppError('RESPONSE_NOT_FOUND')
      : error
  })
  const { events } = await ledgerReader.page(thread_id, { turn_id, after: 0, limit: 1 })
  const [started] = events
  if (!started) throw new AppError('RESPONSE_NOT_FOUND')
  const agent = await agents.find(thread.agent_id)
  const resumed = after === undefined ? null : await ledgerReader.find(thread_id, after + 1)
  const settings = resumed?.settings ?? started.settings ?? {}
  const head = {
    id,
    created_at: Math.floor(started.ts / 1000),
    model: agent?.owner_id === caller.id ? agent.name : thread.agent_id,
    instructions: thread.instructions || null,
    max_output_tokens: settings.max_output_tokens ?? null,
    metadata: {},
    previous_response_id: null,
    reasoning: { effort: settings.reasoning ?? null, summary: null },
    temperature: settings.temperature ?? null,
    top_p: settings.top_p ?? null,
    ...showSettings(settings),
  }
  const parts = toReplyParts(readTurn({ thread_id, turn_id, after: after ?? 0 }, ledgerReader), {
    agent_id: thread.agent_id,
    thread_id,
    locale,
  })
  return readResponse(parts, head, { explainError, locale, request_id })
}

async function* readTurn(
  { thread_id, turn_id, ...position }: Required<ResponsePlace>,
  ledgerReader: Cradle['ledgerReader'],
): AsyncGenerator<ReadEvent, void, void> {
  let { after } = position
  for (;;) {
    const { events, has_more } = await ledgerReader.page(thread_id, { turn_id, after, limit: PAGE })
    // A page has no arguments as the model wrote them.
    for (const event of events)
      yield event.type === 'hitl_required'
        ? ((await ledgerReader.find(thread_id, event.seq)) ?? event)
        : event
    if (!has_more) return
    after = events.at(-1)!.seq
  }
}

/** Returns the tools and the form of the answer of a turn as a response shows them. */
export function showSettings({ client_tools, answer_format }: TurnSettings) {
  const { tools = [], must_call, is_sequential } = client_tools ?? {}
  return {
    parallel_tool_calls: is_sequential !== true,
    text: { format: showFormat(answer_format) },
    tool_choice: showChoice(must_call),
    tools: tools.map(({ name, description, input_schema, strict }) => ({
      type: 'function' as const,
      name,
      description,
      parameters: JSON.parse(input_schema) as object,
      strict: strict ?? false,
    })),
  }
}

function showFormat(format: TurnSettings['answer_format']): { type: string } {
  if (!format) return { type: 'text' }
  const { schema, strict = false, ...names } = format
  if (schema === undefined) return { type: 'json_object' }
  return { type: 'json_schema', name: 'answer', ...names, schema: JSON.parse(schema), strict } as {
    type: string
  }
}

function showChoice(must_call: NonNullable<TurnSettings['client_tools']>['must_call']) {
  if (!must_call) return 'auto' as const
  return must_call === 'any' ? ('required' as const) : { type: 'function', ...must_call }
}
