import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ThreadStore } from '../store/thread-store.ts'

/** The distance from the end within which the view follows what is added. */
const NEAR_END_PX = 48

/** Keeps a scrolled list at its end while it grows, until somebody scrolls up. */
export function useStickToEnd(scroller: RefObject<HTMLDivElement | null>, store: ThreadStore) {
  const [value, setValue] = useState(true)
  const isStuck = useRef(true)

  const restore = useCallback(() => {
    const element = scroller.current!
    isStuck.current = true
    setValue(true)
    element.scrollTop = element.scrollHeight
  }, [scroller])

  useLayoutEffect(() => {
    const element = scroller.current!
    let last = element.scrollTop
    const follow = () => {
      if (isStuck.current) element.scrollTop = element.scrollHeight
    }
    const look = () => {
      const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX
      // Only a move upwards leaves the end; what is added below does not.
      if (isNear) isStuck.current = true
      else if (element.scrollTop < last) isStuck.current = false
      last = element.scrollTop
      setValue(isStuck.current || isNear)
    }
    const sizes = new ResizeObserver(follow)
    sizes.observe(element)
    sizes.observe(element.firstElementChild!)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [scroller])

  // The own message is always shown.
  useEffect(() => {
    let sent = store.read().outgoing.length
    return store.listen(() => {
      const { length } = store.read().outgoing
      if (length > sent) restore()
      sent = length
    })
  }, [store, restore])

  const leave = useCallback(() => {
    isStuck.current = false
  }, [])

  return { value, restore, leave }
}
