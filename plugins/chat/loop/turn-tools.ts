import type { Tool, WriteArea } from '#plugin-api'
import type { AgentDocument, ToolAccess } from '../../agents/types.ts'
import type { AuthCaller } from '../../auth/types.ts'
import type { UserDocument } from '../../users/types.ts'
import type { Cradle } from '../manifest.ts'

/** Who a turn acts for. */
export type TurnUser = Pick<AuthCaller, 'id' | 'role' | 'permissions' | 'token_quota'>

/** The account as a turn acts for it. */
export const turnUserOf = ({ _id: id, role, permissions, token_quota }: UserDocument): TurnUser => ({
  id,
  role,
  permissions,
  token_quota,
})

/** Whether calls of a tool need a person's approval. */
export type ApprovalRule = 'always' | 'never' | 'as the tool says'

/** The tools of one turn. */
export interface TurnTools {
  list(): readonly Tool[]
  get(name: string): Tool | undefined
  readonly write_area: WriteArea | null
  /** What the agent's owner decided of a tool, and the user for this thread. */
  approvalOf(name: string): ApprovalRule
  /** Reads what is allowed again: settings and permissions count from the next call on. */
  refresh(): Promise<void>
  /** Those of them that whoever the agent delegates to may call. */
  delegable(): TurnTools
}

const NO_ACCESS: ToolAccess = { tools: [], write_area: null, approvals: { always: [], never: [] } }

/** Makes the tools of a turn, `allowed` being those that the user has allowed for its thread; until the first call the agent and the user are known well enough. */
export function createTurnTools(
  { agents }: Pick<Cradle, 'agents'>,
  { agent, user, allowed }: { agent: AgentDocument; user: TurnUser; allowed: readonly string[] },
): TurnTools {
  let access: ToolAccess = { ...NO_ACCESS, tools: agents.listTools(agent, user) }
  const show = (isOffered: (tool: Tool) => boolean): TurnTools => ({
    list: () => access.tools.filter(isOffered),
    get: (name) => access.tools.find((tool) => tool.name === name && isOffered(tool)),
    get write_area() {
      return access.write_area
    },
    approvalOf(name) {
      if (allowed.includes(name)) return 'never'
      const { always, never } = access.approvals
      return always.includes(name) ? 'always' : never.includes(name) ? 'never' : 'as the tool says'
    },
    async refresh() {
      access = (await agents.readToolAccess(agent._id, user.id)) ?? NO_ACCESS
    },
    delegable: () => show(({ top_level_only }) => !top_level_only),
  })
  return show(() => true)
}
