import { rowOf } from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import { type Cradle, route } from './manifest.ts'
import { asModel } from './parameters.ts'

/** The most agents that are listed. */
const MAX_LISTED = 1000
const PAGE = 200

const model = {
  title: 'OpenAIModel',
  ...rowOf({
    id: {
      type: 'string',
      description: 'The name of an agent of your own, or the id of one that is shared with you',
      examples: ['assistant'],
    },
    object: { const: 'model' },
    created: { type: 'integer', description: 'Unix seconds' },
    owned_by: { type: 'string', description: 'The username of the owner', examples: ['ann'] },
    name: { type: 'string', description: 'The name of the agent', examples: ['assistant'] },
  }),
} as const

const modelList = {
  title: 'OpenAIModelList',
  ...rowOf({ object: { const: 'list' }, data: { type: 'array', items: model } }),
} as const

/** The routes that list agents as models. */
export const modelRoutes = [
  route({
    method: 'GET',
    path: '/v1/models',
    operation_id: 'listOpenAIModels',
    summary: 'List your agents and those shared with you as models of OpenAI',
    description:
      'Your own agents have their names as ids, so that clients show them; the others have their ids.',
    guard: 'user',
    response: { 200: modelList },
  }).handle(async ({ caller }, cradle) => ({ object: 'list', data: await listModels(caller, cradle) })),

  route({
    method: 'GET',
    path: '/v1/models/:model',
    operation_id: 'getOpenAIModel',
    summary: 'Read an agent as a model of OpenAI',
    description: 'Answers in the form of a model in the list.',
    guard: 'user',
    params: rowOf({
      model: {
        type: 'string',
        description: 'The name of an agent of your own, or the id of any that you may open',
      },
    }),
    response: { 200: model },
    errors: ['OPENAI_MODEL_NOT_FOUND'],
  }).handle(async ({ caller, params }, { agents }) =>
    toModel(await asModel(params.model, agents.findVisible(caller, params.model)), caller),
  ),
]

async function listModels(caller: AuthCaller, { agents }: Cradle) {
  const models: ReturnType<typeof toModel>[] = []
  let cursor: string | undefined
  do {
    const { rows, next } = await agents.list(caller, 'mine', { limit: PAGE, cursor })
    models.push(...rows.map((agent) => toModel(agent, caller)))
    cursor = next ?? undefined
  } while (cursor !== undefined && models.length < MAX_LISTED)
  return models
}

const toModel = (
  agent: { _id: string; name: string; owner_id: string; owner_username: string; created_at: number },
  { id }: AuthCaller,
) =>
  ({
    id: agent.owner_id === id ? agent.name : agent._id,
    object: 'model',
    created: agent.created_at,
    owned_by: agent.owner_username,
    name: agent.name,
  }) as const
