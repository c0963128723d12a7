import type { Cradle, Tool, WriteArea } from '#kernel'
import type { AgentDocument, ToolAccess } from '../../agents/types.ts'
import type { AuthCaller } from '../../auth/types.ts'

/** Who a turn acts for. */
export type TurnUser = Pick<AuthCaller, 'id' | 'role' | 'permissions'>

/** The tools of one turn. */
export interface TurnTools {
  list(): readonly Tool[]
  get(name: string): Tool | undefined
  readonly write_area: WriteArea | null
  /** Whether a tool needs no person's approval, as the agent's owner decided. */
  isUnattended(name: string): boolean
  /** Reads what is allowed again: settings and permissions count from the next call on. */
  refresh(): Promise<void>
  /** Those of them that whoever the agent delegates to may call. */
  delegable(): TurnTools
}

/** Makes the tools of a turn; until the first call the agent and the user are known well enough. */
export function createTurnTools(
  { agents }: Pick<Cradle, 'agents'>,
  { agent, user }: { agent: AgentDocument; user: TurnUser },
): TurnTools {
  let access: ToolAccess = { tools: agents.listTools(agent, user), write_area: null, unattended: [] }
  const show = (isOffered: (tool: Tool) => boolean): TurnTools => ({
    list: () => access.tools.filter(isOffered),
    get: (name) => access.tools.find((tool) => tool.name === name && isOffered(tool)),
    get write_area() {
      return access.write_area
    },
    isUnattended: (name) => access.unattended.includes(name),
    async refresh() {
      const current = await agents.readToolAccess(agent._id, user.id)
      access = current ?? { tools: [], write_area: null, unattended: [] }
    },
    delegable: () => show(({ top_level_only }) => !top_level_only),
  })
  return show(() => true)
}
