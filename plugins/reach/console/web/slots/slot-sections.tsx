import { labelOf, type Slot, useSlots } from '../frame/slots.ts'
import { Section } from '../ui/section.tsx'
import { SlotHost } from './slot-host.tsx'
import classes from './slot-sections.module.css'

/** The parts that plugins add to a page, each under its label: sections below each other, or cards in a grid. */
export default function SlotSections({ name }: { name: Slot['slot'] }) {
  const slots = useSlots(name)
  const parts = slots.map((slot) => (
    <Section key={slot.module} title={labelOf(slot)}>
      <SlotHost slot={slot} />
    </Section>
  ))
  return name === 'overview.cards' ? <div className={classes.cards}>{parts}</div> : parts
}
