import { setImmediate as pause } from 'node:timers/promises'
import { AppError, type Tool, type ToolContext } from '#plugin-api'
import type { AgentDocument, Holder, LentTools, ToolChoices } from '../../../agents/agents/types.ts'
import { type AgentConnector, stateOf } from '../agent-connectors.ts'
import type { Cradle } from '../manifest.ts'
import type { ConnectorDocument, StoredTool, Viewer } from '../types.ts'
import { isVisible, readViewer } from '../visibility.ts'
import { assertInput } from './input-check.ts'
import { simplifySchema, toModelSchema } from './input-schema.ts'

/** The time after which changes by other processes are seen, in milliseconds. */
const VALID_MS = 1000
/** The agents, accounts and connectors that are remembered. */
const MAX_KNOWN = 1000
/** The most tools that connectors lend in one turn. */
const MAX_LENT = 512
/** The most characters of these tools as models are shown them. */
const MAX_LENT_CHARS = 1024 * 1024
/** The most characters of remembered tools. */
const MAX_KNOWN_CHARS = 32 * 1024 * 1024
/** The time for which tools are made without a pause, in milliseconds: the schemas are a stranger's. */
const SLICE_MS = 10

/** A stored tool of a connector with the tool that is lent. */
interface MadeTool {
  stored: StoredTool
  tool: Tool
  /** The number of characters that models are shown. */
  chars: number
}

type Slim = Omit<ConnectorDocument, 'tools'>

/** The parts of a turn that decide which tools it is lent. */
interface Asked {
  agent: AgentDocument
  user: Holder & { id: string }
  choices: ToolChoices
  has_begun: boolean
}

/** Lends tools of connectors to turns. */
export type LentConnectors = ReturnType<typeof createLentConnectors>

/** Creates the service. Nothing is connected for a list: tools are as they were listed last. */
export function createLentConnectors({ agentConnectors, calls, clock, collections, users }: Cradle) {
  const { connectors } = collections
  const ofAgents = createMemory<AgentConnector[]>()
  const defaults = createMemory<string[]>()
  const tools = new Map<string, { stamp: string; made: Promise<MadeTool[]> }>()
  let known_chars = 0

  function createMemory<Value>() {
    const remembered = new Map<string, { until: number; value: Promise<Value> }>()
    return {
      get(key: string, read: () => Promise<Value>): Promise<Value> {
        const entry = remembered.get(key)
        if (entry && entry.until > clock.now()) return entry.value
        if (remembered.size >= MAX_KNOWN) remembered.clear()
        const value = read()
        remembered.set(key, { until: clock.now() + VALID_MS, value })
        value.catch(() => remembered.delete(key))
        return value
      },
      forget: () => remembered.clear(),
    }
  }

  /** Returns the tools of a connector, made anew only if they have changed. */
  const toolsOf = async ({ _id, name, tools_stamp }: Slim): Promise<MadeTool[]> => {
    const stamp = `${name} ${tools_stamp}`
    const remembered = tools.get(_id)
    if (remembered?.stamp === stamp) return remembered.made
    const making = connectors
      .findOne({ _id, tools_stamp }, { projection: { tools: 1 } })
      .then((connector) => makeTools(_id, name, connector?.tools ?? []))
    if (tools.size >= MAX_KNOWN || known_chars > MAX_KNOWN_CHARS) {
      tools.clear()
      known_chars = 0
    }
    const entry = { stamp, made: making }
    tools.set(_id, entry)
    try {
      const madeTools = await making
      for (const { chars } of madeTools) known_chars += chars
      return madeTools
    } catch (error) {
      if (tools.get(_id) === entry) tools.delete(_id)
      throw error
    }
  }

  const makeTools = async (connector_id: string, connector: string, stored: readonly StoredTool[]) => {
    const madeTools: MadeTool[] = []
    let pausedAt = performance.now()
    for (const one of stored) {
      const tool = toTool(connector_id, connector, one)
      const chars = tool.description.length + JSON.stringify(tool.input_schema).length
      madeTools.push({ stored: one, tool, chars })
      if (performance.now() - pausedAt < SLICE_MS) continue
      await pause()
      pausedAt = performance.now()
    }
    return madeTools
  }

  const toTool = (connector_id: string, connector: string, stored: StoredTool): Tool => {
    const name = `${connector}__${stored.call_name}`
    const label = `${connector}: ${stored.title ?? stored.name}`
    const schema = simplifySchema(JSON.parse(stored.input_schema), stored.input_schema.length)
    return {
      name,
      label: { en: label, zh: label },
      description: stored.description || stored.title || stored.name,
      input_schema: toModelSchema(schema),
      checkInput(input) {
        assertInput(name, schema, input)
        return input
      },
      disableable: true,
      findable: true,
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
      const lentTools: LentTools & { tools: Tool[]; always: string[]; never: string[] } = {
        tools: [],
        always: [],
        never: [],
      }
      const ids = [...new Set([...settings.map(({ id }) => id), ...chosen, ...standard])]
      if (ids.length === 0) return lentTools
      const stored = await connectors
        .find({ _id: { $in: ids } }, { projection: { tools: 0, log: 0, secret_config: 0 } })
        .toArray()
      const byId = new Map(stored.map((connector) => [connector._id, connector as Slim]))
      const [account, owner] = await Promise.all([
        readViewer(users, user.id),
        readViewer(users, agent.owner_id),
      ])
      const isSeenBy = (id: string, viewer: Viewer | undefined) => {
        const connector = byId.get(id)
        return connector !== undefined && viewer !== undefined && isVisible(connector, viewer)
      }
      const viewer = account && { ...account, role: user.role }
      const missing = has_begun ? undefined : chosen.find((id) => !isSeenBy(id, viewer))
      if (missing !== undefined) throw new AppError('CONNECTOR_NOT_FOUND', { id: missing })
      const names = new Set<string>()
      let room = MAX_LENT_CHARS
      for (const id of ids) {
        const setting = settings.find((one) => one.id === id && isSeenBy(id, owner))
        const connector = byId.get(id)
        if (!connector || !(setting || isSeenBy(id, viewer))) continue
        for (const { stored, tool, chars } of await toolsOf(connector)) {
          const {
            enabled,
            approval,
            seen: isSeen,
          } = stateOf(stored, setting ?? { tools: [], seen: connector.seen })
          if (!enabled || !isSeen || approval === 'deny' || lentTools.tools.length >= MAX_LENT) continue
          if (chars > room) continue
          const name = toUniqueName(tool.name, names)
          names.add(name)
          room -= chars
          lentTools.tools.push(name === tool.name ? tool : { ...tool, name })
          const decided = setting?.tools.find((one) => one.name === stored.name)?.approval
          if (decided === 'ask') lentTools.always.push(name)
          if (decided === 'allow') lentTools.never.push(name)
        }
      }
      return lentTools
    },
  }
}

/**
 * Returns a name of at most 64 characters that is not among these: connectors of different owners may have the same
 * name.
 */
function toUniqueName(name: string, names: ReadonlySet<string>): string {
  let unique = name
  for (let number = 2; names.has(unique); number += 1) unique = `${name.slice(0, 60)}_${number}`
  return unique
}
