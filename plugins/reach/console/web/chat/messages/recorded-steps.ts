import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { use } from 'react'
import type { components } from '#client'
import { client } from '../../server/client.ts'
import { send } from '../../server/send.ts'
import { parseCall } from '../../trajectory/parse-call.ts'
import type { Step } from '../store/thread-view.ts'
import { type ShownTurn, TurnContext } from './delegation.ts'
import type { Call } from './parts.ts'

type Event = components['schemas']['TrajectoryEvent']

const PAGE = 200

/**
 * The calls of the delegated tasks of the turn that is shown, in the order in which they began: as they were seen, and,
 * of a turn that had begun before the page was loaded, as the server recorded them.
 */
export function useSteps(isActive: boolean): Step[] {
  const shown = use(TurnContext)
  const { data: recorded = [] } = useQuery({
    queryKey: ['recorded steps', shown?.thread_id, shown?.turn.id, isActive],
    queryFn: () => readSteps(shown!),
    enabled: shown !== undefined && !shown.turn.is_seen,
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  })
  const liveSteps = Object.values(shown?.turn.live ?? {}).flatMap(({ steps }) => steps)
  const steps = new Map(recorded.map((step) => [step.id, step]))
  for (const step of liveSteps) {
    const recordedStep = steps.get(step.id)
    const isResultOnly = step.input === undefined && recordedStep !== undefined
    steps.set(step.id, isResultOnly ? { ...step, ...recordedStep, ...toResult(step) } : step)
  }
  return [...steps.values()].map((step) => {
    const { live, decisions } = shown!.turn
    return {
      ...step,
      ...(live[step.id] && { live: live[step.id]! }),
      ...(decisions[step.id] && { decision: decisions[step.id]! }),
    }
  })
}

const toResult = ({ output, is_error }: Step) => ({
  ...(output !== undefined && { output }),
  ...(is_error !== undefined && { is_error }),
})

/** Reads the calls of delegated tasks of a turn, with the beginning of their input and their output. */
async function readSteps(shown: ShownTurn): Promise<Step[]> {
  const [calls, results] = await Promise.all([
    readEvents(shown, 'tool_call'),
    readEvents(shown, 'tool_result'),
  ])
  const resultOf = new Map(results.map((event) => [event.tool_call_id, event]))
  return calls.flatMap(({ event_id, summary, tool_call_id: id, parent_tool_call_id: parent }) => {
    if (id === undefined || parent === undefined) return []
    const result = resultOf.get(id)
    const step = { id, parent, ...parseCall(summary), recorded: [event_id] }
    if (!result) return [step]
    const [, failed, output = ''] = /^\S+?( failed)?: ?(.*)$/s.exec(result.summary) ?? []
    return [{ ...step, output, is_error: failed !== undefined, recorded: [event_id, result.event_id] }]
  })
}

async function readEvents({ agent_id: id, thread_id, turn }: ShownTurn, type: Event['type']) {
  const events: Event[] = []
  for (let before_seq: number | undefined; ; before_seq = events[0]!.seq) {
    const query = { limit: PAGE, turn_id: turn.id, type, ...(before_seq !== undefined && { before_seq }) }
    const params = { path: { id, thread_id }, query }
    const page = await send(client.GET('/agents/{id}/threads/{thread_id}/trajectory', { params }))
    events.unshift(...page.events)
    if (!page.has_more || page.events.length === 0) return events
  }
}

/** Reads the whole input and output of a step that the server recorded. */
export function useWholeStep(recorded: readonly string[]) {
  const shown = use(TurnContext)
  return useQuery({
    queryKey: ['recorded step', shown?.thread_id, recorded],
    queryFn: async () => {
      const events = await Promise.all(recorded.map((event_id) => readFrame(shown!, event_id)))
      const [call, result] = events
      const sources = result?.sources as Call['sources']
      return {
        input: call?.input,
        ...(result && { output: String(result.output) }),
        ...(sources && { sources }),
      }
    },
    enabled: shown !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

async function readFrame({ agent_id: id, thread_id }: ShownTurn, event_id: string) {
  const params = { path: { id, thread_id, event_id } }
  const path = '/agents/{id}/threads/{thread_id}/trajectory/events/{event_id}'
  const { frame } = await send(client.GET(path, { params }))
  return frame as Record<string, unknown>
}
