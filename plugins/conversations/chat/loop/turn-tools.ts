import type { OfferedTurn, Tool, WriteArea } from '#plugin-api'
import type { AgentDocument, LentTools, ToolAccess, ToolChoices } from '../../../agents/agents/types.ts'
import type { AuthCaller, Credential } from '../../../identity/auth/types.ts'
import type { UserDocument } from '../../../identity/users/types.ts'
import type { ThreadDocument, TurnSettings } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import type { RemoteTool } from './client-tools.ts'
import { createToolList } from './listed-tools.ts'

/** The user that a turn acts for, with the rights that the credential leaves which the turn was started with. */
export type TurnUser = Pick<AuthCaller, 'id' | 'role' | 'permissions' | 'token_quota'> & {
  credential?: Pick<Credential, 'scopes'>
}

/** Converts an account to the user that a turn acts for; `limit` are the scopes of the credential, if there is one. */
export function toTurnUser(
  account: UserDocument,
  limit: readonly string[] | undefined,
  { scopes }: Pick<Cradle, 'scopes'>,
): TurnUser {
  const { _id: id, role, permissions, token_quota } = account
  if (!limit) return { id, role, permissions, token_quota }
  return { id, ...scopes.restrict(account, limit), token_quota, credential: { scopes: limit } }
}

/** Decides if a person must approve the calls of a tool. */
export type ApprovalRule = 'always' | 'never' | 'tool decides'

/** The tools of one turn. */
export interface TurnTools {
  /** Returns the tools that the model receives; it may call others that a search has found. */
  list(): readonly Tool[]
  get(name: string): Tool | undefined
  readonly write_area: WriteArea | null
  /** Returns what the agent's owner decided about a tool, and the user for this thread. */
  approvalOf(name: string): ApprovalRule
  /** Reads settings and permissions again, so that changes apply from the next call on. */
  refresh(): Promise<void>
  /** Returns the tools that a delegated task may call. */
  delegable(): TurnTools
}

/** Returns the tools that a turn has in a form of its own, by name; null for those that it does not have. */
export async function offerTools(
  tools: readonly Tool[],
  {
    agent,
    user,
    thread,
    settings,
  }: { agent: AgentDocument; user: TurnUser; thread: ThreadDocument; settings: TurnSettings },
): Promise<ReadonlyMap<string, Tool | null>> {
  const turn: OfferedTurn = {
    agent_id: agent._id,
    owner_id: agent.owner_id,
    user_id: user.id,
    thread_id: thread._id,
    knowledge_base_ids: {
      of_owner: agent.knowledge_base_ids ?? [],
      of_user: [...(thread.knowledge_base_ids ?? []), ...(settings.knowledge_base_ids ?? [])],
    },
  }
  const offers = tools.flatMap((tool) => (tool.forTurn ? [{ tool, offer: tool.forTurn(turn) }] : []))
  return new Map(await Promise.all(offers.map(async ({ tool, offer }) => [tool.name, await offer] as const)))
}

const NO_ACCESS: ToolAccess = { tools: [], write_area: null, approvals: { always: [], never: [] } }

/**
 * Creates the tools of a turn; `allowed` are those that the user has allowed for its thread, `offered` the tools that it has
 * in a form of its own, `remote` the tools of its program, which replace the agent's tools of the same names, and
 * `foundNames` those that searches have found before. The agent and the user as given apply until `refresh` is called.
 */
export function createTurnTools(
  { agents }: Pick<Cradle, 'agents'>,
  {
    agent,
    user,
    allowed,
    offered,
    borrowedTools,
    choices,
    remote,
    foundNames,
  }: {
    agent: AgentDocument
    user: TurnUser
    allowed: readonly string[]
    offered: ReadonlyMap<string, Tool | null>
    borrowedTools: LentTools
    choices: ToolChoices
    remote: readonly RemoteTool[]
    foundNames: readonly string[]
  },
): TurnTools {
  const toolList = createToolList(foundNames)
  const remoteNames = new Set(remote.map(({ name }) => name))
  let access: ToolAccess = { ...NO_ACCESS, tools: [...agents.listTools(agent, user), ...borrowedTools.tools] }
  const current = (): readonly Tool[] => {
    if (offered.size === 0 && remote.length === 0) return access.tools
    const ofAgent = access.tools.flatMap((tool) => {
      const own = offered.has(tool.name) ? offered.get(tool.name) : tool
      return own && !remoteNames.has(tool.name) ? [own] : []
    })
    return [...ofAgent, ...remote]
  }
  const show = (isOffered: (tool: Tool) => boolean): TurnTools => ({
    list: () => toolList.choose(current().filter(isOffered)),
    get(name) {
      const tools = current().filter(isOffered)
      return tools.find((tool) => tool.name === name) ?? toolList.search(name, tools)
    },
    get write_area() {
      return access.write_area
    },
    approvalOf(name) {
      if (allowed.includes(name)) return 'never'
      const { always, never } = access.approvals
      return always.includes(name) ? 'always' : never.includes(name) ? 'never' : 'tool decides'
    },
    async refresh() {
      const scopes = user.credential?.scopes
      access = (await agents.readToolAccess(agent._id, user.id, { scopes, choices })) ?? NO_ACCESS
    },
    delegable: () => show(({ top_level_only }) => !top_level_only),
  })
  return show(() => true)
}
