/** The changes of documents in this process, for their followers. */
export type Changes = ReturnType<typeof createChanges>

/** A reader of the changes of one base. */
interface Follower {
  wake(): void
  /** The documents that were removed since it last looked. */
  deleted: string[]
}

/** Creates the changes. */
export function createChanges() {
  const followers = new Map<string, Set<Follower>>()

  return {
    /** Wakes the followers of a base to look at its documents. */
    notify(base_id: string): void {
      for (const { wake } of followers.get(base_id) ?? []) wake()
    },

    /** Notifies the followers of a base that documents were removed. */
    notifyDeleted(base_id: string, ids: readonly string[]): void {
      for (const follower of followers.get(base_id) ?? []) {
        follower.deleted.push(...ids)
        follower.wake()
      }
    },

    follow(base_id: string): { next(ms: number, signal: AbortSignal): Promise<string[]>; leave(): void } {
      let isAwake = false
      let wake = () => {
        isAwake = true
      }
      const follower: Follower = { wake: () => wake(), deleted: [] }
      const all = followers.get(base_id) ?? new Set()
      followers.set(base_id, all.add(follower))
      return {
        /** Waits for a change, at most for a time, and returns the documents that were removed. */
        async next(ms, signal) {
          if (!isAwake)
            await new Promise<void>((resolve) => {
              const finish = () => {
                clearTimeout(timer)
                signal.removeEventListener('abort', finish)
                resolve()
              }
              const timer = setTimeout(finish, ms)
              wake = finish
              signal.addEventListener('abort', finish)
              if (signal.aborted) wake()
            })
          isAwake = false
          wake = () => {
            isAwake = true
          }
          return follower.deleted.splice(0)
        },
        leave() {
          all.delete(follower)
          if (all.size === 0) followers.delete(base_id)
        },
      }
    },
  }
}
