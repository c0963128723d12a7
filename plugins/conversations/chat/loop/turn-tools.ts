import {
  isChangedOnlyBy,
  type OfferedTurn,
  rowOf,
  type Tool,
  type TypeOf,
  toWords,
  type WriteArea,
} from '#plugin-api'
import type { AgentDocument, LentTools, ToolAccess, ToolChoices } from '../../../agents/agents/types.ts'
import type { AuthCaller, Credential } from '../../../identity/auth/types.ts'
import type { Account, SpendingLimits } from '../../../identity/users/types.ts'
import type { ThreadDocument, TurnSettings } from '../documents.ts'
import type { LedgerEvent } from '../ledger/ledger-event.ts'
import type { Cradle } from '../manifest.ts'
import type { ProjectSettings } from '../threads/thread-projects.ts'
import type { RemoteTool } from './client-tools.ts'

/** The user that a turn acts for, with the rights that the credential leaves which the turn was started with. */
export type TurnUser = Pick<
  AuthCaller,
  'id' | 'role' | 'permissions' | 'groups' | 'memory' | keyof SpendingLimits
> & {
  credential?: Pick<Credential, 'scopes'>
}

/** Returns the limits of an account for its model calls. */
export const toLimits = ({ token_quota, budget = null, timezone = null }: Account): SpendingLimits => ({
  token_quota,
  budget,
  timezone,
})

/** Converts an account to the user that a turn acts for; `limit` are the scopes of the credential, if there is one. */
export function toTurnUser(
  account: Account,
  limit: readonly string[] | undefined,
  { scopes }: Pick<Cradle, 'scopes'>,
): TurnUser {
  const { _id: id, role, permissions, group_ids: groups, memory = true } = account
  const facts = { groups, memory, ...toLimits(account) }
  if (!limit) return { id, role, permissions, ...facts }
  return { id, ...scopes.restrict(account, limit), ...facts, credential: { scopes: limit } }
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
  /** Returns the tools that a delegated task may call; the last one in a row cannot delegate. */
  delegable(task: { isLast: boolean }): TurnTools
}

/** Returns the turn as tools and instructions of plugins see it. */
export const toOfferedTurn = ({
  agent,
  user,
  thread,
  project,
  settings,
}: {
  agent: AgentDocument
  user: TurnUser
  thread: ThreadDocument
  project: ProjectSettings | undefined
  settings: TurnSettings
}): OfferedTurn => ({
  agent_id: agent._id,
  owner_id: agent.owner_id,
  user_id: user.id,
  groups: user.groups,
  thread_id: thread._id,
  channel_type: thread.channel_type,
  has_memory: user.memory,
  knowledge_base_ids: {
    of_owner: agent.knowledge_base_ids ?? [],
    of_user: [project, thread, settings].flatMap((choice) => choice?.knowledge_base_ids ?? []),
  },
})

/** Returns the tools that a turn has in a form of its own, by name; null for those that it does not have. */
export async function offerTools(
  tools: readonly Tool[],
  turn: OfferedTurn,
): Promise<ReadonlyMap<string, Tool | null>> {
  const offers = tools.flatMap((tool) => (tool.forTurn ? [{ tool, offer: tool.forTurn(turn) }] : []))
  return new Map(await Promise.all(offers.map(async ({ tool, offer }) => [tool.name, await offer] as const)))
}

/** Lists where texts of other people in the instructions of an agent and the descriptions of its tools are from. */
export const listOrigins = ({
  agent,
  user,
  project,
  offered,
  borrowedTools,
}: {
  agent: AgentDocument
  user: TurnUser
  project: ProjectSettings | undefined
  offered: ReadonlyMap<string, Tool | null>
  borrowedTools: LentTools
}): string[] => [
  ...(isChangedOnlyBy(user, agent) ? [] : ['agent']),
  ...(project?.instructions && !project.is_own ? ['project'] : []),
  ...(borrowedTools.tools.length > 0 ? ['connector'] : []),
  ...[...offered].flatMap(([name, tool]) => (tool?.quotes_others ? [name] : [])),
]

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
  const ruleOf = (name: string): ApprovalRule | undefined => {
    if (allowed.includes(name)) return 'never'
    const { always, never } = access.approvals
    return always.includes(name) ? 'always' : never.includes(name) ? 'never' : undefined
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
      const other = access.tools.find((tool) => tool.name === name)?.same_rules_as
      return ruleOf(name) ?? (other ? ruleOf(other) : undefined) ?? 'tool decides'
    },
    async refresh() {
      const scopes = user.credential?.scopes
      access = (await agents.readToolAccess(agent._id, user.id, { scopes, choices })) ?? NO_ACCESS
    },
    delegable: ({ isLast }) => show((tool) => !tool.top_level_only && !(isLast && tool.delegates)),
  })
  return show(() => true)
}

