import { Counter, Histogram, Registry } from 'prom-client'
import type { AnsweredRequest, Events } from '#plugin-api'
import type { Cradle } from './manifest.ts'

/** Seconds, for what a person waits for. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Seconds, for what a model does. */
const WORK_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600]

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The figures that are counted as things happen, since the start of this process. */
export type Counters = ReturnType<typeof createCounters>

/** Creates the counters, all at 0. Every label has values from a fixed set, so that their number is bounded. */
export function createCounters({ extensions }: Pick<Cradle, 'extensions'>) {
  const registry = new Registry()
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers })
  const histogram = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ) => new Histogram({ name, help, labelNames, buckets, registers })

  const requests = counter('svc_http_requests_total', 'Requests that were answered', [
    'plugin',
    'method',
    'route',
    'status',
  ])
  const requestSeconds = histogram(
    'svc_http_request_duration_seconds',
    'Time until a reply began',
    ['plugin'],
    REQUEST_SECONDS,
  )
  const turnsStarted = counter('svc_turns_started_total', 'Turns that began here', [])
  const turns = counter('svc_turns_total', 'Turns that ended here, with the code of their error', [
    'outcome',
    'code',
  ])
  const turnSeconds = histogram(
    'svc_turn_duration_seconds',
    'Time from the message to the end of its turn, waits for people included',
    ['outcome'],
    WORK_SECONDS,
  )
  const calls = counter('svc_model_calls_total', 'Model calls that ended', [
    'provider',
    'kind',
    'purpose',
    'outcome',
  ])
  const callSeconds = histogram(
    'svc_model_call_duration_seconds',
    'Duration of model calls, waits for their turn included',
    ['provider'],
    WORK_SECONDS,
  )
  const firstSeconds = histogram(
    'svc_model_first_part_seconds',
    'Time from a model call to the first part of its answer',
    ['provider'],
    WORK_SECONDS,
  )
  const tokens = counter('svc_model_tokens_total', 'Tokens of model calls', ['provider', 'direction'])
  const tools = counter('svc_tool_calls_total', 'Tool calls that ended', ['plugin', 'tool', 'outcome'])
  const toolSeconds = histogram(
    'svc_tool_call_duration_seconds',
    'Duration of tool calls',
    ['plugin'],
    WORK_SECONDS,
  )
  const channels = counter('svc_channel_state_changes_total', 'Connections of channels that changed state', [
    'kind',
    'state',
  ])
  const refusals = counter('svc_channel_refusals_total', 'Messages and files that a platform refused', [
    'kind',
    'reason',
  ])
  const signIns = counter('svc_sign_ins_total', 'Accounts that signed in', ['method'])

  return {
    registry,
    noteRequest({ plugin = 'none', method, route = 'none', status, ms }: AnsweredRequest) {
      requests.inc({ plugin, method: METHODS.has(method) ? method : 'other', route, status })
      requestSeconds.observe({ plugin }, ms / 1000)
    },
    noteTurnStart: () => turnsStarted.inc(),
    noteTurnEnd({ stop_reason = 'failed', error_code = '', started_ms, ended_ms }: Events['turn.ended']) {
      turns.inc({ outcome: stop_reason, code: error_code })
      turnSeconds.observe({ outcome: stop_reason }, Math.max(0, ended_ms - started_ms) / 1000)
    },
    noteModelCall({
      provider: { name, kind, scope },
      purpose,
      outcome,
      usage,
      ms,
      first_part_ms,
    }: Events['model.called']) {
      // Providers of accounts are many, and their names may be names of people.
      const provider = scope === 'global' ? name : 'private'
      calls.inc({ provider, kind, purpose, outcome })
      callSeconds.observe({ provider }, ms / 1000)
      if (first_part_ms !== null) firstSeconds.observe({ provider }, first_part_ms / 1000)
      if (!usage) return
      tokens.inc({ provider, direction: 'input' }, toCount(usage.input_tokens))
      tokens.inc({ provider, direction: 'output' }, toCount(usage.output_tokens))
    },
    noteToolCall({ name, ms, is_error }: Events['tool.called']) {
      // Tools of connectors have names that somebody else chose, and models invent names.
      const plugin = extensions['agents.tools'].owner(name) ?? 'other'
      tools.inc({ plugin, tool: plugin === 'other' ? 'other' : name, outcome: is_error ? 'failed' : 'ok' })
      toolSeconds.observe({ plugin }, ms / 1000)
    },
    noteChannelState: ({ kind, state }: Events['channel.state_changed']) => channels.inc({ kind, state }),
    noteChannelRefusal: ({ kind, reason }: Events['channel.refused']) => refusals.inc({ kind, reason }),
    noteSignIn: ({ method }: Events['account.signed_in']) => signIns.inc({ method }),
  }
}

/** Upstreams may report anything, and a counter never falls. */
const toCount = (tokens: number) => (Number.isFinite(tokens) ? Math.max(0, tokens) : 0)
