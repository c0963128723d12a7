import { AppError, MAX_PAGE_ROWS, type ServerSentEvent } from '#plugin-api'
import { parseEventId, toRow, toWholeEvent } from './event-rows.ts'
import { toJson, toJsonLines } from './export-format.ts'
import { type Cradle, route } from './manifest.ts'
import { measure } from './metrics.ts'
import {
  type ExportHead,
  eventParams,
  eventRow,
  eventsPage,
  exportQuery,
  listQuery,
  metrics,
  streamQuery,
  threadParams,
  trajectoryExport,
  wholeEvent,
} from './schemas.ts'

const PATH = '/agents/:id/threads/:thread_id/trajectory'
const common = {
  method: 'GET',
  guard: 'thread_reader',
  params: threadParams,
  errors: ['THREAD_NOT_FOUND'],
} as const

/** Finds the thread in the path, which must be the caller's. */
const findThread = (
  {
    caller,
    agent,
    params,
  }: { caller: { id: string }; agent: { _id: string }; params: Record<string, string> },
  { threads }: Pick<Cradle, 'threads'>,
) => threads.get({ user_id: caller.id, agent_id: agent._id }, params.thread_id!)

/** The routes of a thread's ledger, which records each step of its turns. */
export const trajectoryRoutes = [
  route({
    ...common,
    path: PATH,
    operation_id: 'listTrajectoryEvents',
    summary: 'List the events of a thread',
    description:
      'Lists what happened in the turns of a thread, in order: without bounds the newest page, with `after_seq` the events that follow it, with `before_seq` those before it. Rows have a summary of one line; an event by itself has all fields.',
    query: listQuery,
    response: { 200: eventsPage },
  }).handle(async (request, cradle) => {
    const { _id } = await findThread(request, cradle)
    const { limit, before_seq: beforeSeq, after_seq: after, type, turn_id } = request.query
    const filter = { ...(type && { type }), ...(turn_id && { turn_id }) }
    const query = { limit: Math.min(limit, MAX_PAGE_ROWS), beforeSeq, after, ...filter }
    const { events, has_more } = await cradle.ledgerReader.page(_id, query)
    return { events: events.map(toRow), has_more }
  }),

  route({
    ...common,
    path: `${PATH}/events/:event_id`,
    operation_id: 'getTrajectoryEvent',
    params: eventParams,
    summary: 'Get an event of a thread',
    description:
      'Returns the frame of the event with everything that was recorded about it, such as the input of a turn, the settings of a model call and the answer of the model.',
    response: { 200: wholeEvent },
    errors: ['THREAD_NOT_FOUND', 'NOT_FOUND'],
  }).handle(async (request, cradle) => {
    const { _id } = await findThread(request, cradle)
    const seq = parseEventId(request.params.event_id)
    const event = seq === undefined ? null : await cradle.ledgerReader.find(_id, seq)
    if (!event) throw new AppError('NOT_FOUND')
    return toWholeEvent(event) as never
  }),

  route({
    ...common,
    path: `${PATH}/metrics`,
    operation_id: 'getTrajectoryMetrics',
    summary: 'Get the metrics of a thread',
    description:
      'Sums up the turns, the model calls, the tool calls by tool, the tokens and the times of a thread. Time spent waiting for a person is counted in `waiting_ms` only.',
    response: { 200: metrics },
  }).handle(async (request, cradle) => {
    const { _id } = await findThread(request, cradle)
    const { tokens, ...others } = await measure(cradle.ledgerReader.all(_id, { withText: false }))
    const { is_estimated, ...counts } = tokens
    return { ...others, tokens: counts }
  }),

  route({
    ...common,
    path: `${PATH}/stream`,
    operation_id: 'streamTrajectory',
    summary: 'Stream the events of a thread',
    description:
      'Sends the events as server-sent events, from now on or after a given event, none missing and none twice. To continue after a cut, send `Last-Event-ID`, as browsers do, or `after_seq`. The stream stays open until the client closes it.',
    query: streamQuery,
    stream: 'events',
    response: { 200: eventRow },
  }).handle(async (request, cradle) => {
    const thread = await findThread(request, cradle)
    const { last_seq } = await cradle.history.status(thread)
    const lastSeenSeq =
      readLastEventId(request.headers['last-event-id']) ?? request.query.after_seq ?? last_seq
    return followRows(lastSeenSeq, thread, request.signal, cradle)
  }),

  route({
    ...common,
    path: `${PATH}/export`,
    operation_id: 'exportTrajectory',
    summary: 'Export the events of a thread',
    description:
      'Downloads the whole ledger of the thread, in lines of JSON or as one JSON document. `svc replay` can run it again, and `importThread` makes a thread of it.',
    query: exportQuery,
    stream: 'download',
    response: { 200: trajectoryExport },
  }).handle(async (request, cradle) => {
    const thread = await findThread(request, cradle)
    const head: ExportHead = {
      format: 'svc-trajectory',
      version: 1,
      thread_id: thread._id,
      title: thread.title,
      created_at: thread.created_at,
      exported_at: cradle.clock.seconds(),
      agent: { name: request.agent.name },
    }
    const events = cradle.ledgerReader.all(thread._id)
    const { format } = request.query
    return {
      filename: `trajectory-${thread._id}.${format}`,
      media_type: format === 'json' ? 'application/json' : 'application/x-ndjson',
      content: format === 'json' ? toJson(head, events) : toJsonLines(head, events),
    }
  }),
]

/** Reads the seq of the last event that a reconnecting client has seen. */
function readLastEventId(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string' || !/^\d{1,12}$/.test(header)) return undefined
  return Number(header)
}

async function* followRows(
  after: number,
  { _id: thread_id, user_id }: { _id: string; user_id: string },
  signal: AbortSignal,
  { ledgerReader }: Pick<Cradle, 'ledgerReader'>,
): AsyncGenerator<ServerSentEvent, void, void> {
  for await (const event of ledgerReader.follow({ thread_id, user_id, after, signal }))
    yield { id: String(event.seq), event: event.type, data: toRow(event) }
}
