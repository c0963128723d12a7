import { lazy, Suspense } from 'react'
import type { ThreadStore } from '../store/thread-store.ts'
import type { ThreadView } from '../store/thread-view.ts'
import { useThread } from '../store/threads.ts'

const WindowGauge = lazy(() => import('./window-gauge.tsx'))

/** The part of a window from which the gauge is shown. */
const SHOWN_FROM = 0.5

interface Props {
  store: ThreadStore
  /** The number of tokens that the model of the next answer reads at once; null if it is unknown. */
  window: number | null
  onFailure(error: unknown): void
}

/** Shows how full the window of the model is once that matters. */
export function LazyWindowGauge({ store, window, onFailure }: Props) {
  const used = useThread(store, readUsedTokens)
  const part = window ? Math.min(used / window, 1) : 0
  if (part < SHOWN_FROM) return null
  return (
    <Suspense>
      <WindowGauge store={store} part={part} onFailure={onFailure} />
    </Suspense>
  )
}

/** The tokens that the last model call of a thread has read and written. */
function readUsedTokens({ turns }: ThreadView): number {
  for (const { messages } of turns.toReversed()) {
    const usage = messages.findLast((message) => message.role === 'assistant' && message.usage)?.usage
    if (usage) return usage.input_tokens + usage.output_tokens
  }
  return 0
}
