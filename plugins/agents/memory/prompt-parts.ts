import type { Instructions } from '../agents/types.ts'
import type { Cradle } from './manifest.ts'
import type { Memories } from './memories.ts'
import { describeMemories } from './prompt.ts'

/** The most parts that are kept, of some kilobytes each; the parts of the account that was away longest are dropped first. */
const MAX_PARTS = 4000

type Part = Promise<Partial<Instructions> | undefined>

declare module '../../operation/signals/types.ts' {
  interface Facts {
    /** Memories of an account have changed. */
    'memory.changed': { user_id: string }
  }
}

/** The parts of instructions about people, as of the last change that this process knows of. */
export type PromptParts = ReturnType<typeof createPromptParts>

/** Creates the parts. They are kept in this process, since a query in every turn takes too much processor time. */
export function createPromptParts({
  memories,
  nodes,
  signals,
}: { memories: Memories } & Pick<Cradle, 'nodes' | 'signals'>) {
  /** By account and agent; the account that was here last comes last. */
  const accounts = new Map<string, Map<string, Part>>()
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
    /** Returns the part about an account for an agent, never from before a change by this process. */
    of(user_id: string, agent_id: string): Part {
      const parts = accounts.get(user_id) ?? new Map<string, Part>()
      accounts.delete(user_id)
      accounts.set(user_id, parts)
      const earlierPart = parts.get(agent_id)
      if (earlierPart) return earlierPart
      const part = memories.listNewest(user_id, agent_id).then(describeMemories)
      parts.set(agent_id, part)
      count += 1
      part.catch(() => accounts.get(user_id) === parts && drop(user_id))
      while (count > MAX_PARTS) drop(accounts.keys().next().value!)
      return part
    },

    /** Drops what is kept about an account, here and in other processes. */
    noteChange(user_id: string): void {
      drop(user_id)
      signals.publish('memory.changed', { user_id })
    },

    dropAll,

    start(): void {
      signals.on('memory.changed', ({ user_id }) => drop(user_id))
      signals.onMissed(dropAll)
      // It may have died before it told of a change.
      nodes.onGone(dropAll)
    },
  }
}
