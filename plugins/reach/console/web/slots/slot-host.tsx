import './slots.css'
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Slot } from '../frame/slots.ts'
import { type OpenModule, openModule } from './open-module.ts'
import { type SlotFacts, useSlotContext } from './use-slot-context.ts'

const SlotFailure = lazy(() => import('./slot-failure.tsx'))

interface Props extends SlotFacts {
  slot: Slot
}

/** The slots in a row beside buttons of the console. */
const INLINE = ['message.actions', 'composer.actions', 'composer.options']

/** Shows the module of a slot in an element, until it is left; a module that fails is replaced by a line that says so. */
export function SlotHost({ slot: { slot, module, plugin }, ...facts }: Props) {
  const context = useSlotContext(facts)
  const latest = useRef(context)
  const element = useRef<HTMLDivElement>(null)
  const opened = useRef<OpenModule>(undefined)
  const [attempt, setAttempt] = useState(0)
  const [hasFailed, setFailed] = useState(false)

  useEffect(() => {
    latest.current = context
    opened.current?.update(context)
  }, [context])

  // Before the element is removed, so that the module finds what it has put there.
  useLayoutEffect(() => {
    const open = openModule({
      // Browsers remember a module that could not be loaded.
      address: attempt === 0 ? module : `${module}?attempt=${attempt}`,
      plugin,
      element: element.current!,
      readContext: () => latest.current,
      onFailure: () => setFailed(true),
    })
    opened.current = open
    return () => open.close()
  }, [module, plugin, attempt])

  const retry = () => {
    setFailed(false)
    setAttempt(attempt + 1)
  }
  return (
    <>
      <div
        ref={element}
        className="slot"
        data-slot={slot}
        data-inline={INLINE.includes(slot)}
        hidden={hasFailed}
      />
      {hasFailed && (
        <Suspense>
          <SlotFailure slot={slot} plugin={plugin} onRetry={retry} />
        </Suspense>
      )}
    </>
  )
}
