import type { TypeOf } from '#plugin-api'
import type { SlotContext } from '#plugin-api/console'
import type { newVote, ownVoteRow } from '../schemas.ts'

/** A vote of the person who looks at the page. */
export type OwnVote = TypeOf<typeof ownVoteRow>

/** A vote to store. */
export type NewVote = TypeOf<typeof newVote>

/** The place of an answer. */
export interface Answer {
  agent_id: string
  thread_id: string
  message_id: string
}

/** The most votes of a thread that are shown. */
const MAX_VOTES = 200
/** The votes of the threads that were shown last; they are read once for all answers of a thread. */
const MAX_THREADS = 20
const threads = new Map<string, Promise<Map<string, OwnVote>>>()

/** Returns the answer that a context is about; undefined if it lacks one. */
export const answerOf = ({ agent_id, thread_id, message_id }: SlotContext): Answer | undefined =>
  agent_id && thread_id && message_id ? { agent_id, thread_id, message_id } : undefined

/** Reads the votes of a thread, which all of its answers share. */
export function readVotes(
  { client }: SlotContext,
  { agent_id, thread_id }: Answer,
): Promise<Map<string, OwnVote>> {
  const pending = threads.get(thread_id)
  if (pending) return pending
  const votes = client
    .GET('/agents/{id}/threads/{thread_id}/feedback', {
      params: { path: { id: agent_id, thread_id }, query: { limit: MAX_VOTES } },
    })
    .then(({ data = [] }) => new Map(data.map((vote) => [vote.message_id, vote])))
  // A failed reading is repeated when the next answer is shown.
  votes.catch(() => threads.delete(thread_id))
  threads.set(thread_id, votes)
  const [oldest] = threads.keys()
  if (threads.size > MAX_THREADS) threads.delete(oldest!)
  return votes
}

const pathOf = ({ agent_id, thread_id, message_id }: Answer) =>
  `/agents/${agent_id}/threads/${thread_id}/messages/${encodeURIComponent(message_id)}/feedback`

/** Stores a vote, or removes it. Rejects with the refusal of the server. */
export async function storeVote(
  context: SlotContext,
  answer: Answer,
  vote: NewVote | undefined,
): Promise<void> {
  const method = vote ? 'PUT' : 'DELETE'
  const stored = (await context.request(method, pathOf(answer), vote)) as OwnVote | undefined
  const votes = await readVotes(context, answer)
  if (stored) votes.set(answer.message_id, stored)
  else votes.delete(answer.message_id)
}
