import { useQuery } from '@tanstack/react-query'
import { t } from '../i18n/words.ts'
import { owns, useAccount } from '../session/account.ts'
import { EditSheet } from '../ui/edit-sheet.tsx'
import { Pending } from '../ui/pending.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { GrantFields } from './grant-fields.tsx'
import type { SharedThing } from './kinds.ts'
import { readGrants } from './store-grants.ts'
import { useGrantStore } from './use-grant-store.ts'

interface Props {
  thing: SharedThing
  onClose(): void
}

/** Shares something with people, groups and everyone; to people who may not share it, shows who can use it. */
export function SharingSheet({ thing, onClose }: Props) {
  const canShare = owns(useAccount(), thing)
  return canShare ? <Editor {...{ thing, onClose }} /> : <Viewer {...{ thing, onClose }} />
}

function Editor({ thing, onClose }: Props) {
  const { refused, store } = useGrantStore(thing)
  return (
    <EditSheet
      title={t('sharing.title', { name: thing.name })}
      id={`grants:${thing.id}`}
      read={() => readGrants(thing)}
      valuesOf={(grants) => ({ grants })}
      save={(_, base, { grants }) => store(base.grants, grants)}
      onClose={onClose}
    >
      {({ grants }, onChange, base) => (
        <GrantFields
          {...{ thing, grants, base, refused }}
          onChange={(grants) => onChange({ grants })}
          isFocused
        />
      )}
    </EditSheet>
  )
}

function Viewer({ thing, onClose }: Props) {
  const { data, ...query } = useQuery({
    queryKey: ['grants', thing.kind, thing.id],
    queryFn: () => readGrants(thing),
    staleTime: 0,
  })
  return (
    <Sheet title={t('sharing.title_view', { name: thing.name })} onClose={onClose}>
      {data ? <GrantFields thing={thing} grants={data} base={data} /> : <Pending {...query} height={240} />}
    </Sheet>
  )
}
