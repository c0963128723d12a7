import type { Filter, IndexDescription } from 'mongodb'
import {
  AppError,
  cutText,
  findPage,
  isDuplicateKey,
  type Page,
  type PageRequest,
  type TypeOf,
} from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { newVote, Reason } from './schemas.ts'

/** The most characters of a question and of an answer that are kept. */
const MAX_TEXT_CHARS = 50_000
const DAY_SECONDS = 86_400
const NEWEST_FIRST = { created_at: -1, _id: -1 } as const

/** The indexes for one vote per account and answer, for a thread, and for the lists of administrators. */
export const voteIndexes: IndexDescription[] = [
  { key: { user_id: 1, message_id: 1 }, unique: true },
  { key: { user_id: 1, agent_id: 1, thread_id: 1, ...NEWEST_FIRST } },
  { key: NEWEST_FIRST },
  { key: { value: 1, ...NEWEST_FIRST } },
  { key: { agent_id: 1, ...NEWEST_FIRST } },
]

/** A vote on an answer, with copies of what it is about. Times are Unix seconds. */
export interface VoteDocument {
  _id: string
  user_id: string
  username: string
  agent_id: string
  agent_name: string
  thread_id: string
  message_id: string
  model: string | null
  value: 1 | -1
  reasons: Reason[]
  comment: string | null
  question: string
  answer: string
  created_at: number
  updated_at: number
}

declare module '#kernel/types' {
  interface Collections {
    feedback: {
      feedback: VoteDocument
    }
  }
}

/** An answer in a thread of an account. */
export interface AnswerTarget {
  user_id: string
  agent_id: string
  thread_id: string
  message_id: string
}

/** The votes to list; times are Unix seconds, both inclusive. */
export interface VoteFilter {
  value?: 1 | -1
  agent_id?: string
  from?: number
  to?: number
}

/** The votes of all accounts. */
export type Votes = ReturnType<typeof createVotes>

/** Creates the store of votes. */
export function createVotes({
  collections: { feedback },
  clock,
  config: { keep_days },
  history,
  ids,
  limits,
  threads,
  users,
}: Pick<Cradle, 'collections' | 'clock' | 'config' | 'history' | 'ids' | 'limits' | 'threads' | 'users'>) {
  const bytesOf = (vote: VoteDocument) => Buffer.byteLength(JSON.stringify(vote))

  /** Copies the answer and its question. Throws THREAD_NOT_FOUND, MESSAGE_NOT_FOUND, ANSWER_INCOMPLETE. */
  const copyAnswer = async ({ thread_id, message_id, ...owner }: AnswerTarget) => {
    const thread = await threads.get(owner, thread_id)
    const { question, answer } = await history.findAnswer(thread, message_id)
    if (answer.status !== 'complete') throw new AppError('ANSWER_INCOMPLETE')
    return {
      model: answer.model ?? null,
      question: toText(question?.content ?? []),
      answer: toText(answer.content),
    }
  }

  return {
    /**
     * Stores a vote in place of an earlier one of the account, whose copies of question and answer stay. Throws
     * THREAD_NOT_FOUND, MESSAGE_NOT_FOUND, ANSWER_INCOMPLETE, LIMIT_REACHED.
     */
    async put(
      { agent_name, username, ...target }: AnswerTarget & { agent_name: string; username: string },
      { value, reasons = [], comment }: TypeOf<typeof newVote>,
    ): Promise<VoteDocument> {
      const now = clock.seconds()
      const words = comment?.toWellFormed().trim() || null
      const changes = { value, reasons: [...reasons], comment: words, updated_at: now }
      const change = () =>
        feedback.findOneAndUpdate({ ...target }, { $set: changes }, { returnDocument: 'after' })
      const changed = await change()
      if (changed) return changed
      const vote: VoteDocument = {
        _id: ids.make('fbk_'),
        ...target,
        ...(await copyAnswer(target)),
        username,
        agent_name,
        ...changes,
        created_at: now,
      }
      try {
        await limits.within('feedback', target.user_id, () => feedback.insertOne(vote))
      } catch (error) {
        const isRepeated = isDuplicateKey(error)
        const other = isRepeated ? await change() : null
        if (other) return other
        throw isRepeated ? new AppError('MESSAGE_NOT_FOUND') : error
      }
      // A concurrent deletion of the account did not see this vote.
      if (!(await users.find(target.user_id))) {
        await feedback.deleteOne({ _id: vote._id })
        throw new AppError('AUTH_FAILED')
      }
      return vote
    },

    /** Removes a vote, if there is one. Throws THREAD_NOT_FOUND if the account has neither the vote nor the thread. */
    async remove(target: AnswerTarget): Promise<void> {
      const { deletedCount } = await feedback.deleteOne({ ...target })
      const { user_id, agent_id, thread_id } = target
      if (deletedCount === 0) await threads.get({ user_id, agent_id }, thread_id)
    },

    /** Lists an account's votes in a thread, newest first. Throws THREAD_NOT_FOUND; VALIDATION_FAILED for an unknown cursor. */
    async listOfThread(
      { thread_id, ...owner }: Omit<AnswerTarget, 'message_id'>,
      page: PageRequest,
    ): Promise<Page<Omit<VoteDocument, 'question' | 'answer'>>> {
      await threads.get(owner, thread_id)
      const projection = { question: 0, answer: 0 }
      return findPage(
        feedback,
        { parts: [{ ...owner, thread_id }], sort: NEWEST_FIRST, projection, bytesOf },
        page,
      )
    },

    /** Lists votes, newest first. Throws VALIDATION_FAILED for an unknown cursor. */
    list({ value, agent_id, from, to }: VoteFilter, page: PageRequest): Promise<Page<VoteDocument>> {
      const filter: Filter<VoteDocument> = {
        ...(value !== undefined && { value }),
        ...(agent_id !== undefined && { agent_id }),
        ...((from !== undefined || to !== undefined) && {
          created_at: { ...(from !== undefined && { $gte: from }), ...(to !== undefined && { $lte: to }) },
        }),
      }
      return findPage(feedback, { parts: [filter], sort: NEWEST_FIRST, bytesOf }, page)
    },

    count: (user_id: string) => feedback.countDocuments({ user_id }),

    /** Removes the votes of a deleted account. */
    async removeAllOf(user_id: string): Promise<void> {
      await feedback.deleteMany({ user_id })
    },

    /** Removes votes that are older than the settings say, or counts them. */
    async prune({ dry_run }: { dry_run: boolean }) {
      const kind = 'feedback'
      if (keep_days === undefined) return { kind, keep_days: null, count: 0 }
      const old = { created_at: { $lt: clock.seconds() - keep_days * DAY_SECONDS } }
      if (dry_run) return { kind, keep_days, count: await feedback.countDocuments(old) }
      const { deletedCount: count } = await feedback.deleteMany(old)
      return { kind, keep_days, count }
    },
  }
}

/** Joins the text blocks of a message. */
const toText = (content: readonly ({ type: string } | { type: 'text'; text: string })[]): string =>
  cutText(
    content.flatMap((block) => ('text' in block && block.type === 'text' ? block.text : [])).join('\n'),
    MAX_TEXT_CHARS,
  )
