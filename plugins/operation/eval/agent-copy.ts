import type { Client } from '#client'
import type { AgentVersion } from './agent-version.ts'
import { readData } from './replies.ts'

/**
 * Creates an agent of the client's account from a version, and notes in `left_out` what the account cannot use; returns
 * its id. Throws the refusal of the server.
 */
export async function createCopy(client: Client, version: AgentVersion, name: string): Promise<string> {
  const { settings, model } = version
  const knowledge_base_ids = await keepKnowledge(client, version)
  const body = { ...settings, name, knowledge_base_ids, ...(model !== undefined && { default_model: model }) }
  const { id } = await readData(client.POST('/agents', { body }))
  await copyTools(client, version, id)
  await copySkills(client, version, id)
  await copyConnectors(client, version, id)
  return id
}

/** Returns the knowledge bases that the account may search. */
async function keepKnowledge(client: Client, { settings, left_out }: AgentVersion): Promise<string[]> {
  const searchable: string[] = []
  for (const id of settings.knowledge_base_ids ?? []) {
    const { response } = await client.GET('/knowledge-bases/{id}', { params: { path: { id } } })
    if (response.ok) searchable.push(id)
    else left_out.push(`knowledge base ${id}, which is not shared`)
  }
  return searchable
}

async function copyTools(client: Client, { tools }: AgentVersion, id: string): Promise<void> {
  const { builtin, plugins } = await readData(
    client.GET('/agents/{id}/tool-settings', { params: { path: { id } } }),
  )
  for (const { name, enabled } of [...builtin, ...plugins]) {
    const isOn = tools.get(name) ?? enabled
    const params = { path: { id, tool_name: name } }
    if (isOn !== enabled)
      await readData(
        client.PATCH('/agents/{id}/tool-settings/{tool_name}', { params, body: { enabled: isOn } }),
      )
  }
}

async function copySkills(client: Client, { skills, left_out }: AgentVersion, id: string): Promise<void> {
  for (const { slug, contents = [] } of skills)
    await readData(
      client.PUT('/agents/{id}/skills/{slug}', { params: { path: { id, slug } }, body: { files: contents } }),
    ).catch((error: Error) => left_out.push(`skill ${slug}: ${error.message}`))
}

async function copyConnectors(
  client: Client,
  { connectors, left_out }: AgentVersion,
  id: string,
): Promise<void> {
  let copied: AgentVersion['connectors'] = []
  for (const connector of connectors) {
    const body = { connectors: [...copied, connector] }
    const { response } = await client.PUT('/agents/{id}/connectors', { params: { path: { id } }, body })
    if (response.ok) copied = body.connectors
    else left_out.push(`connector ${connector.id}, which is not for everybody`)
  }
}
