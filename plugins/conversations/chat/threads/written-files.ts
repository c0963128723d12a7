import type { Collection } from 'mongodb'
import type { ExtensionPoints } from '#plugin-api'
import type { ThreadDocument } from '../documents.ts'
import type { Messages } from './messages.ts'
import type { RunningFiles } from './running-files.ts'

/** Lists the files that the turns of an agent have made, in all threads that still exist. */
export type WrittenFiles = ExtensionPoints['agents.written_files']

/** The number of threads that are read at a time. */
const BATCH = 1000

/** Creates the service. */
export function createWrittenFiles({
  threads,
  messages,
  runningFiles,
}: {
  threads: Collection<ThreadDocument>
  messages: Messages
  runningFiles: RunningFiles
}): WrittenFiles {
  return async ({ agent_id }) => {
    const paths = new Set<string>()
    // Active turns come first: if one ends meanwhile, its files are among the messages read afterwards.
    for (const path of await runningFiles({ agent_id })) paths.add(path)
    const ids = new Set<string>()
    const take = async () => {
      for (const path of await messages.listArtifactPaths([...ids])) paths.add(path)
      ids.clear()
    }
    const cursor = threads.find({ agent_id }, { projection: { 'base.thread_id': 1 } })
    for await (const { _id, base = [] } of cursor) {
      for (const { thread_id } of [{ thread_id: _id }, ...base]) ids.add(thread_id)
      if (ids.size >= BATCH) await take()
    }
    await take()
    return [...paths]
  }
}
