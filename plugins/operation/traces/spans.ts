import type { AnsweredRequest, Events } from '#plugin-api'
import { parseTraceparent, type Span, turnSpanIds } from './exporter.ts'

/** Makes the span of a request, which continues the trace of its client. */
export function requestSpan(request: AnsweredRequest): Span {
  const { method, route, plugin, status, started_ms, ms, request_id, traceparent } = request
  return {
    name: route ? `${method} ${route}` : method,
    kind: 'SERVER',
    started_ms,
    ended_ms: started_ms + ms,
    is_error: status >= 500,
    attributes: {
      'http.request.method': method,
      'http.response.status_code': status,
      ...(route && { 'http.route': `/api${route}` }),
      ...(plugin && { 'svc.plugin': plugin }),
      'svc.request_id': request_id,
    },
    parent: parseTraceparent(traceparent),
  }
}

/** Makes the span of a turn, the parent of the spans of its calls. */
export function turnSpan({ turn_id, thread_id, agent_id, ...end }: Events['turn.ended']): Span {
  const { stop_reason, error_code, started_ms, ended_ms } = end
  return {
    name: 'turn',
    kind: 'INTERNAL',
    started_ms,
    ended_ms,
    is_error: error_code !== undefined,
    attributes: {
      'svc.turn_id': turn_id,
      'svc.thread_id': thread_id,
      'svc.agent_id': agent_id,
      ...(stop_reason && { 'svc.stop_reason': stop_reason }),
      ...(error_code && { 'error.type': error_code }),
    },
    self: turnSpanIds(turn_id),
  }
}

/** Makes the span of a model call, with the names of the conventions for generative AI. */
export function modelSpan(call: Events['model.called']): Span {
  const { account, purpose, model, provider, usage, outcome, started_ms, ms, first_part_ms } = call
  const name = model.slice(provider.name.length + 1)
  return {
    name: `chat ${name}`,
    kind: 'CLIENT',
    started_ms,
    ended_ms: started_ms + ms,
    is_error: outcome === 'failed',
    attributes: {
      'gen_ai.operation.name': purpose === 'embedding' ? 'embeddings' : 'chat',
      'gen_ai.provider.name': provider.kind,
      'gen_ai.request.model': name,
      ...(usage && {
        'gen_ai.usage.input_tokens': usage.input_tokens,
        'gen_ai.usage.output_tokens': usage.output_tokens,
      }),
      ...(first_part_ms !== null && { 'svc.first_part_ms': Math.round(first_part_ms) }),
      'svc.purpose': purpose,
      'svc.outcome': outcome,
    },
    parent: account.turn_id === undefined ? undefined : turnSpanIds(account.turn_id),
  }
}

/** Makes the span of a tool call. */
export function toolSpan({ turn_id, name, is_error, ms, ended_ms }: Events['tool.called']): Span {
  return {
    name: `execute_tool ${name}`,
    kind: 'INTERNAL',
    started_ms: ended_ms - ms,
    ended_ms,
    is_error,
    attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name },
    parent: turnSpanIds(turn_id),
  }
}
