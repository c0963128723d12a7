import { isForEveryone, makeTag, type Person, pageReply, replyWithTag, showManaged } from '#plugin-api'
import { route } from './manifest.ts'
import { mayEdit, type PromptDocument, promptFields } from './prompts.ts'
import { newPrompt, promptChanges, promptParams, promptQuery, promptRow, promptRows } from './schemas.ts'
import { listVariables } from './variables.ts'

const toRow = (prompt: PromptDocument, reader: Person) => {
  const { _id: id, user_id, owner_username: owner, name, description, text, created_at, updated_at } = prompt
  return {
    ...{ id, name, description, text },
    shared: isForEveryone(prompt),
    variables: listVariables(text),
    owner,
    is_owner: user_id === reader.id,
    can_edit: mayEdit(prompt, reader),
    ...showManaged(prompt),
    ...{ created_at, updated_at },
  }
}

const show = (prompt: PromptDocument, reader: Person) =>
  replyWithTag(200, toRow(prompt, reader), makeTag(prompt, promptFields))

/** The routes of saved prompts. */
export const promptRoutes = [
  route({
    method: 'GET',
    path: '/prompts',
    operation_id: 'listPrompts',
    summary: 'List the saved prompts',
    description:
      'Lists your own prompts by name, then those that others share with you. Two prompts of different owners may have the same name.',
    guard: 'user',
    query: promptQuery,
    response: { 200: promptRows },
  }).handle(async ({ caller, query }, { prompts }) => {
    const { rows, next } = await prompts.list(caller, query.q, query)
    return pageReply(query, { rows: rows.map((prompt) => toRow(prompt, caller)), next })
  }),

  route({
    method: 'POST',
    path: '/prompts',
    operation_id: 'createPrompt',
    summary: 'Save a prompt',
    description:
      'Saves a text to send again. `{{name}}` in it is a variable that its sender fills in; `{{date}}` is today’s date. Names of variables have up to 32 letters, digits, `-` and `_`. Braces around anything else are text.',
    guard: 'user',
    body: newPrompt,
    response: { 201: promptRow },
    errors: ['PROMPT_NAME_TAKEN', 'LIMIT_REACHED'],
    audit: 'prompt.create',
  }).handle(async ({ caller, body }, { prompts }) => toRow(await prompts.create(caller, body), caller)),

  route({
    method: 'GET',
    path: '/prompts/:id',
    operation_id: 'getPrompt',
    summary: 'Get a saved prompt',
    description: 'Returns a prompt of your own, or one that is shared with you.',
    guard: 'user',
    params: promptParams,
    response: { 200: promptRow },
    errors: ['PROMPT_NOT_FOUND'],
    etag: true,
  }).handle(async ({ caller, params }, { prompts }) => show(await prompts.get(caller, params.id), caller)),

  route({
    method: 'PATCH',
    path: '/prompts/:id',
    operation_id: 'updatePrompt',
    summary: 'Change a saved prompt',
    description:
      'Changes the given fields of a prompt that you own or may edit. Only its owner changes `shared`, which is the grant to everyone.',
    guard: 'user',
    params: promptParams,
    body: promptChanges,
    response: { 200: promptRow },
    errors: ['PROMPT_NOT_FOUND', 'PROMPT_NAME_TAKEN', 'FORBIDDEN'],
    etag: true,
    audit: 'prompt.update',
  }).handle(async (request, { prompts }) => {
    const { caller, params, body } = request
    return show(await prompts.update(caller, params.id, body, request), caller)
  }),

  route({
    method: 'DELETE',
    path: '/prompts/:id',
    operation_id: 'deletePrompt',
    summary: 'Delete a saved prompt',
    description:
      'Deletes a prompt of your own. Administrators may also delete those that others share with anybody.',
    guard: 'user',
    params: promptParams,
    response: { 204: null },
    errors: ['PROMPT_NOT_FOUND', 'FORBIDDEN'],
    audit: 'prompt.delete',
  }).handle(({ caller, params }, { prompts }) => prompts.delete(caller, params.id) as Promise<undefined>),
]
