import { ActionIcon, Stack, Text } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { nameOf } from '../people/person.ts'
import { PersonSearch } from '../people/person-search.tsx'
import { client } from '../server/client.ts'
import { useRows } from '../server/pages.ts'
import { refresh, send } from '../server/send.ts'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { X } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Monogram } from '../ui/monogram.tsx'
import { useAction } from '../ui/use-action.ts'
import type { Group } from './group.ts'

/** The members of a group; additions and removals apply at once. */
export function GroupMembers({ group: { id } }: { group: Group }) {
  const members = useRows('/groups/{id}/members', { path: { id } })
  const { isBusy, error, run } = useAction()
  const change = (method: 'PUT' | 'DELETE', username: string) =>
    run(async () => {
      const member = { params: { path: { id, username } } }
      const path = '/groups/{id}/members/{username}'
      await send(method === 'PUT' ? client.PUT(path, member) : client.DELETE(path, member))
      await refresh('/groups', '/users', '/auth/me')
    })
  return (
    <Stack gap="lg">
      <PersonSearch
        label={t('groups.add_member')}
        description={t('groups.members_help')}
        isBusy={isBusy}
        onPick={(username) => change('PUT', username)}
      />
      {error !== undefined && <Failure error={error} />}
      <List
        {...members}
        label={t('groups.members')}
        keyOf={(member) => member.id}
        empty={<Empty title={t('groups.no_members')}>{t('groups.no_members_about')}</Empty>}
      >
        {(member) => (
          <ListRow
            icon={<Monogram name={nameOf(member)} />}
            title={nameOf(member)}
            meta={nameOf(member) !== member.username && member.username}
          >
            {!member.enabled && (
              <Text size="sm" c="var(--meta)">
                {t('people.disabled')}
              </Text>
            )}
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('groups.remove_member', { name: nameOf(member) })}
              disabled={isBusy}
              onClick={() => change('DELETE', member.username)}
            >
              <X size={16} aria-hidden />
            </ActionIcon>
          </ListRow>
        )}
      </List>
    </Stack>
  )
}
