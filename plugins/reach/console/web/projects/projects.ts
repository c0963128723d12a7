import type { components } from '#client'
import { api, client } from '../server/client.ts'
import { useFacts } from '../server/facts.ts'
import { useRows } from '../server/pages.ts'
import { refresh, send } from '../server/send.ts'

/** Conversations about one thing, with instructions and knowledge bases of their own. */
export type Project = components['schemas']['Project']

export type ProjectValues = Pick<Project, 'name' | 'description' | 'instructions' | 'knowledge_base_ids'>

const paramsOf = (id: string) => ({ path: { id } })

/** The projects of the account; none on a server without them. */
export function useProjects() {
  const isOffered = useFacts().features.projects === true
  return { isOffered, ...useRows('/projects', { query: { limit: 200 } }, { enabled: isOffered }) }
}

/** A project of the account. */
export const useProject = (id: string) => api.useQuery('get', '/projects/{id}', { params: paramsOf(id) })

/** Stores a new project. */
export async function createProject(body: ProjectValues): Promise<Project> {
  const project = await send(client.POST('/projects', { body }))
  await refresh('/projects')
  return project
}

/** Stores the changes of a project. */
export async function changeProject(id: string, body: Partial<ProjectValues>): Promise<Project> {
  const project = await send(client.PATCH('/projects/{id}', { params: paramsOf(id), body }))
  await refresh('/projects')
  return project
}

/** Deletes a project; its conversations stay. */
export async function deleteProject(id: string): Promise<void> {
  await send<unknown>(client.DELETE('/projects/{id}', { params: paramsOf(id) }))
  await refresh('/projects', '/threads', '/agents/{id}/threads')
}