/** The most tools that a model receives; OpenAI refuses more. */
const MAX_TOOLS = 128
/** The most tools that one search returns, and the most characters of the description of each. */
const MAX_RESULTS = 10
const MAX_DESCRIPTION_CHARS = 200
/** The part of a description that is searched. */
const MAX_SEARCHED_CHARS = 1000
/** The weights of a word of the query that a name or a description has. */
const NAME_WEIGHT = 3
const DESCRIPTION_WEIGHT = 1

/** The name of the tool that searches. */
const FIND_TOOLS = 'find_tools'

const input = rowOf({
  query: {
    type: 'string',
    minLength: 1,
    maxLength: 500,
    description: 'Words for what the tool should do, in the language of its server, which is mostly English.',
  },
})

/** Creates the list of a turn; the tools with these names, which a search has found before, come first. */
function createToolList(namesFoundBefore: readonly string[]) {
  /** The names of tools that searches have found, the newest last. */
  const foundNames = new Set(namesFoundBefore)

  const choose = (tools: readonly Tool[]): readonly Tool[] => {
    if (tools.length <= MAX_TOOLS) return tools
    const newestNames = [...foundNames].reverse()
    const rank = (name: string) => {
      const index = newestNames.indexOf(name)
      return index < 0 ? newestNames.length : index
    }
    const findable = tools.filter((tool) => tool.findable)
    const room = Math.max(0, MAX_TOOLS - 1 - (tools.length - findable.length))
    const listedTools = new Set([...findable].sort((a, b) => rank(a.name) - rank(b.name)).slice(0, room))
    const fitting = tools.filter((tool) => !tool.findable || listedTools.has(tool))
    if (tools.some(({ name }) => name === FIND_TOOLS)) return fitting
    return [...fitting, createSearch(findable, findable.length - listedTools.size)]
  }

  const createSearch = (findable: readonly Tool[], hidden: number): Tool => ({
    name: FIND_TOOLS,
    label: { en: 'Find tools', zh: '查找工具' },
    description: `Finds tools of connectors by what they do. ${hidden} of them are not listed here, since they are too many. The tools that are found can be called from your next step on.`,
    input_schema: input,
    disableable: false,
    execute({ query }: TypeOf<typeof input>) {
      const results = findTools(findable, query)
      for (const { name } of results) {
        foundNames.delete(name)
        foundNames.add(name)
      }
      return results.length === 0 ? describeConnectors(findable) : results.map(describe).join('\n')
    },
  })

  return {
    /** Returns the tools that the model receives: all if they are few, otherwise as many as fit, and a search. */
    choose,
    /** Returns the search if it has this name and these tools are too many to be listed. */
    search: (name: string, tools: readonly Tool[]): Tool | undefined =>
      name === FIND_TOOLS
        ? choose(tools).find((tool) => tool.name === FIND_TOOLS && !tools.includes(tool))
        : undefined,
  }
}

/** Returns the names of the tools that the searches among these events have found. */
export const readFoundTools = (events: readonly LedgerEvent[]): string[] =>
  events.flatMap((event) =>
    event.type === 'tool_result' && event.frame.name === FIND_TOOLS && !event.frame.is_error
      ? [...event.frame.output.matchAll(/^- ([\w-]+):/gm)].map(([, name]) => name!)
      : [],
  )

/** Ranks tools by the words of a query that their names and descriptions have. */
function findTools(tools: readonly Tool[], query: string): Tool[] {
  const words = toWords(query)
  const scored = tools.map((tool) => {
    const names = new Set(toWords(`${tool.name} ${tool.label.en}`))
    const description = new Set(toWords(tool.description.slice(0, MAX_SEARCHED_CHARS)))
    const score = words.reduce(
      (sum, word) =>
        sum + (names.has(word) ? NAME_WEIGHT : 0) + (description.has(word) ? DESCRIPTION_WEIGHT : 0),
      0,
    )
    return { tool, score }
  })
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_RESULTS)
    .map(({ tool }) => tool)
}

const describe = ({ name, description }: Tool): string => {
  const line = description.slice(0, MAX_DESCRIPTION_CHARS).toWellFormed().replaceAll(/\s+/g, ' ').trim()
  return `- ${name}: ${line}${description.length > MAX_DESCRIPTION_CHARS ? '…' : ''}`
}

const describeConnectors = (tools: readonly Tool[]): string => {
  const connectors = new Set(tools.map(({ name }) => name.split('__')[0]))
  return `No tool matches. There are tools of: ${[...connectors].join(', ')}.`
}
