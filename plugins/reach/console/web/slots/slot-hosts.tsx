import type { Slot } from '../frame/slots.ts'
import { SlotHost } from './slot-host.tsx'
import type { SlotFacts } from './use-slot-context.ts'

export interface SlotHostsProps extends SlotFacts {
  name: Slot['slot']
  /** The role of the message, in `message.actions`. */
  author?: 'user' | 'assistant'
  slots: readonly Slot[]
}

/** The modules of a place in a row, such as that of the actions of a message. */
export default function SlotHosts({ slots, name: _name, author: _author, ...facts }: SlotHostsProps) {
  return slots.map((slot) => <SlotHost key={slot.module} slot={slot} {...facts} />)
}
