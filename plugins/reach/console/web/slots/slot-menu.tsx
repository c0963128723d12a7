import { Menu } from '@mantine/core'
import { type KeyboardEvent, type MouseEvent, useEffect, useRef } from 'react'
import { useSlots } from '../frame/slots.ts'
import { SlotHost } from './slot-host.tsx'

interface Props {
  agent_id: string
  thread_id: string
  onClose(): void
}

const ITEM = '.slot-menu-item'
/** The items of a menu, of the component library and of modules. */
const ITEMS = '[data-menu-item]:not([data-disabled], :disabled)'

/** The items that plugins add to the menu of a conversation; the arrow keys lead through them as well. */
export default function SlotMenu({ onClose, ...facts }: Props) {
  const group = useRef<HTMLDivElement>(null)
  const slots = useSlots('thread.menu')

  useEffect(() => {
    const element = group.current!
    const describe = () => {
      for (const item of element.querySelectorAll<HTMLElement>(`${ITEM}:not([data-menu-item])`)) {
        item.setAttribute('role', 'menuitem')
        item.tabIndex = -1
        item.dataset.menuItem = 'true'
      }
    }
    const changes = new MutationObserver(describe)
    changes.observe(element, { childList: true, subtree: true })
    describe()
    return () => changes.disconnect()
  }, [])

  const click = ({ target }: MouseEvent) => {
    if ((target as Element).closest(ITEM)) onClose()
  }
  const move = (event: KeyboardEvent) => {
    if (!(event.target as Element).matches(ITEM)) return
    const items = [...event.currentTarget.closest('[role=menu]')!.querySelectorAll<HTMLElement>(ITEMS)]
    const index = items.indexOf(event.target as HTMLElement)
    const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    event.stopPropagation()
    items.at(next % items.length)?.focus()
  }
  return (
    <>
      <Menu.Divider />
      <div ref={group} role="none" onClick={click} onKeyDown={move}>
        {slots.map((slot) => (
          <SlotHost key={slot.module} slot={slot} {...facts} />
        ))}
      </div>
    </>
  )
}
