import type { Expert, missingTools, OfferedTurn, QuickPrompt, Tool, TypeOf } from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { Cradle } from './manifest.ts'
import { FIRST_TOOL_SETTINGS, mayUse, type ToolAccessReader } from './tool-access.ts'
import type { AgentDocument } from './types.ts'

type MissingTool = TypeOf<typeof missingTools>[number]

/** The needs of an expert and of its prompts. */
type Needy = Pick<Expert, 'needs' | 'quick_prompts'>

/** An expert with what it lacks in place of what it needs. */
type Assessed<Row extends Needy> = Omit<Row, keyof Needy> & {
  missing: MissingTool[]
  quick_prompts: (Omit<QuickPrompt, 'needs'> & { missing: MissingTool[] })[]
}

/** Creates the service that names the tools that an expert needs and a turn lacks. */
export function createMissingTools(
  { extensions }: Pick<Cradle, 'extensions'>,
  {
    isEnabled,
    listDefaultKnowledge,
  }: Pick<ToolAccessReader, 'isEnabled'> & { listDefaultKnowledge(user_id: string): Promise<string[]> },
) {
  const isSetUp = async (tool: Tool, caller: AuthCaller, agent: AgentDocument | undefined) => {
    if (!tool.forTurn) return true
    const turn: OfferedTurn = {
      agent_id: agent?._id ?? '',
      owner_id: agent?.owner_id ?? caller.id,
      user_id: caller.id,
      groups: caller.groups,
      thread_id: '',
      channel_type: 'web',
      has_memory: caller.memory,
      knowledge_base_ids: {
        of_owner: agent?.knowledge_base_ids ?? [],
        of_user: await listDefaultKnowledge(caller.id),
      },
    }
    return (await tool.forTurn(turn)) !== null
  }

  const findReason = async (
    tool: Tool,
    caller: AuthCaller,
    agent: AgentDocument | undefined,
  ): Promise<MissingTool['reason'] | undefined> => {
    if (!isEnabled(tool, agent?.tool_settings ?? FIRST_TOOL_SETTINGS)) return 'off'
    if (!mayUse(tool, caller)) return 'forbidden'
    return (await isSetUp(tool, caller, agent)) ? undefined : 'not_set_up'
  }

  const findMissing = async (
    name: string,
    caller: AuthCaller,
    agent: AgentDocument | undefined,
  ): Promise<MissingTool | undefined> => {
    const tool = extensions['agents.tools'].get(name)
    if (!tool) return { tool: name, label: { en: name, zh: name }, reason: 'not_installed' }
    const reason = await findReason(tool, caller, agent)
    return reason && { tool: name, label: tool.label, reason }
  }

  return {
    /** Returns the names of the tools that the first turn of a new thread lacks because something is not set up. */
    async findUnset(agent: AgentDocument, caller: AuthCaller): Promise<ReadonlySet<string>> {
      const tools = extensions['agents.tools'].list()
      const unset = await Promise.all(
        tools.map(async (tool) => ((await isSetUp(tool, caller, agent)) ? [] : [tool.name])),
      )
      return new Set(unset.flat())
    },

    /**
     * Returns experts with the tools that they need and that the first turn of a new thread of this caller would not have,
     * with this agent, or else with a new one.
     */
    async assessExperts<Row extends Needy>(
      experts: readonly Row[],
      caller: AuthCaller,
      agent?: AgentDocument,
    ): Promise<Assessed<Row>[]> {
      const names = experts.flatMap(({ needs = [], quick_prompts }) => [
        ...needs,
        ...quick_prompts.flatMap((prompt) => prompt.needs ?? []),
      ])
      const missing = new Map(
        await Promise.all(
          [...new Set(names)].map(async (name) => [name, await findMissing(name, caller, agent)] as const),
        ),
      )
      const list = (needs: readonly string[] = []) => needs.flatMap((name) => missing.get(name) ?? [])
      return experts.map(({ needs, quick_prompts, ...expert }) => ({
        ...expert,
        missing: list(needs),
        quick_prompts: quick_prompts.map(({ needs, ...prompt }) => ({ ...prompt, missing: list(needs) })),
      }))
    },
  }
}
