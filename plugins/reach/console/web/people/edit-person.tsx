import { Stack, Tabs } from '@mantine/core'
import { setGroups } from '../groups/membership.ts'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { ifMatch, refresh, send, sendTagged } from '../server/send.ts'
import { listChanges } from '../ui/draft.ts'
import { EditSheet } from '../ui/edit-sheet.tsx'
import { Access } from './access.tsx'
import { nameOf, type Person, valuesOf } from './person.ts'
import { PersonActions } from './person-actions.tsx'
import { PersonFields } from './person-fields.tsx'

interface Props {
  person: Person
  onClose(): void
}

/** Changes an account, as it is stored now, and shows what it may do. */
export function EditPerson({ person, onClose }: Props) {
  const path = { id: person.username }
  return (
    <EditSheet
      title={nameOf(person)}
      id={person.id}
      read={() => sendTagged(client.GET('/users/{id}', { params: { path } }))}
      valuesOf={({ data }) => valuesOf(data)}
      save={async ({ tag }, base, values) => {
        const { username: _, password: __, group_ids, ...body } = listChanges(base, values)
        // The version of the account is checked before anything is changed.
        if (Object.keys(body).length > 0)
          await send(client.PATCH('/users/{id}', { params: { path, header: ifMatch(tag) }, body }))
        if (group_ids) await setGroups(person.username, base.group_ids, group_ids)
        await refresh('/users', '/groups', '/auth/me')
      }}
      onClose={onClose}
    >
      {(values, onChange, { data }) => (
        <Tabs defaultValue="account" keepMounted={false}>
          <Tabs.List mb="lg">
            <Tabs.Tab value="account">{t('people.account')}</Tabs.Tab>
            <Tabs.Tab value="access">{t('people.access')}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="account">
            <Stack gap="lg">
              <PersonFields values={values} onChange={onChange} />
              <PersonActions person={data} onClose={onClose} />
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="access">
            <Access username={person.username} />
          </Tabs.Panel>
        </Tabs>
      )}
    </EditSheet>
  )
}
