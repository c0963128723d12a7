import { makeTag, objectOf, pageQuery, pageReply, replyWithTag } from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import { type Cradle, route } from './manifest.ts'
import { mayEdit, type ProjectDocument, projectFields } from './projects.ts'
import { newProject, projectChanges, projectParams, projectRow, projectRows } from './schemas.ts'

type Reader = Pick<AuthCaller, 'id' | 'username' | 'groups'>

/** Converts projects to rows for an account, with the number of its own threads in each. */
async function toRows(
  projects: readonly ProjectDocument[],
  caller: Reader,
  { threads, users }: Pick<Cradle, 'threads' | 'users'>,
) {
  const counts = await threads.countByProject(
    caller.id,
    projects.map(({ _id }) => _id),
  )
  const ownerIds = projects.flatMap(({ user_id }) => (user_id === caller.id ? [] : [user_id]))
  const owners = ownerIds.length > 0 ? await users.listByIds(ownerIds) : []
  const usernames = new Map(owners.map(({ _id, username }) => [_id, username]))
  return projects.map((project) => {
    const { _id: id, user_id, name, description, instructions, knowledge_base_ids, created_at } = project
    const is_owner = user_id === caller.id
    return {
      ...{ id, name, description, instructions, knowledge_base_ids },
      thread_count: counts.get(id) ?? 0,
      owner: is_owner ? caller.username : (usernames.get(user_id) ?? ''),
      is_owner,
      can_edit: mayEdit(project, caller),
      created_at,
    }
  })
}

const show = async (project: ProjectDocument, caller: Reader, cradle: Cradle) =>
  replyWithTag(200, (await toRows([project], caller, cradle))[0]!, makeTag(project, projectFields))

/** The routes of projects. */
export const projectRoutes = [
  route({
    method: 'GET',
    path: '/projects',
    operation_id: 'listProjects',
    summary: 'List your projects',
    description:
      'Lists your own projects, then those that others share with you, each oldest first. Your threads in them are yours alone.',
    guard: 'user',
    query: objectOf(pageQuery),
    response: { 200: projectRows },
  }).handle(async ({ caller, query }, cradle) => {
    const { rows, next } = await cradle.projects.list(caller, query)
    return pageReply(query, { rows: await toRows(rows, caller, cradle), next })
  }),

  route({
    method: 'POST',
    path: '/projects',
    operation_id: 'createProject',
    summary: 'Create a project',
    description:
      'Creates a project without threads. Start threads in it with `project_id`, or move threads into it with `PATCH /agents/{id}/threads/{thread_id}`.',
    guard: 'user',
    body: newProject,
    response: { 201: projectRow },
    errors: ['KNOWLEDGE_BASE_NOT_FOUND', 'LIMIT_REACHED'],
    audit: 'project.create',
  }).handle(async ({ caller, body }, cradle) => {
    const project = await cradle.projects.create(caller.id, body)
    return (await toRows([project], caller, cradle))[0]!
  }),

  route({
    method: 'GET',
    path: '/projects/:id',
    operation_id: 'getProject',
    summary: 'Get a project',
    description:
      'Returns a project of your own, or one that is shared with you. Your threads in it are listed by `GET /threads?project_id=`.',
    guard: 'user',
    params: projectParams,
    response: { 200: projectRow },
    errors: ['PROJECT_NOT_FOUND'],
    etag: true,
  }).handle(async ({ caller, params }, cradle) =>
    show(await cradle.projects.get(caller, params.id), caller, cradle),
  ),

  route({
    method: 'PATCH',
    path: '/projects/:id',
    operation_id: 'updateProject',
    summary: 'Change a project',
    description:
      'Changes the given fields of a project that you own or may edit; null removes a text. Instructions and knowledge bases apply to the threads of the project from their next turns on. A knowledge base that whoever talks cannot search is left out of a turn.',
    guard: 'user',
    params: projectParams,
    body: projectChanges,
    response: { 200: projectRow },
    errors: ['PROJECT_NOT_FOUND', 'FORBIDDEN', 'KNOWLEDGE_BASE_NOT_FOUND'],
    etag: true,
    audit: 'project.update',
  }).handle(async (request, cradle) => {
    const { caller, params, body } = request
    return show(await cradle.projects.update(caller, params.id, body, request), caller, cradle)
  }),

  route({
    method: 'DELETE',
    path: '/projects/:id',
    operation_id: 'deleteProject',
    summary: 'Delete a project',
    description:
      'Deletes a project of your own. Its threads, also those of others, stay with a `project_id` of null.',
    guard: 'user',
    params: projectParams,
    response: { 204: null },
    errors: ['PROJECT_NOT_FOUND', 'FORBIDDEN'],
    audit: 'project.delete',
  }).handle(({ caller, params }, { projects }) => projects.delete(caller, params.id) as Promise<undefined>),
]
