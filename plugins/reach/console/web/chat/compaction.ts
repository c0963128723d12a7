import { useSyncExternalStore } from 'react'
import { client } from '../server/client.ts'
import { send } from '../server/send.ts'
import { createPublisher } from './store/publisher.ts'
import type { ThreadStore } from './store/thread-store.ts'

/** A summary of the earlier messages of a thread that was asked for after a turn; without `summary` it is being written. */
export interface Compaction {
  turn_id: string
  /** The number of messages that were summarized. */
  messages?: number
  summary?: string
}

const nameOf = (thread_id: string) => `svc.compaction.${thread_id}`
const compactions = createPublisher<ReadonlyMap<string, Compaction | undefined>>(new Map())

const show = (thread_id: string, compaction: Compaction | undefined) => {
  compactions.update((all) => new Map(all).set(thread_id, compaction))
  compactions.flush()
}

/** Has the model summarize the earlier messages of a thread, so that its next answers read less; throws the refusal. */
export async function compactThread({ agent_id: id, thread_id, latest }: ThreadStore): Promise<void> {
  const previous = readCompaction(thread_id)
  const turn_id = latest().turns.at(-1)?.id ?? ''
  show(thread_id, { turn_id })
  try {
    const params = { path: { id, thread_id } }
    const compacted = await send(client.POST('/agents/{id}/threads/{thread_id}/compact', { params }))
    const compaction = { turn_id, ...compacted }
    sessionStorage.setItem(nameOf(thread_id), JSON.stringify(compaction))
    show(thread_id, compaction)
  } catch (error) {
    show(thread_id, previous)
    throw error
  }
}

/** The summary of a thread that this browser tab asked for last. */
export const useCompaction = (thread_id: string | undefined): Compaction | undefined =>
  useSyncExternalStore(compactions.listen, () => readCompaction(thread_id))

function readCompaction(thread_id: string | undefined): Compaction | undefined {
  if (thread_id === undefined) return undefined
  const all = compactions.latest() as Map<string, Compaction | undefined>
  if (!all.has(thread_id)) all.set(thread_id, readStored(nameOf(thread_id)))
  return all.get(thread_id)
}

function readStored(name: string): Compaction | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}
