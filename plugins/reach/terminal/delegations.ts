import type { SentFrame } from './frames.ts'

/** The calls of a turn that the calls of delegated tasks are below. */
export function createDelegations() {
  const calls = new Map<string, { depth: number; agent: string | undefined; parent: string | undefined }>()

  /** Returns the number of calls above one that this call has delegated. */
  const depthBelow = (parent: string | undefined): number =>
    parent === undefined ? 0 : (calls.get(parent)?.depth ?? 0) + 1

  return {
    clear: () => calls.clear(),

    /** Remembers a call. */
    note({ tool_call_id, name, input, parent_tool_call_id: parent }: SentFrame<'tool_call'>) {
      const { agent } = Object(input) as { agent?: unknown }
      calls.set(tool_call_id, {
        depth: depthBelow(parent),
        agent: name === 'ask_agent' && typeof agent === 'string' ? agent : undefined,
        parent,
      })
    },

    depthBelow,

    /** Returns the name of the agent that was asked for what a call delegates; undefined if none was, or it is not known. */
    agentBelow(parent: string | undefined): string | undefined {
      let call = calls.get(parent ?? '')
      while (call && call.agent === undefined) call = calls.get(call.parent ?? '')
      return call?.agent
    },
  }
}
