import { useQuery } from '@tanstack/react-query'
import { client } from '../server/client.ts'
import { ifMatch, refresh, send, sendTagged } from '../server/send.ts'
import { listChanges, useDraft } from '../ui/draft.ts'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { nameOf, type Person, valuesOf } from './person.ts'
import { PersonActions } from './person-actions.tsx'
import { PersonFields } from './person-fields.tsx'

interface Props {
  person: Person
  onClose(): void
}

/** Changes an account, as it is stored now. */
export function EditPerson({ person, onClose }: Props) {
  const path = { id: person.username }
  const stored = useQuery({
    queryKey: ['edit', person.id],
    queryFn: () => sendTagged(client.GET('/users/{id}', { params: { path } })),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (stored.data) return <Editor person={stored.data.data} tag={stored.data.tag} onClose={onClose} />
  return (
    <Sheet title={nameOf(person)} onClose={onClose}>
      {stored.error ? <Failure error={stored.error} onRetry={stored.refetch} /> : <Loading height={320} />}
    </Sheet>
  )
}

function Editor({ person, tag, onClose }: Props & { tag: string | null }) {
  const draft = useDraft(valuesOf(person))
  const save = async () => {
    const params = { path: { id: person.username }, header: ifMatch(tag) }
    const { username: _, password: __, ...changes } = listChanges(draft.base, draft.value)
    await send(client.PATCH('/users/{id}', { params, body: changes }))
    await refresh('/users', '/auth/me')
  }
  return (
    <Sheet
      title={nameOf(person)}
      isDirty={draft.isDirty}
      canSave={draft.isDirty}
      onSave={save}
      onClose={onClose}
    >
      <PersonFields values={draft.value} onChange={draft.change} />
      <PersonActions person={person} onClose={onClose} />
    </Sheet>
  )
}
