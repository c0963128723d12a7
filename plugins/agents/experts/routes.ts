import {
  agentRow,
  type Expert,
  makeTag,
  newAgent,
  objectOf,
  pageQuery,
  pageReply,
  replyWithTag,
  showManaged,
} from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import { expertFields, type PublishedExpertDocument, type PublishedExpertSummary } from './character.ts'
import { mayEdit, type Reader } from './expert-access.ts'
import { type Cradle, route } from './manifest.ts'
import {
  expertDetail,
  expertParams,
  expertRows,
  installation,
  newlyPublishedExpert,
  previewedFiles,
  publication,
  publicationPreview,
  publishedChanges,
  publishedExpertDetail,
  publishedExpertRows,
  publishedParams,
} from './schemas.ts'

const AGENT_ERRORS = [
  'NOT_FOUND',
  'AGENT_NAME_TAKEN',
  'PROVIDER_NOT_VISIBLE',
  'KNOWLEDGE_BASE_NOT_FOUND',
  'LIMIT_REACHED',
] as const

/** Shows experts, with what an agent made from them would lack for this caller. */
const showExperts = async (
  experts: readonly Expert[],
  caller: AuthCaller,
  { agents }: Pick<Cradle, 'agents'>,
) =>
  (await agents.assessExperts(experts, caller)).map(({ files, task_examples, ...shown }) => ({
    ...shown,
    expert_id: shown.id,
    task_examples: { en: [...task_examples.en], zh: [...task_examples.zh] },
  }))

/** Shows published experts, which need what the experts need whose agents they were published from. */
const showAllPublished = async (
  experts: readonly PublishedExpertSummary[],
  caller: AuthCaller,
  { agents, extensions }: Pick<Cradle, 'agents' | 'extensions'>,
) => {
  const assessed = await agents.assessExperts(
    experts.map(({ template_name, ...expert }) => {
      const template = extensions['agents.experts'].get(template_name ?? '')
      return { expert, needs: template?.needs, quick_prompts: [] }
    }),
    caller,
  )
  return assessed.map(({ expert, missing }) => ({ ...toRow(expert, caller), missing }))
}

const toRow = (expert: Omit<PublishedExpertSummary, 'template_name'>, caller: Reader) => {
  const { _id: id, slug, name, description, created_by, created_by_id, source_agent_id } = expert
  const { icon, color, created_at, updated_at } = expert
  const shown = { slug, name, description, created_by, source_agent_id, icon, color, created_at, updated_at }
  return {
    ...{ id, expert_id: id, ...shown },
    is_owner: created_by_id === caller.id,
    can_edit: mayEdit(expert, caller),
    ...showManaged(expert),
  }
}

const showPublished = async (expert: PublishedExpertDocument, caller: AuthCaller, cradle: Cradle) => {
  const [row] = await showAllPublished([expert], caller, cradle)
  return { ...row!, files: expert.files }
}

const replyWithDetail = async (expert: PublishedExpertDocument, caller: AuthCaller, cradle: Cradle) =>
  replyWithTag(200, await showPublished(expert, caller, cradle), makeTag(expert, expertFields))

const listExperts = route({
  method: 'GET',
  path: '/experts',
  operation_id: 'listExperts',
  summary: 'List the experts',
  description:
    'Lists the templates that come with the server and its plugins, with texts in English and Chinese. What users have published is listed by `GET /experts/published`.',
  guard: 'user',
  response: { 200: expertRows },
}).handle(({ caller }, cradle) => showExperts(cradle.experts.list(), caller, cradle))

const getExpert = route({
  method: 'GET',
  path: '/experts/:expert_id',
  operation_id: 'getExpert',
  summary: 'Get an expert',
  description:
    'Returns the expert with the paths of the files with which a new workspace begins, in the language of the request.',
  guard: 'user',
  params: expertParams,
  response: { 200: expertDetail },
  errors: ['NOT_FOUND'],
}).handle(async ({ caller, params, locale }, cradle) => {
  const { experts } = cradle
  const expert = experts.find(params.expert_id)
  const [row] = await showExperts([expert], caller, cradle)
  return { ...row!, files: await experts.listFiles(expert, locale) }
})

const createFromExpert = route({
  method: 'POST',
  path: '/agents/from-expert/:expert_id',
  operation_id: 'createAgentFromExpert',
  summary: 'Create an agent from an expert',
  description:
    'Creates an agent with the instructions, skills and files of the expert in the language of the request, and starts it. The settings in the body replace those of the expert.',
  guard: 'user',
  params: expertParams,
  body: newAgent,
  response: { 201: agentRow },
  errors: AGENT_ERRORS,
  audit: 'agent.create_from_expert',
}).handle(async ({ caller, params, body, locale }, { agents, experts }) =>
  agents.show(await experts.createAgent(params.expert_id, caller, body, locale), caller),
)

