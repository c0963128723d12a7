import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Client, components } from '#client'
import { isObject, newAgent } from '#plugin-api'
import { readData, readReply } from './replies.ts'

/** The settings of a new agent. */
export type AgentSettings = components['schemas']['CreateAgentBody']
type Skill = components['schemas']['AgentSkillDetail']
type Connector = components['schemas']['AgentConnector']

/** An agent as it is tested: copied from one of the server, or from a file with its settings. */
export interface AgentVersion {
  /** The name in the report. */
  label: string
  settings: AgentSettings
  /** The model of all turns, instead of the agent's. */
  model?: string
  /** The agent that it was copied from. */
  source_id?: string
  /** The tools by name, true if they are on. */
  tools: Map<string, boolean>
  skills: Skill[]
  connectors: Connector[]
  /** The parts that a copy lacks, for the report. */
  left_out: string[]
}

/** Reads a version: `agent` is the name or id of an agent, or a file ending in `.json`. Throws a sentence. */
export async function readVersion(
  service: Client,
  { agent, model }: { agent: string; model?: string | undefined },
): Promise<AgentVersion> {
  const version = agent.endsWith('.json') ? await readFromFile(agent) : await readFromServer(service, agent)
  return model === undefined ? version : { ...version, model, label: `${version.label} ${model}` }
}

async function readFromFile(file: string): Promise<AgentVersion> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${file}: ${error.code === 'ENOENT' ? 'does not exist' : error.message}`)
  })
  let row: unknown
  try {
    row = JSON.parse(text)
  } catch (error) {
    throw new Error(`${file}: is not JSON: ${(error as Error).message}`)
  }
  if (!isObject(row) || typeof row.name !== 'string')
    throw new Error(`${file}: is not an agent. Write the reply of GET /api/agents/NAME to it.`)
  const label = basename(file)
  return { label, settings: pickSettings(row), tools: new Map(), skills: [], connectors: [], left_out: [] }
}

async function readFromServer(service: Client, name: string): Promise<AgentVersion> {
  const row = await readData(service.GET('/agents/{id}', { params: { path: { id: name } } }))
  if (row.system_prompt === undefined)
    throw new Error(`Only the owner of "${row.name}" and administrators can test it.`)
  const params = { path: { id: row.id } }
  const { builtin, plugins } = await readData(service.GET('/agents/{id}/tool-settings', { params }))
  const tools = new Map([
    ...builtin.filter((tool) => tool.disableable).map((tool) => [tool.name, tool.enabled] as const),
    ...plugins.map((tool) => [tool.name, tool.enabled] as const),
  ])
  const { left_out, skills } = await readSkills(service, row.id)
  // A plugin that is off has no connectors.
  const { data } = await service.GET('/agents/{id}/connectors', { params })
  const connectors = data?.connectors ?? []
  return {
    label: row.name,
    settings: pickSettings(row),
    source_id: row.id,
    tools,
    skills,
    connectors,
    left_out,
  }
}

/** Reads the skills that are on; a plugin that is off has none. */
async function readSkills(service: Client, id: string): Promise<Pick<AgentVersion, 'skills' | 'left_out'>> {
  const skills: Skill[] = []
  const left_out: string[] = []
  let cursor: string | undefined
  do {
    const params = { path: { id }, query: { limit: 200, ...(cursor && { cursor }) } }
    const reply = service.GET('/agents/{id}/skills', { params })
    const { response } = await reply
    if (response.status === 404) return { skills, left_out }
    const page = await readReply(reply)
    for (const { slug, enabled } of page.rows) {
      if (!enabled) continue
      const query = { contents: true }
      const skill = await readData(
        service.GET('/agents/{id}/skills/{slug}', { params: { path: { id, slug }, query } }),
      ).catch((error: Error) => left_out.push(`skill ${slug}: ${error.message}`))
      if (typeof skill === 'object') skills.push(skill)
    }
    cursor = page.next
  } while (cursor !== undefined)
  return { skills, left_out }
}

/** Returns the settings of a copy: all of the agent's, but it is never shared. */
const pickSettings = (row: object): AgentSettings =>
  ({
    ...Object.fromEntries(
      Object.entries(row).filter(([field, value]) => field in newAgent.properties && value !== null),
    ),
    is_shared: false,
  }) as AgentSettings
