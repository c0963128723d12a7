import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { COMPOSER_FIELD } from '../composer/composer-field.ts'
import { draftOf } from '../composer/draft.ts'

/** The time for which a new request takes no keys: somebody may be typing into the composer as it appears. */
const SETTLE_MS = 600

/** The places whose keys are their own. */
const OWN_KEYS = 'input, select, textarea, [contenteditable], [role=dialog], [role=menu], [role=listbox]'

/**
 * Has keys decide while the composer of a thread is empty. A handler that returns false leaves its key to the page.
 * Returns true while the keys work.
 */
export function useDecisionKeys(
  thread_id: string,
  isEnabled: boolean,
  handlers: Readonly<Record<string, () => unknown>>,
): boolean {
  const draft = draftOf(thread_id)
  const { text, files } = useSyncExternalStore(draft.listen, draft.read)
  const [isSettled, setSettled] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [])
  const isOn = isEnabled && isSettled && text === '' && files.length === 0

  const handle = useEffectEvent((event: KeyboardEvent) => {
    const { key, target, altKey, ctrlKey, metaKey, shiftKey } = event
    if (event.isComposing || event.repeat || event.defaultPrevented) return
    if (altKey || ctrlKey || metaKey || shiftKey || !isFree(target)) return
    const handler = Object.hasOwn(handlers, key) ? handlers[key] : undefined
    if (handler && handler() !== false) event.preventDefault()
  })
  useEffect(() => {
    if (!isOn) return
    // Before the composer, in whose empty field the key would be written.
    document.addEventListener('keydown', handle, { capture: true })
    return () => document.removeEventListener('keydown', handle, { capture: true })
  }, [isOn])
  return isOn
}

/** True if a key is nobody else's: nothing that takes keys has the focus, or the composer while it is empty. */
function isFree(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return true
  if (target instanceof HTMLTextAreaElement && target.name === COMPOSER_FIELD) return target.value === ''
  return target.closest(OWN_KEYS) === null
}
