import { Suspense } from 'react'
import type { SlotHostsProps } from '../slots/slot-hosts.tsx'
import { lazySlots } from './lazy-slots.ts'
import { useSlots } from './slots.ts'

const SlotHosts = lazySlots(() => import('../slots/slot-hosts.tsx'))

/** The place of a slot: what plugins add there, which is loaded when there is something. */
export function SlotPlace(props: Omit<SlotHostsProps, 'slots'>) {
  const slots = useSlots(props.name).filter(({ when: { role } }) => role === null || role === props.author)
  if (slots.length === 0) return null
  return (
    <Suspense>
      <SlotHosts {...props} slots={slots} />
    </Suspense>
  )
}
