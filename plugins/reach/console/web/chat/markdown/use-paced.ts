import { useEffect, useLayoutEffect, useRef, useState } from 'react'

/** A rendering that fits into a display frame. */
const CHEAP_MS = 16
/** The rest after a rendering, as a multiple of its time, so that the page can be used meanwhile. */
const REST = 4

/** Returns a text that is being written; if rendering it takes long, as of a moment ago. The whole text always comes. */
export function usePaced(text: string): string {
  const [earlier, setEarlier] = useState(text)
  const cost = useRef({ ms: 0, endedAt: 0 })
  const shown = cost.current.ms < CHEAP_MS ? text : earlier
  const startedAt = performance.now()
  useLayoutEffect(() => {
    const endedAt = performance.now()
    cost.current = { ms: endedAt - startedAt, endedAt }
  }, [shown])
  useEffect(() => {
    if (text === earlier) return
    const { ms, endedAt } = cost.current
    const timer = setTimeout(() => setEarlier(text), Math.max(endedAt + ms * REST - performance.now(), 0))
    return () => clearTimeout(timer)
  }, [text, earlier])
  return shown
}
