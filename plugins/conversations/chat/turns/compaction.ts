import { AppError, type Locale } from '#plugin-api'
import type { AgentDocument } from '../../../agents/agents/types.ts'
import type { ThreadDocument } from '../documents.ts'
import type { TurnUser } from '../loop/turn-tools.ts'
import type { Cradle } from '../manifest.ts'
import { readSummary, readUnsummarized, summarize } from './summaries.ts'

/** The last exchanges, which models go on receiving as they are. */
const KEPT_EXCHANGES = 2

/**
 * Summarizes a thread up to its last exchanges for the model that answers it, which receives the summary from the next
 * turn on; returns the number of messages that it replaces, and its text. Throws NOTHING_TO_SUMMARIZE, THREAD_BUSY if a
 * turn has summarized the thread meanwhile, and the errors of model calls.
 */
export async function compact(
  thread: ThreadDocument,
  {
    agent,
    user,
    locale,
    signal,
  }: { agent: AgentDocument; user: TurnUser; locale: Locale; signal: AbortSignal },
  cradle: Cradle,
): Promise<{ messages: number; summary: string }> {
  const { chatFilters, events, models, threads } = cradle
  const { _id: thread_id, agent_id, user_id } = thread
  const summary = readSummary(thread)
  const { unread } = await readUnsummarized(thread, { summary, until: Infinity }, cradle)
  const questions = unread.flatMap(({ role }, index) => (role === 'user' ? [index] : []))
  const older = unread.slice(0, questions.at(-KEPT_EXCHANGES) ?? 0)
  if (older.length === 0) throw new AppError('NOTHING_TO_SUMMARIZE')
  const filteredModels = chatFilters.overAll(models, {
    agent: { id: agent._id, name: agent.name, owner_id: agent.owner_id },
    caller: { id: user.id, role: user.role },
    locale,
    onNotice: () => undefined,
  })
  const opened = await filteredModels.open([thread.model], user_id, agent)
  const { token_quota, budget, timezone } = user
  const account = { user_id, token_quota, budget, timezone, agent_id, thread_id }
  let current = thread
  try {
    const { text } = await summarize(
      older,
      {
        summary,
        opened,
        account,
        locale,
        signal,
        async onProgress(next) {
          if (!(await threads.replaceSummary(current, next))) throw new AppError('THREAD_BUSY')
          current = { ...current, summary: next }
        },
      },
      cradle,
    )
    await events.emit('thread.changed', { thread_id, agent_id, user_id })
    return { messages: older.length, summary: text }
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof AppError ? error : opened.explain(error, locale)
  }
}
