import { linkToNext, pageReply } from '#plugin-api'
import { createVoteDownload, toVoteRow } from './export.ts'
import { route } from './manifest.ts'
import {
  answerParams,
  newVote,
  ownVoteRow,
  ownVotesQuery,
  threadParams,
  voteRow,
  votesQuery,
} from './schemas.ts'
import type { VoteDocument } from './votes.ts'

const ANSWER = '/agents/:id/threads/:thread_id/messages/:message_id/feedback'

type OwnVote = Omit<VoteDocument, 'question' | 'answer'>

const toOwnRow = ({ message_id, value, reasons, comment, created_at, updated_at }: OwnVote) => ({
  ...{ message_id, value, reasons, comment, created_at, updated_at },
})

const listOwnVotes = route({
  method: 'GET',
  path: '/agents/:id/threads/:thread_id/feedback',
  operation_id: 'listThreadFeedback',
  summary: 'List your votes in a thread',
  description: 'Lists your own votes on answers of the thread, the newest first.',
  guard: 'thread_reader',
  params: threadParams,
  query: ownVotesQuery,
  response: { 200: { type: 'array', items: ownVoteRow } },
  errors: ['THREAD_NOT_FOUND'],
}).handle(async ({ caller, agent, params, query }, { votes }) => {
  const target = { user_id: caller.id, agent_id: agent._id, thread_id: params.thread_id }
  const { rows, next } = await votes.listOfThread(target, query)
  return pageReply(query, { rows: rows.map(toOwnRow), next })
})

const rateAnswer = route({
  method: 'PUT',
  path: ANSWER,
  operation_id: 'rateAnswer',
  summary: 'Rate an answer',
  description:
    'Stores your vote on a complete answer of your own thread, in place of your earlier vote on it. With the first vote the question and the answer are copied as they are: people with the permission `feedback` read these copies, also after the conversation has changed or was deleted, until you delete the vote or your account.',
  guard: 'thread_reader',
  scope: 'chat',
  params: answerParams,
  body: newVote,
  response: { 200: ownVoteRow },
  errors: ['THREAD_NOT_FOUND', 'MESSAGE_NOT_FOUND', 'ANSWER_INCOMPLETE', 'LIMIT_REACHED'],
  audit: 'feedback.rate',
}).handle(async ({ caller, agent, params: { thread_id, message_id }, body }, { votes }) => {
  const target = { user_id: caller.id, agent_id: agent._id, thread_id, message_id }
  return toOwnRow(await votes.put({ ...target, username: caller.username, agent_name: agent.name }, body))
})

const removeRating = route({
  method: 'DELETE',
  path: ANSWER,
  operation_id: 'removeRating',
  summary: 'Delete your vote on an answer',
  description:
    'Deletes your vote with its copies of the question and the answer, also if the thread was deleted meanwhile. Answers 204 as well if there is no vote.',
  guard: 'thread_reader',
  scope: 'chat',
  params: answerParams,
  response: { 204: null },
  errors: ['THREAD_NOT_FOUND'],
  audit: 'feedback.remove',
}).handle(async ({ caller, agent, params: { thread_id, message_id } }, { votes }) => {
  await votes.remove({ user_id: caller.id, agent_id: agent._id, thread_id, message_id })
})

const listFeedback = route({
  method: 'GET',
  path: '/admin/feedback',
  operation_id: 'listFeedback',
  summary: 'List the votes of everybody',
  description:
    'Lists votes with the question and the answer as they were, the newest first: a page of JSON, or with `format` a download of all votes that match.',
  guard: ['permission', 'feedback'],
  query: votesQuery,
  stream: 'response',
  response: { 200: { type: 'array', items: voteRow } },
}).handle(async ({ query }, { votes }) => {
  const { format, value, agent_id, from, to } = query
  const filter = {
    ...(value !== undefined && { value: value === '1' ? (1 as const) : (-1 as const) }),
    ...(agent_id !== undefined && { agent_id }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  }
  if (format !== 'json') return createVoteDownload(votes, filter, format)
  const { rows, next } = await votes.list(filter, query)
  return Response.json(rows.map(toVoteRow), { headers: linkToNext(query, next) })
})

/** The routes of votes. */
export const feedbackRoutes = [listOwnVotes, rateAnswer, removeRating, listFeedback]
