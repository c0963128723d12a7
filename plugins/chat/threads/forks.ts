import { AppError, type Locale } from '#kernel'
import type { MessageRange, ThreadDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import { rangesOf } from './message-ranges.ts'
import { MOST_NAMED } from './named.ts'
import { forkTitleOf } from './title.ts'

/** The reply that is to be the last: counted from the newest, which is 1, or any assistant message by its id. */
export interface ForkPlace {
  assistant_turns_from_end?: number
  message_id?: string
}

/** Threads that begin with what was said in another one. */
export interface Forks {
  /** Throws REPLY_NOT_FOUND, and THREAD_NOT_FOUND where the source is removed meanwhile. */
  make(
    source: ThreadDocument,
    place: ForkPlace,
    locale: Locale,
  ): Promise<{ fork: ThreadDocument; copied_messages: number }>
}

/** Makes what forks threads: a fork names the messages of its source that it shows, and copies none. */
export function createForks({
  threads,
  messages,
  chat,
}: Pick<Cradle, 'threads' | 'messages' | 'chat'>): Forks {
  /** The position behind the reply and the tool results that follow it; the turn that runs is no part of it. */
  const findCut = async (source: ThreadDocument, { message_id, assistant_turns_from_end }: ForkPlace) => {
    // Of a history that is being rebuilt the newest messages may not be there yet: they are no part of it either.
    const newest = (await messages.page(source, { limit: 1, before: source.last_seq + 1 })).at(-1)
    if (!newest) throw new AppError('REPLY_NOT_FOUND')
    const ranges = rangesOf(source, newest.position)
    const reply =
      message_id === undefined
        ? await messages.findReply(ranges, assistant_turns_from_end!)
        : await messages.findAnswer(ranges, message_id)
    if (reply === null) throw new AppError('REPLY_NOT_FOUND')
    const next = await messages.findNext(ranges, reply)
    return next === null ? newest.position : next - 1
  }

  const namedIn = async (source: ThreadDocument, base: readonly MessageRange[]) => ({
    artifacts: source.artifacts.length > 0 ? await messages.listArtifacts(base, MOST_NAMED) : [],
    sources: source.sources.length > 0 ? await messages.listSources(base, MOST_NAMED) : [],
  })

  return {
    async make(source, place, locale) {
      const { _id: forked_from, user_id, agent_id, title, model, summary } = source
      const cut = await findCut(source, place)
      const base = rangesOf(source, cut)
      const [copied_messages, named] = await Promise.all([messages.count(base), namedIn(source, base)])
      const fork = await threads.create(
        { user_id, agent_id },
        {
          ...named,
          title: forkTitleOf(title, locale),
          model,
          last_seq: cut,
          forked_from,
          base,
          ...(summary && summary.position <= cut ? { summary } : {}),
          deleted_at: null,
        },
      )
      try {
        // Whoever removes the source from here on sees that the fork shows its messages.
        await threads.get({ user_id, agent_id }, forked_from)
        await threads.publish(fork._id)
      } catch (error) {
        await chat.purge(await threads.hide({ _id: fork._id }))
        throw error
      }
      return { fork, copied_messages }
    },
  }
}
