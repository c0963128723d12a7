import type { Collection, Filter } from 'mongodb'
import type { ExtensionPoints } from '#plugin-api'
import type { ThreadDocument } from '../documents.ts'
import type { Messages } from './messages.ts'
import type { RunningFiles } from './running-files.ts'
import { visible } from './thread-facts.ts'
import { LIST_ORDER } from './thread-indexes.ts'

/**
 * Lists the files that turns of a user's threads with an agent have made; files that users claim to have sent do not
 * count.
 */
export type NamedFiles = ExtensionPoints['agents.named_files']

/** The number of most recently active threads whose files are listed. */
const MAX_THREADS = 200

/** Creates the service. */
export function createNamedFiles({
  threads,
  messages,
  runningFiles,
}: {
  threads: Collection<ThreadDocument>
  messages: Messages
  runningFiles: RunningFiles
}): NamedFiles {
  /** Looks into the messages, because a thread document contains only its newest artifacts. */
  const isInMessages = async (filter: Filter<ThreadDocument>, path: string): Promise<boolean> => {
    const own = await threads.find(filter, { projection: { 'base.thread_id': 1 } }).toArray()
    const ids = own.flatMap(({ _id, base = [] }) => [_id, ...base.map(({ thread_id }) => thread_id)])
    return messages.hasArtifact(ids, path)
  }

  return async ({ agent_id, user_id, path }) => {
    const named = new Set<string>()
    const filter = { user_id, agent_id, ...visible }
    const find = (more: Filter<ThreadDocument>) =>
      threads.find({ ...filter, ...more }, { projection: { artifacts: 1 } })

    const runningPaths = await runningFiles(filter)
    if (path === undefined) {
      for await (const { artifacts } of find({}).sort(LIST_ORDER).limit(MAX_THREADS))
        for (const artifact of artifacts) named.add(artifact.path)
      for (const path of runningPaths) named.add(path)
      return [...named]
    }
    const isNamed =
      runningPaths.includes(path) ||
      (await find({ 'artifacts.path': path }).hasNext()) ||
      (await isInMessages(filter, path))
    return isNamed ? [path] : []
  }
}
