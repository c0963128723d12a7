import { type Slot, useSlots } from '../frame/slots.ts'

/** Returns the tabs that plugins add to the page of an agent. */
export const useSlotTabs = () => useSlots('agent.tabs')

/** The parts of the address of a tab: its plugin, and the name of its module. */
export const partsOf = ({ plugin, module }: Slot) => ({
  plugin,
  module: module
    .split('/')
    .at(-1)!
    .replace(/\.m?js$/, ''),
})

/** Returns the tab at an address. */
export const findTab = (
  slots: readonly Slot[],
  { plugin, module }: { plugin?: string | undefined; module?: string | undefined },
) => slots.find((slot) => slot.plugin === plugin && partsOf(slot).module === module)
