import { Suspense } from 'react'
import { lazySlots } from './lazy-slots.ts'
import { type Slot, useSlots } from './slots.ts'

const SlotSections = lazySlots(() => import('../slots/slot-sections.tsx'))

/** The parts that plugins add to a page, which are loaded if there are some. */
export const SlotParts = ({ name }: { name: Slot['slot'] }) =>
  useSlots(name).length === 0 ? null : (
    <Suspense>
      <SlotSections name={name} />
    </Suspense>
  )
