/** Creates a value that readers see at most once a display frame, whatever happens to it in between. */
export function createPublisher<Value>(initial: Value) {
  let latest = initial
  let shown = initial
  let scheduled = 0
  const listeners = new Set<() => void>()

  const flush = () => {
    cancelAnimationFrame(scheduled)
    scheduled = 0
    if (shown === latest) return
    shown = latest
    for (const listener of listeners) listener()
  }

  return {
    /** The value with all changes. */
    latest: () => latest,
    /** The value as of the last display frame. */
    read: () => shown,
    listen(listener: () => void) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    update(change: (value: Value) => Value) {
      latest = change(latest)
      if (scheduled === 0) scheduled = requestAnimationFrame(flush)
    },
    /** Shows all changes at once. */
    flush,
  }
}
