import { AppError } from '#kernel'
import type { Tool, ToolContext } from '#plugin-api'
import type { AgentDocument, Holder, LentTools, ToolChoices } from '../../agents/types.ts'
import { type AgentConnector, stateOf } from '../agent-connectors.ts'
import type { Cradle } from '../manifest.ts'
import type { ConnectorDocument, StoredTool } from '../types.ts'
import { compileCheck, simplifySchema } from './input-schema.ts'

/** The time after which changes by other processes are seen, in milliseconds. */
const VALID_MS = 1000
/** The agents, accounts and connectors that are remembered. */
const MAX_KNOWN = 1000
/** The most tools that connectors lend in one turn. */
const MAX_LENT = 512

type Slim = Omit<ConnectorDocument, 'tools'>

/** A turn, as far as it decides which tools it is lent. */
interface Asked {
  agent: AgentDocument
  user: Holder & { id: string }
  choices: ToolChoices
  has_begun: boolean
}

/** Lends tools of connectors to turns. */
export type LentConnectors = ReturnType<typeof createLentConnectors>

/** Creates the service. Nothing is connected for a list: tools are as they were listed last. */
export function createLentConnectors({ agentConnectors, calls, clock, collections }: Cradle) {
  const { connectors } = collections
  const ofAgents = createMemory<AgentConnector[]>()
  const defaults = createMemory<string[]>()
  const tools = new Map<string, { stamp: string; tools: { stored: StoredTool; tool: Tool }[] }>()

  function createMemory<Value>() {
    const known = new Map<string, { until: number; value: Promise<Value> }>()
    return {
      get(key: string, read: () => Promise<Value>): Promise<Value> {
        const found = known.get(key)
        if (found && found.until > clock.now()) return found.value
        if (known.size >= MAX_KNOWN) known.clear()
        const value = read()
        known.set(key, { until: clock.now() + VALID_MS, value })
        value.catch(() => known.delete(key))
        return value
      },
      forget: () => known.clear(),
    }
  }

  /** Returns the tools of a connector, made anew only if they have changed. */
  const toolsOf = async ({ _id, name, tools_stamp }: Slim) => {
    const stamp = `${name} ${tools_stamp}`
    const known = tools.get(_id)
    if (known?.stamp === stamp) return known.tools
    const found = await connectors.findOne({ _id, tools_stamp }, { projection: { tools: 1 } })
    const made = (found?.tools ?? []).map((stored) => ({ stored, tool: toTool(_id, name, stored) }))
    if (tools.size >= MAX_KNOWN) tools.clear()
    tools.set(_id, { stamp, tools: made })
    return made
  }

  const toTool = (connector_id: string, connector: string, stored: StoredTool): Tool => {
    const name = `${connector}__${stored.call_name}`
    const label = `${connector}: ${stored.title ?? stored.name}`
    const schema = JSON.parse(stored.input_schema)
    return {
      name,
      label: { en: label, zh: label },
      description: stored.description || stored.title || stored.name,
      input_schema: simplifySchema(schema),
      checkInput: compileCheck(name, schema),
      disableable: true,
      needsApproval: () => !stored.read_only,
      execute: (input: Record<string, unknown>, context: ToolContext) =>
        calls.call(connector_id, stored, input, context),
    }
  }

  const listDefaults = ({ id }: { id: string }) =>
    defaults.get(id, async () => {
      const filter = { is_default: true, owner_id: { $in: [id, null] } }
      return (await connectors.find(filter, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id)
    })

  return {
    forget() {
      ofAgents.forget()
      defaults.forget()
    },

    /** Throws CONNECTOR_NOT_FOUND for a chosen connector that the user does not see, unless the turn has begun. */
    async lend({
      agent,
      user,
      choices: { connector_ids: chosen = [] },
      has_begun,
    }: Asked): Promise<LentTools> {
      const [settings, standard] = await Promise.all([
        ofAgents.get(agent._id, () => agentConnectors.read(agent._id)),
        listDefaults(user),
      ])
      const lent: LentTools & { tools: Tool[]; always: string[]; never: string[] } = {
        tools: [],
        always: [],
        never: [],
      }
      const ids = [...new Set([...settings.map(({ id }) => id), ...chosen, ...standard])]
      if (ids.length === 0) return lent
      const found = await connectors
        .find({ _id: { $in: ids } }, { projection: { tools: 0, log: 0, secret_config: 0 } })
        .toArray()
      const byId = new Map(found.map((connector) => [connector._id, connector as Slim]))
      const isSeenBy = (id: string, account: string) => {
        const owner_id = byId.get(id)?.owner_id
        return owner_id === null || owner_id === account
      }
      const missing = has_begun ? undefined : chosen.find((id) => !isSeenBy(id, user.id))
      if (missing !== undefined) throw new AppError('CONNECTOR_NOT_FOUND', { id: missing })
      const names = new Set<string>()
      for (const id of ids) {
        const setting = settings.find((one) => one.id === id && isSeenBy(id, agent.owner_id))
        const connector = byId.get(id)
        if (!connector || !(setting || isSeenBy(id, user.id))) continue
        for (const { stored, tool } of await toolsOf(connector)) {
          const { enabled, approval, seen } = stateOf(stored, setting ?? { tools: [], seen: connector.seen })
          if (!enabled || !seen || approval === 'deny' || lent.tools.length >= MAX_LENT) continue
          const name = names.has(tool.name) ? `${tool.name.slice(0, 62)}_2` : tool.name
          if (names.has(name)) continue
          names.add(name)
          lent.tools.push(name === tool.name ? tool : { ...tool, name })
          const decided = setting?.tools.find((one) => one.name === stored.name)?.approval
          if (decided === 'ask') lent.always.push(name)
          if (decided === 'allow') lent.never.push(name)
        }
      }
      return lent
    },
  }
}