const publishExpert = route({
  method: 'POST',
  path: '/agents/:id/publish-expert',
  operation_id: 'publishExpert',
  summary: 'Publish an agent as an expert',
  description:
    'Copies the agent as it is now, with the files of its workspace, for every account to install until you share the expert with some; later changes of the agent change nothing. Uploads, logs, keys and everything that looks like a secret are left out, and so are files that turns have written, unless `include_files` names them. `left_out` in the reply lists what was not copied, with the reasons. `tools_without_approval` is never published.',
  guard: 'editor',
  body: publication,
  response: { 201: newlyPublishedExpert },
  errors: [
    'SECRET_IN_SETTINGS',
    'WORKSPACE_TOO_LARGE',
    'PUBLISHED_EXPERT_SLUG_TAKEN',
    'PROVIDER_NOT_VISIBLE',
    'LIMIT_REACHED',
  ],
  audit: 'expert.publish',
}).handle(async ({ agent, caller, body }, cradle) => {
  const { expert, left_out } = await cradle.publishedExperts.publish(agent, caller, body)
  return { ...(await showPublished(expert, caller, cradle)), left_out }
})

const previewPublication = route({
  method: 'POST',
  path: '/agents/:id/publish-expert/preview',
  operation_id: 'previewPublication',
  summary: 'Preview what publishing an agent copies',
  description:
    'Returns the files that publishing the agent now would copy, and in `left_out` those that it would not, with the reasons. Nothing is published.',
  guard: 'editor',
  body: previewedFiles,
  response: { 200: publicationPreview },
  errors: ['WORKSPACE_TOO_LARGE'],
  audit: { none: 'It copies nothing that stays.' },
}).handle(({ agent, body }, { publishedExperts }) => publishedExperts.preview(agent, body.include_files))

const listPublished = route({
  method: 'GET',
  path: '/experts/published',
  operation_id: 'listPublishedExperts',
  summary: 'List the published experts',
  description:
    'Lists the experts that users of this server have published and that you may install, by name, without their files: your own, those that are shared with nobody in particular, and those that are shared with you. Administrators see all of them.',
  guard: 'user',
  query: objectOf(pageQuery),
  response: { 200: publishedExpertRows },
}).handle(async ({ caller, query }, cradle) => {
  const { rows, next } = await cradle.publishedExperts.list(caller, query)
  return pageReply(query, { rows: await showAllPublished(rows, caller, cradle), next })
})

const getPublished = route({
  method: 'GET',
  path: '/experts/published/:expert_id',
  operation_id: 'getPublishedExpert',
  summary: 'Get a published expert',
  description: 'Returns the expert with the paths of its files.',
  guard: 'user',
  params: publishedParams,
  response: { 200: publishedExpertDetail },
  errors: ['NOT_FOUND'],
  etag: true,
}).handle(async ({ caller, params }, cradle) =>
  replyWithDetail(await cradle.publishedExperts.find(caller, params.expert_id), caller, cradle),
)

const changePublished = route({
  method: 'PATCH',
  path: '/experts/published/:expert_id',
  operation_id: 'updatePublishedExpert',
  summary: 'Change a published expert',
  description:
    'Changes the given settings; null clears a setting, and `config` is replaced as a whole. You can change experts that you have published and those shared with you for changes, administrators all of them. Agents that were installed from the expert stay as they are.',
  guard: 'user',
  params: publishedParams,
  body: publishedChanges,
  response: { 200: publishedExpertDetail },
  errors: ['NOT_FOUND', 'SECRET_IN_SETTINGS', 'PROVIDER_NOT_VISIBLE'],
  etag: true,
  audit: 'expert.update',
}).handle(async (request, cradle) => {
  const { caller, params, body } = request
  const expert = await cradle.publishedExperts.update(params.expert_id, caller, body, request)
  return replyWithDetail(expert, caller, cradle)
})

const installPublished = route({
  method: 'POST',
  path: '/experts/published/:expert_id/install',
  operation_id: 'installPublishedExpert',
  summary: 'Create an agent from a published expert',
  description:
    'Creates an agent of your own with the settings and files of the expert, and starts it. The settings in the body replace those of the expert; its model is taken only if you may use it. Without a `name`, the agent gets that of the expert, with a number if it is taken.',
  guard: 'user',
  params: publishedParams,
  body: installation,
  response: { 201: agentRow },
  errors: AGENT_ERRORS,
  audit: 'expert.install',
}).handle(async ({ caller, params, body, locale }, { agents, publishedExperts }) =>
  agents.show(await publishedExperts.install(params.expert_id, caller, body, locale), caller),
)

const deletePublished = route({
  method: 'DELETE',
  path: '/experts/published/:expert_id',
  operation_id: 'withdrawPublishedExpert',
  summary: 'Withdraw a published expert',
  description:
    'Only its publisher and administrators can do this. Agents that were installed from the expert stay as they are.',
  guard: 'user',
  params: publishedParams,
  response: { 204: null },
  errors: ['NOT_FOUND'],
  audit: 'expert.withdraw',
}).handle(
  async ({ caller, params }, { publishedExperts }) =>
    void (await publishedExperts.remove(params.expert_id, caller)),
)

/** The routes of experts, both registered by plugins and published by users. */
export const expertRoutes = [
  listExperts,
  getExpert,
  createFromExpert,
  publishExpert,
  previewPublication,
  listPublished,
  getPublished,
  changePublished,
  installPublished,
  deletePublished,
]
