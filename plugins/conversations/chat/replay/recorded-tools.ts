import type { Extensions, Tool } from '#plugin-api'
import type { RemoteTool } from '../loop/client-tools.ts'
import type { TurnTools } from '../loop/turn-tools.ts'
import { type Recording, toCallKey } from './recording.ts'

/**
 * Creates tools whose calls are checked as usual and then return their recorded output. `end` is called for a call
 * without a recorded output, whose turn ended before it.
 */
export function createRecordedTools(
  { outputs, files, questions, approvalSteps, approvedCalls, answers }: Recording,
  {
    registry,
    remote,
    step,
    end,
  }: {
    registry: Extensions<Tool>
    /** The tools of the turn's program, whose results are recorded with the decisions. */
    remote: readonly RemoteTool[]
    /** The current step of the turn. */
    step: () => number
    end: () => Promise<never>
  },
): TurnTools {
  const recorded = (tool: Tool): Tool => ({
    ...tool,
    needsApproval: (_input, { tool_call_id }) => approvedCalls.has(toCallKey(step(), tool_call_id)),
    async execute(_input, context) {
      const id = toCallKey(step(), context.tool_call_id)
      for (const question of questions.get(id) ?? []) await context.ask(question).catch(() => undefined)
      for (const request of approvalSteps.get(id) ?? []) await context.requestApproval(request)
      if (answers.has(id)) await context.delegate('').catch(() => undefined)
      const output = outputs.get(id)?.shift()
      if (!output) return end()
      for (const { path, media_type } of files.get(id)?.splice(0) ?? []) context.attach({ path, media_type })
      for (const source of output.sources) context.cite(source)
      if (output.is_error) throw new Error(output.output)
      return output.output
    },
  })
  const show = (isOffered: (tool: Tool) => boolean): TurnTools => ({
    list: () => registry.list().filter(isOffered),
    get(name) {
      const ofProgram = remote.find((tool) => tool.name === name && isOffered(tool))
      if (ofProgram) return ofProgram
      const tool = registry.get(name)
      return tool && isOffered(tool) ? recorded(tool) : undefined
    },
    write_area: null,
    approvalOf: () => 'tool decides',
    refresh: async () => {},
    delegable: ({ isLast }) => show((tool) => !tool.top_level_only && !(isLast && tool.delegates)),
  })
  return show(() => true)
}
