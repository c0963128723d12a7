import { type Download, type FileReply, isChosenReply, type Route } from '../contract/route.ts'
import { deferSchema } from '../schema.ts'
import type { Call, EndpointParts } from './call.ts'
import { isEventStream, sendEvents } from './event-stream.ts'
import { sendDownload, sendFile } from './file-reply.ts'
import { sendWebReply } from './web-reply.ts'

/** Headers of a stream that ends with its answer: the client may use the connection again. */
const FINITE_STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Keeps a proxy from waiting until it has more.
  'X-Accel-Buffering': 'no',
}

const EVENT_STREAM_HEADERS = {
  ...FINITE_STREAM_HEADERS,
  // A stopping server need not wait for another request on the connection.
  Connection: 'close',
}

/** Returns the last step of an endpoint: it checks the handler's result by the schema of the route, and sends it. */
export function createReplySender(
  route: Route,
  { guard, report, sockets, heartbeatMs, onWrongReply }: EndpointParts,
): (call: Call) => void | Promise<void> {
  const checkEvent = route.events && deferSchema(route.events, 'reply')
  const checkReply = new Map(
    Object.entries(route.response).flatMap(([status, schema]) =>
      schema ? [[Number(status), deferSchema(schema, 'reply')]] : [],
    ),
  )

  return ({ context, added, reading, guarded, status, result }) => {
    const checkReader = () => guard({ ...guarded!, opened: added, setHeader: () => undefined }, {})
    const explain = (error: unknown) => report(error, context.state.locale, context.state.request_id)
    const reader = { reading, context: added, checkReader, sockets, explain }
    if (route.stream === 'response') return sendWebReply(context, result as Response, reader)
    context.status = status
    if (route.stream === 'download') return sendDownload(context, result as Download)
    if (route.stream === 'file') return sendFile(context, result as FileReply)
    const check = (content: unknown, validate = checkReply.get(status)) => {
      try {
        validate?.(content)
      } catch (error) {
        onWrongReply(error)
      }
    }
    const content = isChosenReply(result) ? result.body : result
    if (isChosenReply(result)) context.set(result.headers)
    if (route.stream === 'events' && isEventStream(content)) {
      context.set(route.events ? FINITE_STREAM_HEADERS : EVENT_STREAM_HEADERS)
      // Koa would send the body through two more streams.
      context.respond = false
      return sendEvents(context.res, {
        items: content,
        check: (data) => check(data, checkEvent),
        ...reader,
        toErrorItem: (body) => (route.events ? { data: { error: body } } : { event: 'error', data: body }),
        heartbeatMs,
      })
    }
    if (content === undefined && route.response[status])
      throw new Error(
        `the handler of ${route.method} ${route.path} returned nothing instead of its reply ${status}`,
      )
    check(content)
    context.body = route.response[status] === null ? null : content
    // Koa takes a reply without a body for a 204, redirects as well.
    if (route.response[status] === null) context.status = status
  }
}
