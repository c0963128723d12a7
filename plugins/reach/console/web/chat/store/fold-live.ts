import type { ThreadFrame } from '#client'
import type { LiveCall, Turn } from './thread-view.ts'

const IDLE: LiveCall = { progress: '', steps: [] }
/** The most characters of the progress of one call that are kept. */
const MAX_PROGRESS = 20_000

/** Notes what history does not contain: the progress of calls, and the calls of delegated tasks. */
export function foldLive(turn: Turn, frame: ThreadFrame): Turn {
  const change = (id: string, work: (call: LiveCall) => Partial<LiveCall>): Turn => {
    const call = turn.live[id] ?? IDLE
    return { ...turn, live: { ...turn.live, [id]: { ...call, ...work(call) } } }
  }
  if (frame.type === 'tool_progress') {
    // The progress of a delegated call is part of the progress of the call that delegated it.
    return change(frame.parent_tool_call_id ?? frame.tool_call_id, ({ progress }) => ({
      progress: (progress + frame.content).slice(-MAX_PROGRESS),
    }))
  }
  if (frame.type === 'tool_call' && frame.parent_tool_call_id !== undefined) {
    const step = { id: frame.tool_call_id, name: frame.name, input: frame.input }
    return change(frame.parent_tool_call_id, ({ steps }) => ({ steps: [...steps, step] }))
  }
  if (frame.type === 'tool_result' && frame.parent_tool_call_id !== undefined) {
    const { tool_call_id, output, is_error } = frame
    return change(frame.parent_tool_call_id, ({ steps }) => ({
      steps: steps.map((step) => (step.id === tool_call_id ? { ...step, output, is_error } : step)),
    }))
  }
  return turn
}
