import { AppError, type Issue, nullable, objectOf, rowOf, type TypeOf } from '#plugin-api'
import type { AgentDocument } from '../../agents/agents/types.ts'
import { messageId, receivedFrames } from './frames.ts'
import type { TurnUser } from './loop/turn-tools.ts'
import type { Cradle } from './manifest.ts'
import { shownThreadId, turnId } from './message-schemas.ts'
import { toQuestion } from './question.ts'

const {
  thread_id: _,
  session_key: __,
  project_id: ___,
  ...questionFields
} = receivedFrames.user_turn.properties

/** PUT …/path */
export const chosenPath = rowOf({
  message_id: { ...messageId, description: 'A message of any version' },
})

/** POST …/turns */
export const newTurn = {
  ...objectOf({
    ...questionFields,
    regenerate: {
      oneOf: [{ const: true }, messageId],
      description: 'True for the last answer, or the id of an answer: it is written anew',
    },
  }),
  oneOf: [{ required: ['text'] }, { required: ['content'] }, { required: ['regenerate'] }],
  examples: [{ text: 'And tomorrow?' }, { regenerate: true, model: 'openai:gpt-5' }],
} as const

export const turnAccepted = {
  title: 'TurnAccepted',
  ...rowOf({
    turn_id: { type: 'string', examples: turnId.examples },
    thread_id: shownThreadId,
    first_seq: {
      ...nullable({ type: 'integer' } as const),
      description: 'The seq of its first event; null while the turn waits',
      examples: [7],
    },
  }),
} as const

/** The refusal of a new version of a message and of an answer in one request. */
const ONE_VERSION: Issue = {
  path: '/replaces',
  rule: 'oneVersion',
  message: 'is for a new message; leave it out to have an answer written anew',
}

interface TurnCall {
  caller: TurnUser
  agent: AgentDocument
  params: { thread_id: string }
  body: TypeOf<typeof newTurn>
  locale: 'en' | 'zh'
  request_id: string
}

/** Starts the turn that a request asks for; a repeated `client_message_id` is answered with the turn that it has started. */
export async function startRequestedTurn(
  { caller, agent, params: { thread_id }, body, locale, request_id }: TurnCall,
  { agents, chat, clientMessages, models, threads }: Cradle,
): Promise<TypeOf<typeof turnAccepted>> {
  const owner = { user_id: caller.id, agent_id: agent._id }
  await threads.get(owner, thread_id)
  const { client_message_id } = body
  const repeatedTurn =
    client_message_id === undefined ? null : await clientMessages.findRepeated(owner, client_message_id)
  if (repeatedTurn) return toAccepted(repeatedTurn)
  if (agent.state !== 'running') throw new AppError('AGENT_NOT_RUNNING', { state: agent.state })
  if (body.regenerate !== undefined && body.replaces !== undefined)
    throw new AppError('VALIDATION_FAILED', { issues: [ONE_VERSION] })
  const question = toQuestion(body)
  if (question.model) await models.assertUsable(question.model, caller.id)
  await agents.assertSearchable(caller.id, question.settings?.knowledge_base_ids)
  const started = await chat.start({
    thread_id,
    agent,
    user: caller,
    client_message_id,
    ...question,
    locale,
    request_id,
  })
  if (started.outcome === 'repeated') return toAccepted(started.turn)
  const { turn_id } = started
  return { turn_id, thread_id, first_seq: started.outcome === 'started' ? started.after + 1 : null }
}

const toAccepted = ({ turn_id, thread_id, first_seq }: TypeOf<typeof turnAccepted>) => ({
  turn_id,
  thread_id,
  first_seq,
})
