import { makeTag, objectOf, pageQuery, pageReply, replyWithTag } from '#plugin-api'
import { type Cradle, route } from './manifest.ts'
import { type ProjectDocument, projectFields } from './projects.ts'
import { newProject, projectChanges, projectParams, projectRow, projectRows } from './schemas.ts'

const toRow = (
  { _id: id, name, description, instructions, knowledge_base_ids, created_at }: ProjectDocument,
  thread_count = 0,
) => ({ id, name, description, instructions, knowledge_base_ids, thread_count, created_at })

const show = async (project: ProjectDocument, { threads }: Pick<Cradle, 'threads'>) => {
  const { _id, user_id } = project
  const counts = await threads.countByProject(user_id, [_id])
  return replyWithTag(200, toRow(project, counts.get(_id)), makeTag(project, projectFields))
}

/** The routes of projects. */
export const projectRoutes = [
  route({
    method: 'GET',
    path: '/projects',
    operation_id: 'listProjects',
    summary: 'List your projects',
    description: 'Lists your projects, oldest first. Nobody else sees them.',
    guard: 'user',
    query: objectOf(pageQuery),
    response: { 200: projectRows },
  }).handle(async ({ caller, query }, { projects, threads }) => {
    const { rows, next } = await projects.list(caller.id, query)
    const counts = await threads.countByProject(
      caller.id,
      rows.map(({ _id }) => _id),
    )
    return pageReply(query, { rows: rows.map((project) => toRow(project, counts.get(project._id))), next })
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
  }).handle(async ({ caller, body }, { projects }) => toRow(await projects.create(caller.id, body))),

  route({
    method: 'GET',
    path: '/projects/:id',
    operation_id: 'getProject',
    summary: 'Get a project',
    description: 'Its threads are listed by `GET /threads?project_id=`.',
    guard: 'user',
    params: projectParams,
    response: { 200: projectRow },
    errors: ['PROJECT_NOT_FOUND'],
    etag: true,
  }).handle(async ({ caller, params }, cradle) =>
    show(await cradle.projects.get(caller.id, params.id), cradle),
  ),

  route({
    method: 'PATCH',
    path: '/projects/:id',
    operation_id: 'updateProject',
    summary: 'Change a project',
    description:
      'Changes the given fields; null removes a text. Instructions and knowledge bases apply to the threads of the project from their next turns on. A knowledge base that you can no longer search is left out of a turn.',
    guard: 'user',
    params: projectParams,
    body: projectChanges,
    response: { 200: projectRow },
    errors: ['PROJECT_NOT_FOUND', 'KNOWLEDGE_BASE_NOT_FOUND'],
    etag: true,
    audit: 'project.update',
  }).handle(async (request, cradle) => {
    const { caller, params, body } = request
    const project = await cradle.projects.get(caller.id, params.id)
    return show(await cradle.projects.update(project, body, request), cradle)
  }),

  route({
    method: 'DELETE',
    path: '/projects/:id',
    operation_id: 'deleteProject',
    summary: 'Delete a project',
    description: 'Deletes the project. Its threads stay, with a `project_id` of null.',
    guard: 'user',
    params: projectParams,
    response: { 204: null },
    errors: ['PROJECT_NOT_FOUND'],
    audit: 'project.delete',
  }).handle(
    ({ caller, params }, { projects }) => projects.delete(caller.id, params.id) as Promise<undefined>,
  ),
]
