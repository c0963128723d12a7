import { useParams } from '@tanstack/react-router'
import { findTab, useSlotTabs } from '../agents/slot-tabs.ts'
import { NotFound } from '../frame/not-found.tsx'
import { SlotHost } from './slot-host.tsx'

/** The tab of an agent that a plugin adds at the current address. */
export default function SlotTab() {
  const { id, plugin, module } = useParams({ strict: false })
  const slot = findTab(useSlotTabs(), { plugin, module })
  return slot ? <SlotHost key={slot.module} slot={slot} agent_id={id!} /> : <NotFound />
}
