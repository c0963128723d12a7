import type { Instructions } from '../agents/types.ts'
import type { Cradle } from './manifest.ts'
import type { Memories } from './memories.ts'
import { describeMemories } from './prompt.ts'

/** The most parts that are remembered, of some kilobytes each; those of the account that was away longest are dropped. */
const MAX_PARTS = 4000
/** The age from which a part is read again, in case another process has died before it told of a change. */
const MAX_AGE_MS = 300_000

type Part = Promise<Partial<Instructions> | undefined>

declare module '../../operation/signals/types.ts' {
  interface Facts {
    /** Memories of an account have changed. */
    'memory.changed': { user_id: string }
  }
}

/** The parts of instructions about people, which are read once and again after a change. */
export type PromptParts = ReturnType<typeof createPromptParts>

/** Creates the parts. A turn costs no query, since reading takes several times as long as all else here. */
export function createPromptParts({
  clock,
  memories,
  signals,
}: { memories: Memories } & Pick<Cradle, 'clock' | 'signals'>) {
  /** By account and agent; the account that was here last comes last. */
  const accounts = new Map<string, Map<string, { part: Part; readAt: number }>>()
  let count = 0

  const drop = (user_id: string) => {
    count -= accounts.get(user_id)?.size ?? 0
    accounts.delete(user_id)
  }

  const dropAll = () => {
    accounts.clear()
    count = 0
  }

  return {
    /** Returns the part about an account for an agent, without changes that this process made before. */
    async of(user_id: string, agent_id: string): Part {
      const now = clock.now()
      const parts = accounts.get(user_id) ?? new Map<string, { part: Part; readAt: number }>()
      const remembered = parts.get(agent_id)
      const isFresh = remembered && now - remembered.readAt < MAX_AGE_MS
      accounts.delete(user_id)
      accounts.set(user_id, parts)
      if (isFresh) return remembered.part
      const part = memories.listNewest(user_id, agent_id).then(describeMemories)
      if (!remembered) count += 1
      parts.set(agent_id, { part, readAt: now })
      part.catch(() => accounts.get(user_id) === parts && drop(user_id))
      while (count > MAX_PARTS) drop(accounts.keys().next().value!)
      return part
    },

    /** Drops what is remembered about an account, here and in other processes. */
    noteChange(user_id: string): void {
      drop(user_id)
      signals.publish('memory.changed', { user_id })
    },

    dropAll,

    start(): void {
      signals.on('memory.changed', ({ user_id }) => drop(user_id))
      signals.onMissed(dropAll)
    },
  }
}
