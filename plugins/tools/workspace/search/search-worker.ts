import { parentPort } from 'node:worker_threads'
import { FileFailure } from '../files/file-failure.ts'
import { type SearchRequest, searchFiles } from './file-search.ts'

/** The task of a thread, which stops early once `stop` is not zero. */
export interface SearchTask {
  request: SearchRequest
  stop: Int32Array
}

/** The result of a task. */
export type SearchAnswer = { text: string } | { failure: string }

async function answer({ request, stop }: SearchTask): Promise<SearchAnswer> {
  try {
    return { text: await searchFiles(request, () => Atomics.load(stop, 0) !== 0) }
  } catch (error) {
    if (error instanceof FileFailure) return { failure: error.message }
    throw error
  }
}

parentPort!.on('message', async (task: SearchTask) => parentPort!.postMessage(await answer(task)))
