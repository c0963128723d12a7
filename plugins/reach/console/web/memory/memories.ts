import type { components } from '#client'
import { saveBlob } from '../agents/files.ts'
import { client } from '../server/client.ts'
import { readAll } from '../server/pages.ts'
import { refresh, send } from '../server/send.ts'

/** Something that agents remember about the account, or that one of them wants to remember. */
export type Memory = components['schemas']['Memory']

/** The most characters of a memory. */
export const MAX_CHARS = 300

/** Stores a memory for all agents, or for one. */
export async function addMemory(text: string, agent_id: string): Promise<void> {
  const reader = agent_id === '' ? ({ scope: 'me' } as const) : ({ scope: 'agent', agent_id } as const)
  await send(client.POST('/memories', { body: { text, ...reader } }))
  await refresh('/memories')
}

/** Changes the text of a memory. */
export const changeMemory = (id: string, text: string): Promise<void> => update(id, { text })

/** Keeps a memory that an agent proposes. */
export const keepMemory = (id: string): Promise<void> => update(id, { state: 'kept' })

async function update(id: string, body: { text?: string; state?: 'kept' }): Promise<void> {
  // A memory that another page has deleted leaves this one as well.
  await send(client.PATCH('/memories/{id}', { params: { path: { id } }, body })).finally(() =>
    refresh('/memories'),
  )
}

/** Deletes a memory or a proposal. */
export async function deleteMemory(id: string): Promise<void> {
  await send(client.DELETE('/memories/{id}', { params: { path: { id } } })).finally(() =>
    refresh('/memories'),
  )
}

/** Deletes all memories and proposals. */
export async function deleteMemories(): Promise<void> {
  await send(client.DELETE('/memories'))
  await refresh('/memories')
}

/** Saves all memories and proposals as a file of JSON. */
export async function exportMemories(): Promise<void> {
  const memories = await readAll('/memories', { state: 'kept' })
  const proposals = await readAll('/memories', { state: 'proposed' })
  const json = JSON.stringify([...memories, ...proposals], null, 2)
  saveBlob(new Blob([json], { type: 'application/json' }), 'memories.json')
}
