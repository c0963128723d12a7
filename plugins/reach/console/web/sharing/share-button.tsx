import { Button } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { owns, useAccount } from '../session/account.ts'
import { Users } from '../ui/icons.ts'
import type { SharedThing } from './kinds.ts'
import { SharingSheet } from './sharing-sheet.tsx'

/** The button of a page that opens the sharing sheet, for people who may share the thing or see who can use it. */
export function ShareButton({ thing, canEdit }: { thing: SharedThing; canEdit: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const canShare = owns(useAccount(), thing)
  if (!canShare && !canEdit) return null
  return (
    <>
      <Button variant="default" leftSection={<Users size={14} />} onClick={() => setOpen(true)}>
        {t(canShare ? 'sharing.open' : 'sharing.view')}
      </Button>
      {isOpen && <SharingSheet thing={thing} onClose={() => setOpen(false)} />}
    </>
  )
}
