import type { Collection, Filter } from 'mongodb'
import type { Events } from '#kernel'
import type { ThreadDocument } from '../documents.ts'
import type { LedgerReader } from '../ledger/ledger-reader.ts'
import type { Messages } from './messages.ts'
import { LIST_ORDER, visible } from './threads.ts'

/** Adds the files that a user's threads with an agent name as made there; what users say they have sent proves nothing. */
export type NamedFiles = (asked: Events['agent.files_named']) => Promise<void>

/** How many threads a list of files is made of, those that were active last. */
const MOST_THREADS = 200
/** How many files of a turn that runs are looked at. */
const MOST_ATTACHMENTS = 200

/** Makes the service. */
export function createNamedFiles({
  threads,
  messages,
  ledgerReader,
}: {
  threads: Collection<ThreadDocument>
  messages: Messages
  ledgerReader: LedgerReader
}): NamedFiles {
  /** The paths of the files that the turns which now run in threads have made. */
  const pathsInTurns = async (running: readonly ThreadDocument[]): Promise<string[]> => {
    const pages = running.map(({ _id, active_turn }) =>
      ledgerReader.page(_id, {
        type: 'attachment',
        after: active_turn!.first_seq - 1,
        limit: MOST_ATTACHMENTS,
      }),
    )
    const events = (await Promise.all(pages)).flatMap((page) => page.events)
    return events.flatMap((event) => (event.type === 'attachment' ? [event.frame.path] : []))
  }

  /** A thread itself names only its newest files. */
  const isInMessages = async (filter: Filter<ThreadDocument>, path: string): Promise<boolean> => {
    const own = await threads.find(filter, { projection: { 'base.thread_id': 1 } }).toArray()
    const ids = own.flatMap(({ _id, base = [] }) => [_id, ...base.map(({ thread_id }) => thread_id)])
    return messages.hasArtifact(ids, path)
  }

  return async ({ agent_id, user_id, path, named }) => {
    const filter = { user_id, agent_id, ...visible }
    const find = (more: Filter<ThreadDocument>) =>
      threads.find({ ...filter, ...more }, { projection: { artifacts: 1, active_turn: 1 } })

    const made = await pathsInTurns(await find({ active_turn: { $ne: null } }).toArray())
    if (path === undefined) {
      for await (const { artifacts } of find({}).sort(LIST_ORDER).limit(MOST_THREADS))
        for (const artifact of artifacts) named.add(artifact.path)
      for (const found of made) named.add(found)
    } else if (
      made.includes(path) ||
      (await find({ 'artifacts.path': path }).hasNext()) ||
      (await isInMessages(filter, path))
    )
      named.add(path)
  }
}
