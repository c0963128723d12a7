import type { Tool } from '@modelcontextprotocol/server'
import { AppError, type Locale } from '#plugin-api'
import type { AgentDocument } from '../../agents/agents/types.ts'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { Cradle } from './manifest.ts'
import { say } from './phrases.ts'
import { toolInput, toolOutput } from './schemas.ts'

const PREFIX = 'ask_'
/** The most characters of the name of a tool. */
const MAX_NAME = 64
const ID = '[0-9A-HJKMNP-TV-Z]{26}'
const ENDS_WITH_ID = new RegExp(`(?:^|_)(${ID})$`)
const PLAIN = new RegExp(`^(?!(?:.*_)?${ID}$)[A-Za-z0-9_-]{1,${MAX_NAME - PREFIX.length}}$`)

/** Agents may change their workspace and other systems, and ask before what cannot be undone. */
const ANNOTATIONS = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
} as const

/** The part of an agent that a tool shows. */
type ShownAgent = Pick<AgentDocument, '_id' | 'owner_id' | 'name' | 'description'>

/**
 * Returns the name of an agent's tool: `ask_` and the name of an agent of one's own. If that is not a valid name, or the
 * agent is somebody else's, its id follows what can be kept of the name.
 */
function toolNameOf({ _id, owner_id, name }: ShownAgent, caller_id: string): string {
  if (owner_id === caller_id && PLAIN.test(name)) return PREFIX + name
  const plainName = name
    .replace(/[^A-Za-z0-9-]+/g, '_')
    .slice(0, MAX_NAME - PREFIX.length - _id.length - 1)
    .replace(/^_+|_+$/g, '')
  return plainName === '' ? PREFIX + _id : `${PREFIX}${plainName}_${_id}`
}

/** Describes the tool of an agent. */
export function toTool(agent: ShownAgent, caller_id: string, locale: Locale): Tool {
  const { name, description } = agent
  return {
    name: toolNameOf(agent, caller_id),
    title: name,
    description: [description, say('description', locale, { name })].filter(Boolean).join('\n\n'),
    inputSchema: toolInput as unknown as Tool['inputSchema'],
    outputSchema: toolOutput as unknown as Tool['outputSchema'],
    annotations: { title: name, ...ANNOTATIONS },
  }
}

/** Finds the agent of a tool; throws AGENT_NOT_FOUND. */
export async function findAgentOf(
  tool: string,
  caller: AuthCaller,
  agents: Cradle['agents'],
): Promise<AgentDocument> {
  if (!tool.startsWith(PREFIX)) throw new AppError('AGENT_NOT_FOUND')
  const name = tool.slice(PREFIX.length)
  const [, id] = ENDS_WITH_ID.exec(name) ?? []
  return agents.findVisible(caller, id ?? name)
}
