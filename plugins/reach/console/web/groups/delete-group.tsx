import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Section } from '../ui/section.tsx'
import { EVERYONE, type Group, groupNameOf } from './group.ts'

/** Deletes a group after a confirmation. The first group stays. */
export function DeleteGroup({ group, onClose }: { group: Group; onClose(): void }) {
  const [isAsking, setAsking] = useState(false)
  const { id, member_count: count } = group
  const remove = async () => {
    await send(client.DELETE('/groups/{id}', { params: { path: { id } } }))
    await refresh('/groups', '/users', '/auth/me')
    onClose()
  }
  return (
    <Section title={t('people.actions')}>
      {id === EVERYONE ? (
        <Text size="sm" c="var(--meta)">
          {t('groups.needed')}
        </Text>
      ) : (
        <Button variant="default" size="xs" w="fit-content" c="var(--danger)" onClick={() => setAsking(true)}>
          {t('groups.delete')}
        </Button>
      )}
      {isAsking && (
        <Confirm
          title={t('groups.delete_title', { name: groupNameOf(group) })}
          action={t('groups.delete')}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          {t(count === 0 ? 'groups.delete_empty' : 'groups.delete_about', { count })}
        </Confirm>
      )}
    </Section>
  )
}
