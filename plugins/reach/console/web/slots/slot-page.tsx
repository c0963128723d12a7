import { useRouterState } from '@tanstack/react-router'
import { NotFound } from '../frame/not-found.tsx'
import { isAt, labelOf, usePages } from '../frame/slots.ts'
import { Page } from '../ui/page.tsx'
import { SlotHost } from './slot-host.tsx'

/** The page that a plugin adds at the current address. */
export default function SlotPage() {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const slot = [...usePages('pages'), ...usePages('admin.pages')].find((page) => isAt(page, path))
  if (!slot) return <NotFound />
  return (
    <Page title={labelOf(slot)}>
      <SlotHost key={slot.module} slot={slot} />
    </Page>
  )
}
