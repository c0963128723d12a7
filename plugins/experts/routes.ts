import { objectOf } from '#kernel'
import { agentRow, type Expert } from '#plugin-api'
import { pageQuery, pageReply } from '#toolbox'
import { route } from './manifest.ts'
import {
  agentFromExpert,
  expertDetail,
  expertRows,
  installation,
  newlyPublishedExpert,
  publication,
  publishedExpertDetail,
  publishedExpertRows,
} from './schemas.ts'
import type { PublishedExpertSummary } from './types.ts'

const AGENT_ERRORS = ['NOT_FOUND', 'AGENT_NAME_TAKEN', 'PROVIDER_NOT_VISIBLE', 'LIMIT_REACHED'] as const

const showExpert = ({ files, quick_prompts, task_examples, ...shown }: Expert) => ({
  ...shown,
  expert_id: shown.id,
  quick_prompts: [...quick_prompts],
  task_examples: { en: [...task_examples.en], zh: [...task_examples.zh] },
})

const showPublished = (expert: PublishedExpertSummary) => {
  const { _id: id, slug, name, description, created_by, source_agent_id } = expert
  const { icon, color, created_at, updated_at } = expert
  const shown = { slug, name, description, created_by, source_agent_id, icon, color, created_at, updated_at }
  return { id, expert_id: id, ...shown }
}

const listExperts = route({
  method: 'GET',
  path: '/experts',
  operation_id: 'listExperts',
  summary: 'The experts from which agents can be created',
  guard: 'user',
  response: { 200: expertRows },
}).handle((_, { experts }) => experts.list().map(showExpert))

const getExpert = route({
  method: 'GET',
  path: '/experts/:expert_id',
  operation_id: 'getExpert',
  summary: 'One expert, with the initial files of a workspace',
  guard: 'user',
  response: { 200: expertDetail },
  errors: ['NOT_FOUND'],
}).handle(async ({ params, locale }, { experts }) => {
  const expert = experts.find(params.expert_id!)
  return { ...showExpert(expert), files: await experts.listFiles(expert, locale) }
})

const createFromExpert = route({
  method: 'POST',
  path: '/agents/from-expert/:expert_id',
  operation_id: 'createAgentFromExpert',
  summary: 'Create an agent from an expert and start it',
  guard: 'user',
  body: agentFromExpert,
  response: { 201: agentRow },
  errors: AGENT_ERRORS,
  audit: 'agent.create_from_expert',
}).handle(async ({ caller, params, body, locale }, { agents, experts }) =>
  agents.show(await experts.createAgent(params.expert_id!, caller, body, locale), caller),
)

const publishExpert = route({
  method: 'POST',
  path: '/agents/:id/publish-expert',
  operation_id: 'publishExpert',
  summary:
    'Publish an agent for all users to install, with its workspace except uploads, secrets and files written by turns',
  guard: 'owner',
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
}).handle(async ({ agent, caller, body }, { publishedExperts }) => {
  const { expert, left_out } = await publishedExperts.publish(agent, caller, body)
  return { ...showPublished(expert), files: expert.files, left_out }
})

const listPublished = route({
  method: 'GET',
  path: '/experts/published',
  operation_id: 'listPublishedExperts',
  summary: 'The experts that users have published, by name',
  guard: 'user',
  query: objectOf(pageQuery),
  response: { 200: publishedExpertRows },
}).handle(async ({ query }, { publishedExperts }) => {
  const { rows, next } = await publishedExperts.list(query)
  return pageReply(query, { rows: rows.map(showPublished), next })
})

const getPublished = route({
  method: 'GET',
  path: '/experts/published/:expert_id',
  operation_id: 'getPublishedExpert',
  summary: 'One published expert by its id or slug, with its files',
  guard: 'user',
  response: { 200: publishedExpertDetail },
  errors: ['NOT_FOUND'],
}).handle(async ({ params }, { publishedExperts }) => {
  const expert = await publishedExperts.find(params.expert_id!)
  return { ...showPublished(expert), files: expert.files }
})

const installPublished = route({
  method: 'POST',
  path: '/experts/published/:expert_id/install',
  operation_id: 'installPublishedExpert',
  summary: 'Create an agent from a published expert and start it',
  guard: 'user',
  body: installation,
  response: { 201: agentRow },
  errors: AGENT_ERRORS,
  audit: 'expert.install',
}).handle(async ({ caller, params, body, locale }, { agents, publishedExperts }) =>
  agents.show(await publishedExperts.install(params.expert_id!, caller, body, locale), caller),
)

const deletePublished = route({
  method: 'DELETE',
  path: '/experts/published/:expert_id',
  operation_id: 'withdrawPublishedExpert',
  summary: 'Withdraw a published expert; agents created from it stay',
  guard: 'user',
  response: { 204: null },
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  audit: 'expert.withdraw',
}).handle(
  async ({ caller, params }, { publishedExperts }) =>
    void (await publishedExperts.remove(params.expert_id!, caller)),
)

/** The routes of experts, both registered by plugins and published by users. */
export const expertRoutes = [
  listExperts,
  getExpert,
  createFromExpert,
  publishExpert,
  listPublished,
  getPublished,
  installPublished,
  deletePublished,
]
