import { client } from '../server/client.ts'
import { ifMatch, refresh, send, sendTagged } from '../server/send.ts'
import { listChanges } from '../ui/draft.ts'
import { EditSheet } from '../ui/edit-sheet.tsx'
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
  return (
    <EditSheet
      title={nameOf(person)}
      id={person.id}
      read={() => sendTagged(client.GET('/users/{id}', { params: { path } }))}
      valuesOf={({ data }) => valuesOf(data)}
      save={async ({ tag }, base, values) => {
        const { username: _, password: __, ...body } = listChanges(base, values)
        await send(client.PATCH('/users/{id}', { params: { path, header: ifMatch(tag) }, body }))
        await refresh('/users', '/auth/me')
      }}
      onClose={onClose}
    >
      {(values, onChange, { data }) => (
        <>
          <PersonFields values={values} onChange={onChange} />
          <PersonActions person={data} onClose={onClose} />
        </>
      )}
    </EditSheet>
  )
}
