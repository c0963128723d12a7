const listeners = new Set<() => void>()

/** Calls a listener whenever the server may have become reachable again; returns the way to stop that. */
export function onWake(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Has lost connections tried again at once. */
export function wake(): void {
  for (const listener of [...listeners]) listener()
}

/** Waits for some time, or until the server may be reachable again. */
export const waitToRetry = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      stop()
      resolve()
    }
    const timer = setTimeout(end, ms)
    const stop = onWake(end)
  })

addEventListener('online', wake)
addEventListener('focus', wake)
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) wake()
})
