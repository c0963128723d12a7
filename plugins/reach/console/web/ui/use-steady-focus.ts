import { type RefObject, useEffect } from 'react'

/**
 * Keeps the focused field of a scrolled box at its position on the screen while contents above it grow or shrink.
 * Otherwise an answer of the server that is shown late pushes the field below the edge of the box: an open dropdown
 * moves away under the pointer or disappears, and the click meets what is beneath.
 */
export function useSteadyFocus(box: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const scroller = box.current
    if (!scroller) return
    let field: Element | null = null
    let top = 0

    const remember = () => {
      const { activeElement } = document
      field = scroller.contains(activeElement) ? activeElement : null
      top = field?.getBoundingClientRect().top ?? 0
    }
    const restore = () => {
      const edges = scroller.getBoundingClientRect()
      if (field?.isConnected && field === document.activeElement && top >= edges.top && top < edges.bottom) {
        scroller.scrollTop += field.getBoundingClientRect().top - top
      }
      remember()
    }

    const observer = new ResizeObserver(restore)
    for (const element of [scroller, ...scroller.children]) observer.observe(element)
    scroller.addEventListener('focusin', remember)
    scroller.addEventListener('scroll', remember)
    return () => {
      observer.disconnect()
      scroller.removeEventListener('focusin', remember)
      scroller.removeEventListener('scroll', remember)
    }
  }, [box])
}
