import { AppError, type Locale } from '#plugin-api'
import type { MessageRange, ThreadDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import { containsPosition, endOf, listRanges } from './paths.ts'
import { MAX_REFERENCES } from './references.ts'
import { toForkTitle } from './thread-progress.ts'

/** The last reply of a fork: counted from the newest, which is 1, or any assistant message by its id. */
export interface ForkPlace {
  assistant_turns_from_end?: number
  message_id?: string
}

/** Forks: threads that begin with the messages of another thread. */
export type Forks = ReturnType<typeof createForks>

/** Creates the forks; a fork refers to the messages of its source and copies none. */
export function createForks({
  threads,
  threadProjects,
  messages,
  chat,
}: Pick<Cradle, 'threads' | 'threadProjects' | 'messages' | 'chat'>) {
  /** Finds the position after the reply and the tool results that follow it; the active turn is left out. */
  const findCut = async (source: ThreadDocument, { message_id, assistant_turns_from_end }: ForkPlace) => {
    // While a history is rebuilt, its newest messages may be missing; they are left out as well.
    const newest = (await messages.page(source, { limit: 1, beforeSeq: source.last_seq + 1 })).at(-1)
    if (!newest) throw new AppError('REPLY_NOT_FOUND')
    const ranges = listRanges(source, newest.position)
    const reply =
      message_id === undefined
        ? await messages.findReply(ranges, assistant_turns_from_end!)
        : await messages.findAnswer(ranges, message_id)
    if (reply === null) throw new AppError('REPLY_NOT_FOUND')
    const next = await messages.findNext(ranges, reply)
    return next === null ? newest.position : next - 1
  }

  const listReferences = async (source: ThreadDocument, base: readonly MessageRange[]) => ({
    artifacts: source.artifacts.length > 0 ? await messages.listArtifacts(base, MAX_REFERENCES) : [],
    sources: source.sources.length > 0 ? await messages.listSources(base, MAX_REFERENCES) : [],
  })

  return {
    /** Throws REPLY_NOT_FOUND, and THREAD_NOT_FOUND if the source is removed meanwhile. */
    async make(
      source: ThreadDocument,
      position: ForkPlace,
      locale: Locale,
    ): Promise<{ fork: ThreadDocument; copied_messages: number }> {
      const { _id: forked_from, user_id, agent_id, project_id, title, model, instructions, summary } = source
      const cut = await findCut(source, position)
      const base = listRanges(source, cut)
      const [copied_messages, named] = await Promise.all([messages.count(base), listReferences(source, base)])
      const fork = await threads.create(
        { user_id, agent_id },
        {
          ...named,
          title: toForkTitle(title, locale),
          title_by: source.title_by ?? 'model',
          model,
          ...(project_id && { project_id }),
          ...(instructions && { instructions }),
          last_seq: endOf(base),
          forked_from,
          base,
          ...(summary && containsPosition(base, summary.position) ? { summary } : {}),
          deleted_at: null,
        },
      )
      try {
        // A process that removes the source from here on sees that the fork shows its messages.
        await threads.get({ user_id, agent_id }, forked_from)
        await threads.publish(fork._id)
        await threadProjects.settle(fork)
      } catch (error) {
        await chat.purge(await threads.hide({ _id: fork._id }))
        throw error
      }
      return { fork, copied_messages }
    },
  }
}
