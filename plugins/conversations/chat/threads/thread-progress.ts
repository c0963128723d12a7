import type { Collection } from 'mongodb'
import type { Locale, Write } from '#plugin-api'
import type { Artifact, MessageDocument, MessageRange, Source, ThreadDocument } from '../documents.ts'
import { toAppendNewest } from './references.ts'

/** The changes that an ending turn makes to its thread. */
interface ThreadProgress {
  thread_id: string
  turn_id: string
  last_seq: number
  /** Of the turn; undefined if it has none. */
  last_message_id: string | undefined
  /** Unix seconds. */
  last_active: number
  /** The new path of the thread; undefined if it stays as it is. */
  path: readonly MessageRange[] | undefined
  artifacts: readonly Artifact[]
  sources: readonly Source[]
  unseen: boolean
  /** True for a turn that happened elsewhere, which nobody is notified of. */
  is_copied?: true
}

/** Returns the writes that end the active turn of a thread; they can be repeated. */
export function toProgressWrites(
  {
    thread_id,
    turn_id,
    last_seq,
    last_message_id,
    last_active,
    path,
    artifacts,
    sources,
    unseen,
    is_copied,
  }: ThreadProgress,
  { namespace }: Collection<ThreadDocument>,
): Write[] {
  // Most turns need no expressions, which cost the database as much as all the rest of the update.
  const computed = {
    ...(is_copied && toReported(last_seq)),
    ...(artifacts.length > 0 && { artifacts: toAppendNewest('artifacts', 'path', artifacts) }),
    ...(sources.length > 0 && { sources: toAppendNewest('sources', 'id', sources) }),
  }
  const filter = { _id: thread_id, 'active_turn.turn_id': turn_id }
  const fields = {
    ...(!is_copied && { is_unreported: true }),
    active_turn: null,
    last_seq,
    last_active,
    ...(path && { path }),
    ...(last_message_id !== undefined && { last_message_id }),
  }
  const update = {
    $set: fields,
    ...(last_message_id === undefined && { $unset: { last_message_id: 1 } }),
    ...(unseen && { $inc: { unread: 1 } }),
  }
  return [
    ...(Object.keys(computed).length > 0
      ? [{ name: 'updateOne' as const, namespace, filter, update: [{ $set: computed }] }]
      : []),
    { name: 'updateOne', namespace, filter, update },
  ]
}

/** Skips a turn in what is reported, unless events before it are still to be reported. */
const toReported = (last_seq: number) => ({
  reported_seq: { $cond: [{ $eq: ['$is_unreported', true] }, '$reported_seq', last_seq] },
})

const MAX_TITLE_CHARS = 40

const FORK: Record<Locale, string> = { en: ' (fork)', zh: '（分支）' }

/** Returns the write that ends a turn which has only changed the path of its thread; it can be repeated. */
export const toPathWrite = (
  { thread_id, turn_id, last_seq }: Pick<ThreadProgress, 'thread_id' | 'turn_id' | 'last_seq'>,
  { namespace }: Collection<ThreadDocument>,
): Write => ({
  name: 'updateOne',
  namespace,
  filter: { _id: thread_id, 'active_turn.turn_id': turn_id },
  update: [
    {
      $set: { active_turn: null, last_seq, path: '$active_turn.path', last_message_id: '$$REMOVE' },
    },
  ],
})

/** Returns a thread's title: the first message, or the names of its files, as one line of at most 40 characters. */
export function toTitle({ content }: Pick<MessageDocument, 'content'>): string {
  const words = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const names = content.flatMap((block) => ('filename' in block ? [block.filename] : []))
  return clip(oneLine(words) || oneLine(names), MAX_TITLE_CHARS)
}

/**
 * Returns the title of a fork: that of its source with a suffix, within the same length; null if the source has none.
 */
export const toForkTitle = (title: string | null, locale: Locale): string | null =>
  title ? clip(title, MAX_TITLE_CHARS - FORK[locale].length) + FORK[locale] : null

const oneLine = (texts: string[]) => texts.join(' ').replace(/\s+/g, ' ').trim()

/** Cuts a text to a number of characters, the last of which then shows that it is cut. */
export function clip(text: string, length: number): string {
  // Long texts are cut first, generously, so that they are not split into characters as a whole.
  const characters = [...text.slice(0, 4 * length)]
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : characters.join('')
}
