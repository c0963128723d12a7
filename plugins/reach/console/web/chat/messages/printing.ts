import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import type { ThreadStore } from '../store/thread-store.ts'

/** The most messages of a conversation that are loaded to be printed. */
const MAX_MESSAGES = 1_000
/** The time without a change after which the page is complete, and the longest wait for it. */
const QUIET_MS = 400
const PATIENCE_MS = 8_000

/** True while the page is printed; then all messages that were loaded are rendered, not only those in view. */
export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    // A browser prints what is there when the listener returns.
    const begin = () => flushSync(() => setPrinting(true))
    const end = () => setPrinting(false)
    addEventListener('beforeprint', begin)
    addEventListener('afterprint', end)
    return () => {
      removeEventListener('beforeprint', begin)
      removeEventListener('afterprint', end)
    }
  }, [])
  return isPrinting
}

/** Prints a whole conversation: loads its earlier messages, and waits until all of them are rendered. */
export async function printThread(store: ThreadStore): Promise<void> {
  await store.loadMessages(MAX_MESSAGES)
  dispatchEvent(new Event('beforeprint'))
  try {
    await waitForQuiet()
    print()
  } finally {
    dispatchEvent(new Event('afterprint'))
  }
}

/** Resolves when nothing on the page has changed for a moment: code is coloured, diagrams and pictures are there. */
async function waitForQuiet(): Promise<void> {
  const startedAt = performance.now()
  let changedAt = startedAt
  const changes = new MutationObserver(() => {
    changedAt = performance.now()
  })
  changes.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
  while (performance.now() - changedAt < QUIET_MS && performance.now() - startedAt < PATIENCE_MS)
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS / 4))
  changes.disconnect()
}
