import { Tabs } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { ifMatch, refresh, send, sendTagged } from '../server/send.ts'
import { listChanges, useDraft } from '../ui/draft.ts'
import { EditSheet } from '../ui/edit-sheet.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { DeleteGroup } from './delete-group.tsx'
import { type Group, groupNameOf, NEW_GROUP, valuesOf } from './group.ts'
import { GroupFields } from './group-fields.tsx'
import { GroupMembers } from './group-members.tsx'

/** Creates a group, and then opens it for its members to be added. */
export function CreateGroup({ onCreated, onClose }: { onCreated(group: Group): void; onClose(): void }) {
  const { value, isDirty, change } = useDraft(NEW_GROUP)
  const create = async () => {
    const group = await send(client.POST('/groups', { body: { ...value, name: value.name.trim() } }))
    await refresh('/groups')
    onCreated(group)
  }
  return (
    <Sheet
      title={t('groups.create')}
      isDirty={isDirty}
      canSave={value.name.trim() !== ''}
      saveLabel={t('groups.create_action')}
      closesOnSave={false}
      onSave={create}
      onClose={onClose}
    >
      <GroupFields values={value} onChange={change} />
    </Sheet>
  )
}

/** Changes a group as it is stored now, and its members. A group that was created just now shows them first. */
export function EditGroup({ group, onClose }: { group: Group; onClose(): void }) {
  const path = { id: group.id }
  return (
    <EditSheet
      title={groupNameOf(group)}
      id={group.id}
      read={() => sendTagged(client.GET('/groups/{id}', { params: { path } }))}
      valuesOf={({ data }) => valuesOf(data)}
      isComplete={({ name }) => name.trim() !== ''}
      save={async ({ tag }, base, values) => {
        const body = listChanges(base, values)
        await send(client.PATCH('/groups/{id}', { params: { path, header: ifMatch(tag) }, body }))
        await refresh('/groups', '/users', '/auth/me')
      }}
      onClose={onClose}
    >
      {(values, onChange, { data }) => (
        <Tabs defaultValue={group.member_count === 0 ? 'members' : 'rights'} keepMounted={false}>
          <Tabs.List mb="lg">
            <Tabs.Tab value="rights">{t('groups.rights')}</Tabs.Tab>
            <Tabs.Tab value="members">{t('groups.members')}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="rights">
            <GroupFields values={values} onChange={onChange} />
            <DeleteGroup group={data} onClose={onClose} />
          </Tabs.Panel>
          <Tabs.Panel value="members">
            <GroupMembers group={data} />
          </Tabs.Panel>
        </Tabs>
      )}
    </EditSheet>
  )
}
